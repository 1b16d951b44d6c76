#include "audit/excerpt.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <openssl/sha.h>
#include <sodium.h>

namespace pfar::audit {
namespace {

/// By OpenSSL, which uses what the processor has for it: results may be long.
std::string digest_of(std::string_view text) {
    unsigned char hash[SHA256_DIGEST_LENGTH];
    ::SHA256(reinterpret_cast<unsigned char const*>(text.data()), text.size(), hash);
    std::string hex(2 * sizeof hash + 1, '\0');
    ::sodium_bin2hex(hex.data(), hex.size(), hash, sizeof hash);
    hex.pop_back();
    return hex;
}

std::string_view beginning_of(std::string_view text, std::size_t most) {
    auto const is_inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U; };
    while (most > 0 && is_inside(most)) --most;
    return text.substr(0, most);
}

} // namespace

void append_excerpt(std::string& out, std::string_view key, std::string_view json, std::size_t most) {
    if (json.empty()) return;
    if (json.size() > most)
        out += fmt::format(R"("{0}":{1},"{0}_bytes":{2},"{0}_digest":"{3}")", key,
                           boost::json::serialize(boost::json::string_view(beginning_of(json, most))), json.size(),
                           digest_of(json));
    else
        out.append("\"").append(key).append("\":").append(json);
}

std::string excerpt_members(std::string_view key, std::string_view json, std::size_t most) {
    std::string out;
    append_excerpt(out, key, json, most);
    return out;
}

} // namespace pfar::audit
