#include "header.hpp"

#include "numbers.hpp"

namespace pfar::vault_file {

namespace {

constexpr std::string_view magic{"pfarvlt\1", 8}; // the last byte is the format's version
constexpr std::size_t id_size = 16;

constexpr std::uint32_t new_passes = 3, new_kibibytes = 64U << 10U;
constexpr std::uint32_t most_passes = 10, least_kibibytes = 8U << 10U, most_kibibytes = 1U << 20U;

/// All that is known before the data key is: it is bound to this.
std::string preamble(Header const& header) {
    std::string bytes(magic);
    append_number(bytes, static_cast<std::uint32_t>(header.kind));
    append_number(bytes, header.passes);
    append_number(bytes, header.kibibytes);
    return bytes + header.salt + header.vault_id;
}

bool makes_sense(Header const& header) {
    if (header.kind == KeyKind::file) return header.passes == 0 && header.kibibytes == 0;
    if (header.kind != KeyKind::passphrase && header.kind != KeyKind::command) return false;
    return header.passes >= 1 && header.passes <= most_passes && header.kibibytes >= least_kibibytes &&
           header.kibibytes <= most_kibibytes;
}

} // namespace

static_assert(header_size == magic.size() + 4 + 4 + 4 + id_size + id_size + wrapped_size + 4 + checksum_size);

Header new_header(KeyKind kind) {
    bool const stretched = kind != KeyKind::file;
    return Header{.kind = kind,
                  .passes = stretched ? new_passes : 0,
                  .kibibytes = stretched ? new_kibibytes : 0,
                  .salt = random_bytes(id_size),
                  .vault_id = random_bytes(id_size),
                  .wrapped = {}};
}

void wrap(Header& header, Secret const& key, Secret const& data_key) {
    header.wrapped = seal(key, preamble(header), data_key.reveal());
}

std::optional<Secret> unwrap(Header const& header, Secret const& key) {
    return unseal(key, preamble(header), header.wrapped);
}

std::string to_bytes(Header const& header) {
    auto bytes = preamble(header) + header.wrapped;
    append_number(bytes, header.index_size);
    return bytes + checksum(bytes);
}

std::optional<Header> header_from(std::string_view bytes) {
    if (bytes.size() != header_size || !bytes.starts_with(magic)) return std::nullopt;
    auto const covered = bytes.substr(0, header_size - checksum_size);
    if (!same_bytes(checksum(covered), bytes.substr(covered.size()))) return std::nullopt;
    auto const* const numbers = bytes.data() + magic.size();
    auto rest = bytes.substr(magic.size() + 12);
    auto const take = [&rest](std::size_t size) {
        auto const taken = rest.substr(0, size);
        rest.remove_prefix(size);
        return std::string(taken);
    };
    Header header{.kind = static_cast<KeyKind>(number_at<std::uint32_t>(numbers)),
                  .passes = number_at<std::uint32_t>(numbers + 4),
                  .kibibytes = number_at<std::uint32_t>(numbers + 8),
                  .salt = take(id_size),
                  .vault_id = take(id_size),
                  .wrapped = take(wrapped_size),
                  .index_size = number_at<std::uint32_t>(rest.data())};
    if (!makes_sense(header)) return std::nullopt;
    return header;
}

bool is_other_version(std::string_view bytes) {
    return bytes.size() > magic.size() && bytes.starts_with(magic.substr(0, 7)) && !bytes.starts_with(magic);
}

std::string bound_to(Header const& header, std::string_view what) {
    return std::string(magic).append(header.vault_id).append(what);
}

} // namespace pfar::vault_file
