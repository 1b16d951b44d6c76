// An expression ends at the ; or , or unmatched bracket that follows it.
#include "lint/co_await.hpp"

#include <algorithm>
#include <cctype>

namespace test {
namespace {

/// Comments and the insides of strings become spaces, so that only code is left; line breaks stay.
std::string code_only(std::string_view text) {
    std::string out(text);
    auto const blank = [&](std::size_t from, std::size_t to) {
        for (auto i = from; i < std::min(to, out.size()); ++i)
            if (out[i] != '\n') out[i] = ' ';
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto const rest = text.substr(i);
        auto end = i;
        if (rest.starts_with("//"))
            end = std::min(text.find('\n', i), text.size());
        else if (rest.starts_with("/*"))
            end = std::min(text.find("*/", i), text.size() - 2) + 2;
        else if (rest.starts_with("R\"")) {
            auto const open = text.find('(', i);
            auto const close = ")" + std::string(text.substr(i + 2, open - i - 2)) + "\"";
            end = std::min(text.find(close, open), text.size() - close.size()) + close.size();
        } else if (text[i] == '"' ||
                   (text[i] == '\'' && (i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0))) {
            for (end = i + 1; end < text.size() && text[end] != text[i]; ++end)
                if (text[end] == '\\') ++end;
            ++end;
        } else
            continue;
        blank(i, end);
        i = end - 1;
    }
    return out;
}

/// A brace, or a choice between two temporaries.
bool has_trap(std::string_view expression) {
    int depth = 0;
    for (char const c : expression) {
        if (c == '{' && depth >= 0) return true;
        if (c == '?' && depth > 0) return true;
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || c == ']') --depth;
        if (depth < 0 || (depth == 0 && (c == ';' || c == ','))) return false;
    }
    return false;
}

/// Negated, or one side of a choice. A label and a range-based for have a colon too, but no question mark before it.
bool is_behind_trap(std::string_view before) {
    auto const last = before.find_last_not_of(" \n\t(");
    if (last == std::string_view::npos) return false;
    if (before[last] == '!' || before[last] == '?') return true;
    if (before[last] != ':') return false;
    auto const begin = before.find_last_of(";{}");
    return before.find('?', begin == std::string_view::npos ? 0 : begin) != std::string_view::npos;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

} // namespace

std::vector<int> co_await_traps(std::string_view text) {
    std::vector<int> lines;
    auto const code = code_only(text);
    constexpr std::string_view word = "co_await";
    for (auto at = code.find(word); at != std::string::npos; at = code.find(word, at + 1)) {
        auto const end = at + word.size();
        if ((at > 0 && is_word(code[at - 1])) || (end < code.size() && is_word(code[end]))) continue;
        if (is_behind_trap(std::string_view(code).substr(0, at)) || has_trap(std::string_view(code).substr(end)))
            lines.push_back(
                1 + static_cast<int>(std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n')));
    }
    return lines;
}

} // namespace test
