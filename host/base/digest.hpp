// Bytes as text: SHA-256 as people compare it, base64 as HTTP wants it.
#pragma once

#include <string>
#include <string_view>

namespace pfar::base {

/// 64 lower-case hexadecimal digits, as sha256sum prints them.
std::string sha256(std::string_view bytes);

/// With padding.
std::string base64(std::string_view bytes);

} // namespace pfar::base
