#include "wire/json_text.hpp"

#include "base/surrogates.hpp"
#include "base/text.hpp"
#include "wire/scan.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <charconv>

namespace pfar::wire {

std::string_view member_of(std::string_view json, std::string_view key) {
    std::string_view found;
    auto const hear = [&](std::string_view name, std::string_view value) {
        if (name == key) found = value;
        return true;
    };
    return scan_members(json, hear) ? found : std::string_view();
}

std::vector<std::string_view> elements_of(std::string_view json, std::size_t most) {
    std::vector<std::string_view> out;
    ScanTask task;
    task.element = [&](std::string_view value) {
        out.push_back(value);
        return out.size() < most;
    };
    scan(json, task);
    return out;
}

std::optional<std::uint64_t> number_in(std::string_view json) {
    std::uint64_t out = 0;
    auto const [stop, error] = std::from_chars(json.data(), json.data() + json.size(), out);
    if (error != std::errc() || stop != json.data() + json.size()) return {};
    return out;
}

std::string string_in(std::string_view json) {
    boost::system::error_code error;
    auto const mended = base::with_whole_pairs(json);
    auto const text = mended ? std::string_view(*mended) : json;
    auto const parsed = boost::json::parse(boost::json::string_view(text.data(), text.size()), error);
    return error || !parsed.is_string() ? "" : std::string(parsed.get_string());
}

std::string error_words(std::string_view error) {
    auto const code = member_of(error, "code");
    auto const words = base::printable(string_in(member_of(error, "message")).substr(0, 1000));
    return fmt::format("{}{}", words.empty() ? "an error without words" : words,
                       code.empty() ? "" : fmt::format(" ({})", base::printable(code.substr(0, 20))));
}

std::string file_uri(std::string_view path) {
    std::string out = "file://";
    for (char const c : path) {
        bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("/-._~").find(c) != std::string_view::npos;
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

} // namespace pfar::wire
