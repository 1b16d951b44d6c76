// Hellos put together by hand, with any name and any fault.
#pragma once

#include <string>

namespace pfar::proxy_connect::hellos {

inline std::string number(std::size_t value, unsigned size) {
    std::string bytes;
    while (size-- > 0) bytes.push_back(static_cast<char>(value >> (8 * size)));
    return bytes;
}

inline std::string block(unsigned size, std::string const& bytes) {
    return number(bytes.size(), size) + bytes;
}

inline std::string extension(unsigned type, std::string const& data) {
    return number(type, 2) + block(2, data);
}

inline std::string names(std::string const& list) {
    return extension(0, block(2, list));
}

inline std::string name(std::string const& text, char type = '\0') {
    return type + block(2, text);
}

inline std::string record(std::string const& bytes) {
    return "\x16\x03\x01" + block(2, bytes);
}

inline std::string message(std::string const& body) {
    return "\x01" + block(3, body);
}

inline auto const start = "\x03\x03" + std::string(32, 'r') + block(1, "session") + block(2, "\x13\x01\x13\x02") +
                          block(1, std::string(1, '\0'));

inline std::string hello(std::string const& extensions) {
    return record(message(start + block(2, extensions)));
}

inline std::string hello_for(std::string const& server) {
    return hello(names(name(server)));
}

} // namespace pfar::proxy_connect::hellos
