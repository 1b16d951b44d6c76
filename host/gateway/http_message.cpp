#include "gateway/http_message.hpp"

#include "wire/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>

namespace pfar::gateway {
namespace {

std::string_view reason_of(unsigned status) {
    switch (status) {
    case 200:
        return "OK";
    case 202:
        return "Accepted";
    case 204:
        return "No Content";
    case 303:
        return "See Other";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 406:
        return "Not Acceptable";
    case 408:
        return "Request Timeout";
    case 410:
        return "Gone";
    case 413:
        return "Content Too Large";
    case 415:
        return "Unsupported Media Type";
    case 417:
        return "Expectation Failed";
    case 429:
        return "Too Many Requests";
    case 431:
        return "Request Header Fields Too Large";
    case 501:
        return "Not Implemented";
    case 503:
        return "Service Unavailable";
    default:
        return "Status";
    }
}

std::string date() {
    auto const now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[40];
    return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

/// The next part of `text` up to `separator`, which is taken off it.
std::string_view cut(std::string_view& text, char separator) {
    auto const at = text.find(separator);
    auto const part = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return part;
}

std::optional<std::string> form_decoded(std::string_view text) {
    std::string out;
    for (; !text.empty(); text.remove_prefix(1)) {
        if (text[0] != '%') {
            out += text[0] == '+' ? ' ' : text[0];
            continue;
        }
        unsigned byte = 0;
        auto const digits = text.substr(1, 2);
        auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
        if (error != std::errc() || digits.size() != 2 || end != digits.data() + 2) return {};
        out += static_cast<char>(byte);
        text.remove_prefix(2);
    }
    return out;
}

} // namespace

std::string_view HttpRequest::field(std::string_view name) const {
    auto const found =
        std::find_if(fields.begin(), fields.end(), [&](auto const& field) { return field.first == name; });
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

bool HttpRequest::has(std::string_view name) const {
    return std::any_of(fields.begin(), fields.end(), [&](auto const& field) { return field.first == name; });
}

HttpReply plain_reply(unsigned status, std::string_view sentence) {
    return {status, "text/plain; charset=utf-8", fmt::format("{}\n", sentence)};
}

HttpReply rpc_reply(unsigned status, int code, std::string_view sentence, std::string_view id) {
    return {status, "application/json", wire::error_line(id, code, sentence)};
}

std::string head_text(HttpReply const& reply, HttpFraming const& framing) {
    auto out = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", reply.status, reason_of(reply.status), date());
    if (!reply.type.empty()) out += fmt::format("Content-Type: {}\r\n", reply.type);
    if (framing.streamed && framing.is_new)
        out += "Transfer-Encoding: chunked\r\n";
    else if (!framing.streamed && reply.status != 204)
        out += fmt::format("Content-Length: {}\r\n", reply.body.size());
    out += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";
    for (auto const& [name, value] : reply.fields) out += fmt::format("{}: {}\r\n", name, value);
    if (!framing.keeps || !framing.is_new) out += "Connection: close\r\n";
    return out += "\r\n";
}

std::string chunk_text(std::string_view bytes) {
    return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

std::string_view trimmed(std::string_view text) {
    auto const begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (auto& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

bool names_token(std::string_view list, std::string_view token) {
    while (!list.empty()) {
        auto element = cut(list, ',');
        if (lower_case(trimmed(cut(element, ';'))) == token) return true;
    }
    return false;
}

std::string_view cookie(HttpRequest const& request, std::string_view name) {
    auto rest = request.field("cookie");
    while (!rest.empty()) {
        auto pair = cut(rest, ';');
        if (trimmed(cut(pair, '=')) == name) return trimmed(pair);
    }
    return {};
}

std::optional<std::string> form_value(std::string_view form, std::string_view name) {
    while (!form.empty()) {
        auto pair = cut(form, '&');
        if (cut(pair, '=') == name) return form_decoded(pair);
    }
    return {};
}

} // namespace pfar::gateway
