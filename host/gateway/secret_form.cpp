#include "gateway/secret_form.hpp"

#include "base/text.hpp"
#include "gateway/http_html.hpp"
#include "gateway/http_page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::gateway {
namespace {

/// For an input's pattern attribute: the text itself, then whatever.
std::string beginning_with(std::string_view text) {
    std::string out;
    for (char const c : text) {
        if (std::string_view("^$\\.*+?()[]{}|/").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return "\\s*" + out + ".*";
}

std::string value_field(SecretRequest const& request) {
    if (request.multiline)
        return "<textarea name=\"value\" rows=\"12\" cols=\"72\" autocomplete=\"off\" spellcheck=\"false\" autofocus "
               "required></textarea>";
    auto const pattern = request.starts_with.empty()
                             ? std::string()
                             : fmt::format(" pattern=\"{}\" title=\"It begins with {}\"",
                                           html(beginning_with(request.starts_with)), html(request.starts_with));
    return fmt::format("<input type=\"password\" name=\"value\" size=\"60\" autocomplete=\"off\" spellcheck=\"false\" "
                       "autofocus required{}>",
                       pattern);
}

std::string help_text(std::string const& help) {
    if (help.empty()) return {};
    if (!help.starts_with("https://")) return fmt::format("<p>{}</p>\n", html(help));
    return fmt::format("<p><a href=\"{0}\" target=\"_blank\" rel=\"noopener noreferrer\">{0}</a></p>\n", html(help));
}

/// The value as it was posted, encoded.
std::string_view posted_value(std::string_view form) {
    while (!form.empty()) {
        auto const pair = form.substr(0, form.find('&'));
        if (pair.starts_with("value=")) return pair.substr(6);
        form.remove_prefix(std::min(form.size(), pair.size() + 1));
    }
    return {};
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    auto const low = static_cast<char>(c | 0x20);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/// Bytes at `place`, which has room for `text`; their number, or nothing if it is malformed.
std::optional<std::size_t> decode_into(char* place, std::string_view text) {
    std::size_t size = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        char byte = text[at] == '+' ? ' ' : text[at];
        if (text[at] == '%') {
            int const high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
            int const low = at + 2 < text.size() ? hex_digit(text[at + 2]) : -1;
            if (high < 0 || low < 0) return {};
            byte = static_cast<char>(high * 16 + low);
            at += 2;
        }
        if (byte == '\n' && size > 0 && place[size - 1] == '\r') --size; // how browsers post a line break
        place[size++] = byte;
    }
    return size;
}

std::string_view without_blanks(std::string_view text) {
    auto const begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

char const* fault_of_value(SecretRequest const& request, std::string_view value) {
    if (value.empty()) return "Nothing was entered.";
    if (!base::is_utf8(value)) return "That is not text.";
    bool const control = std::any_of(value.begin(), value.end(), [&](unsigned char c) {
        return c == 0x7f || (c < 0x20 && !(request.multiline && (c == '\n' || c == '\t')));
    });
    if (control) return "There is a line break or a control character in it; enter it again.";
    return nullptr;
}

} // namespace

HttpReply secret_form(SecretRequest const& request, std::string_view mark, std::string_view notice) {
    auto const why = notice.empty() ? std::string_view(request.wrong) : notice;
    auto const body = fmt::format(
        "<h1>{}</h1>\n{}{}{}<form method=\"post\" autocomplete=\"off\"><input type=\"hidden\" name=\"mark\" "
        "value=\"{}\">\n"
        "<p><label>{}<br>{}</label></p>\n<p><button>Save</button> <button name=\"act\" value=\"cancel\" "
        "formnovalidate>Cancel</button></p></form>\n"
        "<p class=\"none\">It goes to pfar on this machine, into your vault. No agent and no model sees it. This page "
        "can be used "
        "once.</p>\n",
        html(request.title), request.about.empty() ? "" : fmt::format("<p>{}</p>\n", html(request.about)),
        why.empty() ? "" : fmt::format("<p class=\"notice\" role=\"status\">{}</p>\n", html(why)),
        help_text(request.help), mark, html(request.prompt), value_field(request));
    return page_document(notice.empty() ? 200 : 400, "", body);
}

HttpReply secret_notice(unsigned status, std::string_view title, std::string_view sentence) {
    return page_document(status, "",
                         fmt::format("<h1>{}</h1>\n<p role=\"status\">{}</p>\n", html(title), html(sentence)));
}

Result<Secret> posted_secret(SecretRequest const& request, std::string_view form) {
    auto const encoded = posted_value(form);
    std::optional<std::size_t> size;
    auto const decoded = Secret::filled(encoded.size(), [&](char* place) { size = decode_into(place, encoded); });
    if (!size) return fail(Errc::invalid, "That did not arrive whole; enter it again.");
    auto value = decoded.reveal().substr(0, *size);
    if (!request.multiline) value = without_blanks(value);
    if (auto const* const fault = fault_of_value(request, value)) return fail(Errc::invalid, fault);
    if (!value.starts_with(request.starts_with))
        return fail(Errc::invalid,
                    fmt::format("It has to begin with {}; look again what you copied.", request.starts_with));
    Secret out(value);
    if (auto const fault = request.fault ? request.fault(out) : std::string(); !fault.empty())
        return fail(Errc::invalid, fmt::format("That cannot be right: {}.", fault));
    return out;
}

} // namespace pfar::gateway
