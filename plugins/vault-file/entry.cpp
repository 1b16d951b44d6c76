// Plain record: set time (8), length of the name (1) and of the value (4), name, value, zeros up to a multiple of 64.
#include "entry.hpp"

#include <algorithm>
#include <cassert>

namespace pfar::vault_file {

namespace {

constexpr std::size_t fixed = 8 + 1 + 4, step = 64;

std::string binding(Header const& header, std::string_view name) {
    return bound_to(header, "entry ").append(name);
}

// The lengths are authenticated, but a length is never believed.
std::optional<Entry> unpack(std::string_view plain, std::string const& name) {
    if (plain.size() < fixed) return std::nullopt;
    std::size_t const name_size = static_cast<unsigned char>(plain[8]);
    std::size_t const value_size = number_at<std::uint32_t>(plain.data() + 9);
    auto const rest = plain.substr(fixed);
    if (name_size > rest.size() || value_size > rest.size() - name_size || rest.substr(0, name_size) != name)
        return std::nullopt;
    return Entry{name, time_at(plain.data()), Secret(rest.substr(name_size, value_size))};
}

} // namespace

Keys::Keys(Secret const& data_key)
    : index(derive(data_key, Purpose::index)), records(derive(data_key, Purpose::records)),
      uses(derive(data_key, Purpose::uses)) {}

std::string seal_entry(Keys const& keys, Header const& header, Entry const& entry) {
    assert(entry.name.size() <= max_name && entry.value.size() <= max_value);
    auto const value = entry.value.reveal();
    auto const size = (fixed + entry.name.size() + value.size() + step - 1) / step * step;
    auto const plain = Secret::filled(size, [&](char* to) {
        to = put_time(to, entry.set_at);
        to = put_number(to, static_cast<std::uint8_t>(entry.name.size()));
        to = put_number(to, static_cast<std::uint32_t>(value.size()));
        to = std::copy(entry.name.begin(), entry.name.end(), to);
        std::copy(value.begin(), value.end(), to);
    });
    return seal(keys.records, binding(header, entry.name), plain.reveal());
}

std::optional<Entry> open_entry(Keys const& keys, Header const& header, std::string const& name,
                                std::string_view record) {
    auto const plain = unseal(keys.records, binding(header, name), record);
    if (!plain) return std::nullopt;
    return unpack(plain->reveal(), name);
}

std::string_view tag_of(std::string_view record) {
    return record.substr(record.size() - std::min(record.size(), tag_size));
}

} // namespace pfar::vault_file
