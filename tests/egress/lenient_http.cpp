// Line ends by LF alone, folded lines, spaces before colons, the first Host and the first length; chunks win over a length.
#include "egress/lenient_http.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace test {
namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    return text;
}

std::string_view take_line(std::string_view& rest) {
    auto const end = std::min(rest.find('\n'), rest.size());
    auto const line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (auto& byte : out) byte = static_cast<char>(std::tolower(static_cast<unsigned char>(byte)));
    return out;
}

std::size_t wrapped(std::string_view digits) { // as a reader that does not look for an overflow
    std::size_t number = 0;
    for (auto const digit : digits.substr(0, digits.find_first_not_of("0123456789")))
        number = number * 10 + static_cast<std::size_t>(digit - '0');
    return number;
}

std::size_t trailer_end(std::string_view bytes, std::size_t at) {
    while (true) {
        auto const line = bytes.find('\n', at);
        if (line == std::string_view::npos) return 0;
        if (trimmed(bytes.substr(at, line - at)).empty()) return line + 1;
        at = line + 1;
    }
}

std::string hexadecimal(std::size_t number) {
    char text[20];
    std::snprintf(text, sizeof text, "%zx", number);
    return text;
}

void read_field(HttpRequest& request, std::string_view line) {
    auto const colon = std::min(line.find(':'), line.size());
    auto const name = lower(trimmed(line.substr(0, colon)));
    auto const value = std::string(trimmed(line.substr(std::min(colon + 1, line.size()))));
    if (name == "host" && request.host.empty()) request.host = value;
    if (name == "content-length" && !request.has_length) request.has_length = true, request.length = wrapped(value);
    if (name == "transfer-encoding") request.chunked = lower(value).find("chunked") != std::string::npos;
    if (name == "connection") request.closes = lower(value) == "close";
    if (name == "expect") request.waits = true;
    if (name == "upgrade") request.upgrades = true;
    if (name == "proxy-authorization") request.authorization = value;
}

} // namespace

std::size_t head_end(std::string_view bytes) {
    auto const line = bytes.find('\n');
    if (line != std::string_view::npos && bytes.substr(0, line).find(" HTTP/") == std::string_view::npos)
        return line + 1;
    auto const strict = bytes.find("\n\r\n"), bare = bytes.find("\n\n");
    if (std::min(strict, bare) == std::string_view::npos) return 0;
    return strict < bare ? strict + 3 : bare + 2;
}

HttpRequest read_head(std::string_view head) {
    HttpRequest request;
    auto const first = trimmed(take_line(head));
    auto const space = std::min(first.find(' '), first.size());
    request.method = first.substr(0, space);
    request.target = trimmed(first.substr(space));
    request.target = request.target.substr(0, request.target.find(' '));
    while (!head.empty()) {
        std::string line(take_line(head));
        while (!head.empty() && (head[0] == ' ' || head[0] == '\t')) line += take_line(head);
        read_field(request, line);
    }
    if (request.host.empty() && request.target.starts_with("http://")) {
        request.host = request.target.substr(7);
        request.host = request.host.substr(0, request.host.find('/'));
    }
    return request;
}

std::size_t chunks_end(std::string_view bytes) {
    for (std::size_t at = 0;;) {
        auto const line = bytes.find('\n', at);
        if (line == std::string_view::npos) return 0;
        auto const size = std::strtoul(std::string(bytes.substr(at, line - at)).c_str(), nullptr, 16);
        if (size == 0) return trailer_end(bytes, line + 1);
        auto const end = bytes.find('\n', line + 1 + size);
        if (end == std::string_view::npos) return 0;
        at = end + 1;
    }
}

HttpReply reply_to(HttpRequest const& request, std::string_view body, std::string const& peer) {
    std::string text = "peer=" + peer + " host=" + request.host + " target=" + request.target +
                       " body=" + std::to_string(body.size()) + "\n";
    auto const wants = [&](char const* what) { return request.target.ends_with(what); };
    if (wants("/echo")) text = body;
    std::string const ok = "HTTP/1.1 200 OK\r\n",
                      length = "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n";
    if (request.method == "HEAD") return {ok + length};
    if (wants("/nothing")) return {"HTTP/1.1 204 No Content\r\n\r\n"};
    if (wants("/close")) return {ok + "Connection: close\r\n\r\n" + text, true};
    if (wants("/hints")) return {"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + ok + length + text};
    if (wants("/chunked"))
        return {ok + "Transfer-Encoding: chunked\r\n\r\n5\r\n" + text.substr(0, 5) + "\r\n" +
                hexadecimal(text.size() - 5) + "\r\n" + text.substr(5) + "\r\n0\r\nX: y\r\n\r\n"};
    if (wants("/upgrade") && request.upgrades)
        return {"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: test\r\n\r\n" + text, false, true};
    return {ok + length + text, request.closes};
}

} // namespace test
