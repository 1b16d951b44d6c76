// Parsed only after its seal was found to fit, so its shape is known.
#include "audit/head.hpp"

#include "audit/files.hpp"
#include "base/files.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::audit {
namespace {

constexpr std::string_view beginning = "{\"last\":\""; // as no line begins, or a line could be put in its place

} // namespace

std::string to_text(Head const& head, Key const& key) {
    auto text = fmt::format(R"({}{}","seq":{},"file":"{}","number":{},"size":{},"line":{})", beginning, head.mark.hash,
                            head.mark.seq, file_name(head.file), head.file, head.size, head.line);
    seal(text, 0, key);
    text.resize(head_size - 1, ' ');
    return text += '\n';
}

std::optional<Head> parse_head(std::string_view text, Key const& key) {
    auto const end = text.find_last_not_of(" \n");
    auto const covered = end == std::string_view::npos ? std::string_view() : unsealed(text.substr(0, end + 1), key);
    if (!covered.starts_with(beginning)) return {};
    boost::system::error_code error;
    auto const value = boost::json::parse(std::string(covered) + "}", error);
    if (error) return {};
    auto const number = [&](char const* name) { return value.at(name).to_number<std::uint64_t>(); };
    return Head{{number("seq"), std::string(value.at("last").as_string())},
                static_cast<std::uint32_t>(number("number")),
                number("size"),
                number("line")};
}

Result<std::optional<Head>> read_head(std::filesystem::path const& directory, Key const& key) {
    auto const text = base::read_file(directory / "head", head_size);
    if (text) return parse_head(*text, key);
    bool const is_none = text.error().code == Errc::not_found || text.error().code == Errc::invalid;
    if (is_none) return std::optional<Head>();
    return text.error();
}

} // namespace pfar::audit
