// One form for every refusal: plain text, with its length, then the end.
#include "http_answer.hpp"

namespace pfar::proxy_connect {

namespace {

std::string_view reason_of(Status status) {
    switch (status) {
    case Status::bad_request:
        return "Bad Request";
    case Status::forbidden:
        return "Forbidden";
    case Status::header_too_long:
        return "Request Header Fields Too Large";
    case Status::bad_gateway:
        return "Bad Gateway";
    case Status::busy:
        return "Service Unavailable";
    case Status::undecided:
        return "Gateway Timeout";
    }
    return "Error";
}

} // namespace

std::string http_answer(Status status, std::string_view sentence) {
    std::string answer = "HTTP/1.1 " + std::to_string(static_cast<int>(status)) + " ";
    answer.append(reason_of(status)).append("\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ");
    answer.append(std::to_string(sentence.size() + 1)).append("\r\nConnection: close\r\n\r\n");
    return answer.append(sentence).append("\n");
}

} // namespace pfar::proxy_connect
