#include "gateway/http_posted.hpp"

#include "wire/message.hpp"

namespace pfar::gateway {
namespace {

using Kind = wire::Message::Kind;

/// Whether the only message is of this kind.
bool is_of(std::string_view message, Kind kind) {
    bool is = false;
    wire::read_messages(
        message, [&](wire::Message const& read) { is = read.kind == kind; }, [](auto const&) {});
    return is;
}

} // namespace

Posted read_posted(std::string_view body) {
    Posted out;
    auto const begin = body.find_first_not_of(" \t\r\n");
    body.remove_prefix(begin == std::string_view::npos ? body.size() : begin);
    out.is_batch = body.starts_with('[');
    wire::read_messages(
        body,
        [&](wire::Message const& message) {
            ++out.messages;
            if (message.kind != Kind::request) return;
            out.asked.emplace_back(message.id);
            if (message.method == "initialize") out.initializes = true;
        },
        [&](std::string const& what) { out.trouble = what; });
    if (out.messages == 0 && out.trouble.empty()) out.trouble = "it is empty";
    return out;
}

std::vector<std::string> answered_by(std::string_view message) {
    std::vector<std::string> out;
    wire::read_messages(
        message,
        [&](wire::Message const& read) {
            if (read.kind == Kind::result || read.kind == Kind::error) out.emplace_back(read.id);
        },
        [](auto const&) {});
    return out;
}

bool is_request(std::string_view message) {
    return is_of(message, Kind::request);
}

bool is_error(std::string_view message) {
    return is_of(message, Kind::error);
}

} // namespace pfar::gateway
