// A line from a server or an agent: what is heard of it is whole JSON of its own, and said again it is heard the same; what Boost.JSON takes the
// scanner takes.
#include "wire/message.hpp"
#include "wire/scan.hpp"

#include <boost/json.hpp>

#include <cstdlib>
#include <vector>

using namespace pfar::wire;

namespace {

void insist(bool holds) {
    if (!holds) std::abort();
}

bool same(Message const& a, Message const& b) {
    return a.kind == b.kind && a.id == b.id && a.method == b.method && a.payload == b.payload;
}

std::string said_again(Message const& message) {
    switch (message.kind) {
    case Message::Kind::request:
        return request_line(message.id, message.method, message.payload);
    case Message::Kind::notification:
        return notification_line(message.method, message.payload);
    case Message::Kind::result:
        return result_line(message.id, message.payload);
    case Message::Kind::error:
        return error_line(message.id, message.payload);
    }
    std::abort();
}

void check(Message const& message) {
    for (auto const part : {message.id, message.payload}) insist(part.empty() || scan(part, {}));
    insist(message.id.size() <= most_id_bytes && message.method.size() <= most_method_bytes);
    insist((message.kind == Message::Kind::notification) == message.id.empty());
    auto const line = said_again(message);
    int heard = 0;
    read_messages(
        line, [&](Message const& again) { insist(same(message, again)), ++heard; }, [](auto const&) { std::abort(); });
    insist(heard == 1);
}

void check_scan(std::string_view text) {
    boost::system::error_code error;
    boost::json::parse_options options;
    options.max_depth = most_depth;
    boost::json::parse(text, error, {}, options);
    if (!error) insist(scan(text, {}));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    std::size_t messages = 0, troubles = 0;
    read_messages(
        text, [&](Message const& message) { check(message), ++messages; },
        [&](std::string const& what) { insist(!what.empty()), ++troubles; });
    insist(messages + troubles <= most_in_batch);
    check_scan(text);
    return 0;
}
