// Messages and their lengths; what was read is dropped when more arrives, not before each message.
#include "client_hello_cursor.hpp"
#include "dns_message.hpp"

#include <utility>

namespace pfar::proxy_connect {

void DnsStream::take(std::string_view more) {
    bytes_.erase(0, std::exchange(read_, 0));
    bytes_.append(more);
}

std::optional<std::string> DnsStream::next() {
    Cursor cursor{std::string_view(bytes_).substr(read_)};
    auto const message = cursor.block(2);
    if (!cursor.good) return std::nullopt;
    read_ += 2 + message.size();
    return std::string(message);
}

std::string dns_framed(std::string_view message) {
    std::string framed{static_cast<char>(message.size() >> 8U), static_cast<char>(message.size())};
    return framed.append(message);
}

} // namespace pfar::proxy_connect
