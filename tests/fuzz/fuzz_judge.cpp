// Host names and addresses, whatever a sandboxed process says: one canonical form, and nothing that the rules do not name gets through.
// What is judged as a name must not be an address to the C library, which is what looks it up.
#include "egress/judge.hpp"
#include "egress/special_address.hpp"

#include <arpa/inet.h>

#include <cstdlib>

using namespace pfar;

namespace {

egress::Rules const& rules() {
    static egress::Rules const all = [] {
        egress::Rules made;
        made.server = "fuzzed";
        for (auto const* const text :
             {"good.example", "*.wild.example", "203.0.113.5", "[2001:db8::5]:8443", "db.example:5432"})
            made.allowed.push_back(config::parse_domain(text).value());
        return made;
    }();
    return all;
}

void insist(bool truth) {
    if (!truth) std::abort();
}

std::string written(base::Host const& host) {
    return host.address && host.address->is_v6() ? "[" + host.name + "]" : host.name;
}

void check_form(std::string const& said, base::Host const& host) {
    auto const again = base::canonical_host(written(host));
    insist(again && again->name == host.name && again->address == host.address);
    in_addr bytes{};
    in6_addr six{};
    if (!host.address)
        insist(::inet_aton(host.name.c_str(), &bytes) == 0 && ::inet_pton(AF_INET6, host.name.c_str(), &six) == 0);
    bool const plain = said.find('\0') == std::string::npos && !said.ends_with('.');
    if (plain && ::inet_aton(said.c_str(), &bytes) != 0)
        insist(host.address && host.address->is_v4() && host.address->to_v4().to_uint() == ntohl(bytes.s_addr));
}

bool may_pass(base::Host const& host, std::uint16_t port) {
    bool const usual = port == 443 || port == 80;
    if (host.address) return host.name == "203.0.113.5" ? usual : host.name == "2001:db8::5" && port == 8443;
    if (host.name == "db.example") return port == 5432;
    return usual && (host.name == "good.example" || host.name.ends_with(".wild.example"));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    if (size < 2) return 0;
    constexpr std::uint16_t ports[] = {443, 80, 8443, 5432, 22, 0};
    auto const port = ports[data[0] % 6];
    std::string const said(reinterpret_cast<char const*>(data) + 1, size - 1);
    auto const host = base::canonical_host(said);
    if (host) check_form(said, *host);
    auto const verdict = judge_name(rules(), {said, port, Destination::Said::connect});
    insist(!verdict.allowed || (host && may_pass(*host, port)));
    insist(!host || verdict.allowed == may_pass(*host, port));
    if (host && host->address) {
        auto const dialled = judge_addresses(rules(), {"good.example", {}}, 443, {*host->address}).dial;
        insist(dialled.empty() == egress::special(*host->address).has_value());
    }
    return 0;
}
