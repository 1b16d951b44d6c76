// SHA-256 of bytes, as people compare it.
#pragma once

#include <string>
#include <string_view>

namespace pfar::base {

/// 64 lower-case hexadecimal digits, as sha256sum prints them.
std::string sha256(std::string_view bytes);

} // namespace pfar::base
