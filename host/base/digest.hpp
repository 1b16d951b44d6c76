// Bytes as text: SHA-256 as people compare it, a login as HTTP wants it.
#pragma once

#include <pfar/secret.hpp>

#include <string>
#include <string_view>

namespace pfar::base {

/// 64 lower-case hexadecimal digits, as sha256sum prints them.
std::string sha256(std::string_view bytes);

/// "Basic " and the login in base64, with padding.
Secret basic_authorization(Secret const& login);

} // namespace pfar::base
