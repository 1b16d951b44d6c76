// An authority of the test's own and one certificate by it, for every name that a peer may be called.
#pragma once

#include <string>
#include <vector>

namespace test {

struct Certificates {
    std::string authority, certificate, key; // PEM
};

/// Throws if OpenSSL cannot. The names may be addresses too.
Certificates make_certificates(std::vector<std::string> const& names);

} // namespace test
