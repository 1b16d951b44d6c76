#include "gateway/http_page.hpp"

#include "gateway/http_html.hpp"
#include "wire/json_text.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <functional>

namespace pfar::gateway {
namespace {

constexpr std::size_t most_rows = 200, most_arguments = 4096;

constexpr std::string_view style =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 "
    "1rem;color:#222;background:#fff}"
    "h1{font-size:1.3rem}h2{font-size:1.05rem;margin-top:2rem}table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #ddd}"
    "pre,code{font:13px/1.4 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:0}td "
    "pre{min-width:18rem}"
    "button,input,textarea{font:inherit;padding:.2rem .6rem}form{display:inline}.none{color:#666}"
    ".notice{background:#fff6d6;padding:.5rem .8rem}.end{float:right}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}th,td{border-color:#444}.notice{background:#"
    "4a4020}}";

std::string policy() {
    std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
    crypto_hash_sha256(digest.data(), reinterpret_cast<unsigned char const*>(style.data()), style.size());
    std::array<char, sodium_base64_ENCODED_LEN(crypto_hash_sha256_BYTES, sodium_base64_VARIANT_ORIGINAL)> text{};
    sodium_bin2base64(text.data(), text.size(), digest.data(), digest.size(), sodium_base64_VARIANT_ORIGINAL);
    return fmt::format(
        "default-src 'none'; style-src 'sha256-{}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        text.data());
}

/// A member's value as text: a string without its quotation marks, anything else as it is.
std::string text_of(std::string_view object, std::string_view key) {
    auto const value = wire::member_of(object, key);
    if (value.starts_with('"')) return wire::string_in(value);
    return value == "null" ? std::string() : std::string(value.substr(0, 200));
}

std::string cells(std::string_view object, std::vector<std::string_view> const& keys) {
    std::string out;
    for (auto const key : keys) out += fmt::format("<td>{}</td>", html(text_of(object, key)));
    return out;
}

using Row = std::function<std::string(std::string_view object)>;

std::string table(std::string_view id, std::string_view heads, std::string_view json, Row const& row) {
    auto const objects = wire::elements_of(json, most_rows + 1);
    if (objects.empty()) return fmt::format("<p class=\"none\" id=\"{}\">none</p>\n", id);
    auto out = fmt::format("<table id=\"{}\"><thead><tr>{}</tr></thead><tbody>\n", id, heads);
    for (std::size_t i = 0; i < objects.size() && i < most_rows; ++i)
        out += fmt::format("<tr>{}</tr>\n", row(objects[i]));
    out += "</tbody></table>\n";
    if (objects.size() > most_rows) out += fmt::format("<p>The first {} are shown.</p>\n", most_rows);
    return out;
}

std::string decision(std::string_view action, std::string_view id, std::string_view form, std::string_view more) {
    return fmt::format("<form method=\"post\" action=\"/{}\"><input type=\"hidden\" name=\"form\" value=\"{}\">"
                       "<input type=\"hidden\" name=\"id\" value=\"{}\">{}</form> ",
                       action, html(form), html(id), more);
}

std::string approval_row(std::string_view approval, std::string_view form) {
    auto const id = text_of(approval, "id");
    auto const for_session =
        wire::member_of(approval, "once") == "true"
            ? std::string() // it asks every time
            : decision("approve", id, form, "<button name=\"for\" value=\"session\">Approve for this session</button>");
    return fmt::format("<td><strong>{}.{}</strong><br>{}</td><td><pre>{}</pre></td>{}<td>{} s</td><td>{}{}{}</td>",
                       html(text_of(approval, "server")), html(text_of(approval, "tool")), html(id),
                       pretty_html(wire::member_of(approval, "arguments"), most_arguments),
                       cells(approval, {"why", "session"}), html(text_of(approval, "expires_in")),
                       decision("approve", id, form, "<button>Approve once</button>"), for_session,
                       decision("deny", id, form, "<button>Deny</button>"));
}

std::string notice_text(std::string_view notice) {
    return notice.empty() ? std::string() : fmt::format("<p class=\"notice\" role=\"status\">{}</p>\n", html(notice));
}

} // namespace

HttpReply page_document(unsigned status, std::string_view head, std::string_view body) {
    // With no-referrer a browser would send "Origin: null" with our own forms.
    return {status,
            "text/html; charset=utf-8",
            fmt::format("<!doctype html>\n<html lang=\"en\"><head><meta "
                        "charset=\"utf-8\"><title>pfar</title>{}<style>{}</style></head>\n"
                        "<body>\n{}</body></html>\n",
                        head, style, body),
            {{"Content-Security-Policy", policy()}, {"Referrer-Policy", "same-origin"}, {"X-Frame-Options", "DENY"}}};
}

HttpReply owners_page(OwnersPage const& page) {
    auto body = fmt::format(
        "<form class=\"end\" method=\"post\" action=\"/logout\"><input type=\"hidden\" name=\"form\" value=\"{}\">"
        "<button>Log out</button></form><h1>pfar</h1>\n{}<h2>Waiting for your approval</h2>\n",
        html(page.form), notice_text(page.notice));
    body += table("approvals", "<th>call<th>arguments<th>why<th>session<th>expires in<th>", page.approvals,
                  [&](auto approval) { return approval_row(approval, page.form); });
    body += "<h2>Servers</h2>\n";
    body += table("servers", "<th>name<th>state<th>label<th>tools<th>reason", page.servers, [](auto server) {
        return cells(server, {"name", "state", "label", "tools", "reason"});
    });
    body += "<h2>Blocked domains</h2>\n";
    body += table("blocked", "<th>server<th>domain<th>times<th>to allow it", page.blocked, [](auto blocked) {
        return cells(blocked, {"server", "domain", "count"}) +
               fmt::format("<td><code>{}</code></td>", html(text_of(blocked, "remedy")));
    });
    return page_document(200, "<meta http-equiv=\"refresh\" content=\"10\">", body);
}

HttpReply login_page(unsigned status, std::string_view notice) {
    auto const body = fmt::format(
        "<h1>pfar</h1>\n{}<p>This page is the owner's. Its token is in the file <code>run/owner-token in your pfar "
        "home</code>.</p>\n"
        "<form method=\"post\" action=\"/login\"><label>Owner's token <input type=\"password\" name=\"token\" "
        "autocomplete=\"off\" autofocus required></label> <button>Log in</button></form>\n",
        notice_text(notice));
    return page_document(status, "", body);
}

} // namespace pfar::gateway
