// Places are found by looking at the text alone, and may be wrong for text that nobody thought of. So the outcome is read and compared as a whole
// before anybody gets it.
#include "config/edit.hpp"

#include "base/text.hpp"
#include "config/document.hpp"
#include "config/top_level.hpp"

#include <fmt/format.h>

namespace pfar::config {
namespace {

constexpr auto key = "allowed_domains";

struct Items {
    std::optional<Span> last;
    std::optional<std::size_t> comma; // behind the last
    std::string between = ", ";       // the last two, if they are on one line
};

Items items_of(std::string_view text, Span list) {
    Items out;
    for (auto at = list.begin + 1; at + 1 < list.end;) {
        auto const end = token_end(text, at);
        if (text[at] == '"' || text[at] == '\'') {
            auto const gap = out.last ? text.substr(out.last->end, at - out.last->end) : "";
            if (!gap.empty() && gap.find_first_of("#\n") == std::string_view::npos) out.between = gap;
            out.last = {at, end};
            out.comma.reset();
        } else if (text[at] == ',')
            out.comma = at;
        at = end;
    }
    return out;
}

std::size_t line_begin(std::string_view text, std::size_t at) {
    auto const before = text.substr(0, at).rfind('\n');
    return before == std::string_view::npos ? 0 : before + 1;
}

/// Before its newline, whichever kind that is.
std::size_t line_end(std::string_view text, std::size_t at) {
    auto const end = std::min(text.find('\n', at), text.size());
    return end > at && text[end - 1] == '\r' ? end - 1 : end;
}

std::string indent_at(std::string_view text, std::size_t begin) {
    return std::string(text.substr(begin, text.find_first_not_of(" \t", begin) - begin));
}

std::string newline_of(std::string_view text) {
    auto const first = text.find('\n');
    return first != std::string_view::npos && first > 0 && text[first - 1] == '\r' ? "\r\n" : "\n";
}

std::string with_first_item(std::string text, Span list, std::string const& item) {
    auto const inside = std::string_view(text).substr(list.begin + 1, list.end - list.begin - 2);
    if (inside.find('\n') == std::string_view::npos)
        return text.replace(list.begin + 1, inside.size(), item); // [] or [ ]
    auto const comment = inside.find('#');
    auto const close = line_begin(text, list.end - 1);
    auto const first = comment == std::string_view::npos ? close : line_begin(text, list.begin + 1 + comment);
    auto const indent = first > list.begin && first != close ? indent_at(text, first) : indent_at(text, close) + "    ";
    return text.insert(close, indent + item + "," + newline_of(text));
}

std::string with_item(std::string text, Span list, std::string const& item) {
    auto const [last, comma, between] = items_of(text, list);
    if (!last) return with_first_item(std::move(text), list, item);
    auto const line = line_begin(text, last->begin);
    auto const after = comma ? *comma + 1 : last->end;
    if (line <= list.begin) { // beside the opening bracket
        auto const space = between.substr(between.find(',') + 1);
        return comma ? text.insert(after, space + item + ",") : text.insert(after, between + item);
    }
    auto const added = newline_of(text) + indent_at(text, line) + item + (comma ? "," : "");
    bool const closed_here = line_end(text, after) > list.end - 1; // the bracket follows on the same line
    text.insert(closed_here ? after : line_end(text, after), added);
    return comma ? text : text.insert(last->end, ",");
}

std::string with_key(std::string text, std::size_t at, std::string const& item) {
    auto const newline = newline_of(text);
    bool const open_end = at > 0 && text[at - 1] != '\n' && at == text.size();
    return text.insert(at, fmt::format("{}{} = [{}]{}", open_end ? newline : "", key, item, newline));
}

/// Everything but the list, in one line: equal if the texts mean the same.
std::string rest_of(Document document) {
    std::erase_if(document.root, [](auto const& entry) { return entry.key == key; });
    return to_toml({{}, std::move(document.root)});
}

bool says_the_same(std::string const& before, std::string const& after) {
    auto old = read_document(Source(before)), now = read_document(Source(after));
    return old.whole && now.whole && rest_of(std::move(old)) == rest_of(std::move(now));
}

Error by_hand(FileContext const& context, std::vector<DomainRule> const& rules) {
    Array items;
    for (auto const& rule : rules) items.push_back({{}, to_text(rule)});
    return fail(Errc::unsupported,
                fmt::format("{} of {} is written in a way that pfar does not change; write this line by hand: {} = {}",
                            key, base::printable(context.file.native()), key, to_toml({{}, std::move(items)})));
}

} // namespace

Result<std::string> add_domain(std::string const& text, DomainRule const& rule, FileContext context) {
    context.look_around = false;
    auto const before = read_server_file(Source(text), context);
    if (!before.spec)
        return fail(Errc::invalid, fmt::format("{} has mistakes; put them right first: pfar check tells which",
                                               base::printable(context.file.native())));
    auto rules = before.spec->allowed_domains;
    rules.push_back(rule);
    auto const item = fmt::format("\"{}\"", to_text(rule)); // letters, digits and punctuation that need no escape
    auto const top = scan_top_level(text, key);
    auto out = top.list ? with_item(text, *top.list, item) : with_key(text, top.end, item);
    auto const after = read_server_file(Source(out), context);
    if (!after.spec || after.spec->allowed_domains != rules || !says_the_same(text, out))
        return by_hand(context, rules);
    return out;
}

} // namespace pfar::config
