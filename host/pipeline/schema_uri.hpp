// References of schemas: resolved by RFC 3986 against the address a schema gives itself. Addresses are names here; nothing is ever fetched.
#pragma once

#include <string>
#include <string_view>

namespace pfar::pipeline::schemas {

struct Reference {
    std::string address;  // without its fragment
    std::string fragment; // percent-decoded
};

/// `base` is an address, or empty.
Reference resolve(std::string_view base, std::string_view reference);

} // namespace pfar::pipeline::schemas
