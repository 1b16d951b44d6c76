#include "cli/call_result.hpp"

#include "base/text.hpp"
#include "cli/json_layout.hpp"
#include "cli/line_diff.hpp"
#include "control/members.hpp"

#include <fmt/format.h>

namespace pfar::cli {
namespace {

std::string word_in(std::string_view json, std::string_view key) {
    return control::string_in(control::member_of(json, key));
}

std::size_t bytes_in(std::string_view base64) {
    while (base64.ends_with('=')) base64.remove_suffix(1);
    return base64.size() * 3 / 4;
}

std::string ended(std::string text) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    return text;
}

std::string data_line(std::string_view kind, std::string_view part, std::string_view key) {
    return fmt::format("[{}: {}, {} bytes]\n", kind, base::printable(word_in(part, "mimeType")),
                       bytes_in(word_in(part, key)));
}

std::string resource_text(std::string_view resource) {
    auto const uri = base::printable(word_in(resource, "uri"));
    if (control::member_of(resource, "text").empty())
        return data_line(fmt::format("resource {}", uri), resource, "blob");
    return fmt::format("[resource {}]\n{}", uri, ended(word_in(resource, "text")));
}

std::string part_text(std::string_view part) {
    auto const type = word_in(part, "type");
    if (type == "text") return ended(word_in(part, "text"));
    if (type == "image" || type == "audio") return data_line(type, part, "data");
    if (type == "resource") return resource_text(control::member_of(part, "resource"));
    if (type == "resource_link")
        return fmt::format("[link to {}: {}]\n", base::printable(word_in(part, "name")),
                           base::printable(word_in(part, "uri")));
    return fmt::format("[content of the unknown kind \"{}\"; --json shows it]\n", base::printable(type));
}

} // namespace

std::string result_text(std::string_view result) {
    std::string out;
    bool has_text = false;
    for (auto const part : control::elements_of(control::member_of(result, "content"))) {
        out += part_text(part);
        has_text = has_text || word_in(part, "type") == "text";
    }
    auto const structured = control::member_of(result, "structuredContent");
    if (!has_text && !structured.empty()) out += indented(structured);
    return out;
}

std::string safe_lines(std::string_view text) {
    std::string out;
    for (auto const line : lines_of(text)) out += base::printable(line) + "\n";
    return out;
}

} // namespace pfar::cli
