#include "egress/judge.hpp"

#include "egress/special_address.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;
using boost::asio::ip::make_address;

namespace {

egress::Rules rules(std::vector<char const*> const& allowed, std::vector<char const*> const& allow_private = {}) {
    egress::Rules out;
    out.server = "notion";
    for (auto const* const text : allowed) out.allowed.push_back(config::parse_domain(text).value());
    for (auto const* const text : allow_private) out.allow_private.push_back(config::parse_domain(text).value());
    return out;
}

bool allows(egress::Rules const& rules, std::string const& host, std::uint16_t port = 443) {
    return judge_name(rules, {host, port, Destination::Said::connect}).allowed;
}

std::vector<std::string> dialled(egress::Rules const& rules, std::string const& name,
                                 std::vector<char const*> const& addresses, std::uint16_t port = 443) {
    std::vector<boost::asio::ip::address> parsed;
    for (auto const* const text : addresses) parsed.push_back(make_address(text));
    std::vector<std::string> out;
    for (auto const& address : judge_addresses(rules, base::canonical_host(name).value(), port, parsed).dial)
        out.push_back(address.to_string());
    return out;
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("an exact rule allows that name, in whatever spelling, on 443 and 80") {
    auto const mine = rules({"api.notion.com"});
    CHECK(allows(mine, "api.notion.com"));
    CHECK(allows(mine, "API.Notion.Com."));
    CHECK(allows(mine, "api.notion.com", 80));
    for (auto const* const other : {"notion.com", "xapi.notion.com", "x.api.notion.com", "api.notion.com.evil.test",
                                    "api-notion.com", "evil.test", "api.notion.co", "api.notion.comm"})
        CHECK_FALSE(allows(mine, other));
    for (unsigned const port : {0U, 22U, 8443U, 8080U, 444U})
        CHECK_FALSE(allows(mine, "api.notion.com", static_cast<std::uint16_t>(port)));
}

TEST_CASE("a wildcard allows what is below it, not the name itself nor what only ends alike") {
    auto const mine = rules({"*.example.com"});
    CHECK(allows(mine, "a.example.com"));
    CHECK(allows(mine, "a.b.example.com"));
    for (auto const* const other : {"example.com", "badexample.com", ".example.com", "a.example.com.evil.test"})
        CHECK_FALSE(allows(mine, other));
}

TEST_CASE("a rule with a port allows that port alone") {
    auto const mine = rules({"db.example.com:5432"});
    CHECK(allows(mine, "db.example.com", 5432));
    CHECK_FALSE(allows(mine, "db.example.com", 443));
    CHECK(judge_name(mine, {"db.example.com", 0, Destination::Said::dns_question}).allowed);
}

TEST_CASE("an address is allowed only if it is listed, whatever its spelling") {
    auto const names = rules({"*.example.com", "localhost"});
    for (auto const* const said : {"127.0.0.1", "2130706433", "0x7f.1", "[::1]", "203.0.113.5", "[::ffff:203.0.113.5]"})
        CHECK_FALSE(allows(names, said));
    auto const listed = rules({"127.0.0.1", "[2001:db8::5]:8443"});
    CHECK(allows(listed, "127.1"));
    CHECK(allows(listed, "[::ffff:7f00:1]"));
    CHECK(allows(listed, "[2001:DB8::0:5]", 8443));
    CHECK_FALSE(allows(listed, "127.0.0.2"));
    CHECK(dialled(listed, "127.0.0.1", {"127.0.0.1"}) == Texts{"127.0.0.1"});
}

TEST_CASE("an allowed name whose address is not one of the world's is refused") {
    auto const mine = rules({"api.notion.com"});
    for (auto const* const address : {"127.0.0.1",
                                      "127.255.255.254",
                                      "0.0.0.0",
                                      "0.1.2.3",
                                      "10.0.0.1",
                                      "172.16.0.1",
                                      "172.31.255.255",
                                      "192.168.1.1",
                                      "169.254.169.254",
                                      "169.254.0.1",
                                      "100.64.0.1",
                                      "100.127.255.255",
                                      "100.100.100.200",
                                      "168.63.129.16",
                                      "192.0.0.192",
                                      "224.0.0.1",
                                      "255.255.255.255",
                                      "240.0.0.1",
                                      "::",
                                      "::1",
                                      "fc00::1",
                                      "fd00:ec2::254",
                                      "fe80::1",
                                      "fec0::1",
                                      "ff02::1",
                                      "::ffff:127.0.0.1",
                                      "::ffff:203.0.113.5",
                                      "::127.0.0.1",
                                      "64:ff9b::7f00:1",
                                      "64:ff9b::cb00:7105",
                                      "64:ff9b:1::a00:1",
                                      "2002:7f00:1::",
                                      "2002:cb00:7105::1",
                                      "2001:0:cb00:7105::1",
                                      "::ffff:0:127.0.0.1",
                                      "100::1",
                                      "2001:db8::5efe:10.0.0.1"}) {
        CAPTURE(address);
        CHECK(dialled(mine, "api.notion.com", {address}).empty());
        auto const verdict =
            judge_addresses(mine, base::canonical_host("api.notion.com").value(), 443, {make_address(address)});
        CHECK_FALSE(verdict.allowed);
        CHECK(verdict.why.find("allow_private = [\"api.notion.com\"]") != std::string::npos);
        auto const private_too = rules({"api.notion.com"}, {"api.notion.com"});
        CHECK_FALSE(dialled(private_too, "api.notion.com", {address}).empty());
    }
    for (auto const* const address : {"203.0.113.5", "198.51.100.7", "192.0.2.1", "8.8.8.8", "172.32.0.1",
                                      "100.128.0.1", "2001:db8::1", "2606:4700::1111", "2003::1", "198.18.0.1"}) {
        CAPTURE(address);
        CHECK(dialled(mine, "api.notion.com", {address}) == Texts{address});
    }
}

TEST_CASE("a private address may be dialled for a name if the rules name that very address") {
    auto const mine = rules({"db.internal:5432", "10.1.2.3:5432"});
    CHECK(dialled(mine, "db.internal", {"10.1.2.3"}, 5432) == Texts{"10.1.2.3"});
    CHECK(dialled(mine, "db.internal", {"10.1.2.4"}, 5432).empty());
    CHECK(dialled(mine, "db.internal", {"10.1.2.3"}, 443).empty());
}

TEST_CASE("of several addresses only those that may be are dialled, and the families take turns") {
    auto const mine = rules({"api.notion.com"});
    CHECK(dialled(mine, "api.notion.com", {"127.0.0.1", "203.0.113.5", "::1"}) == Texts{"203.0.113.5"});
    CHECK(dialled(mine, "api.notion.com", {"2001:db8::1", "2001:db8::2", "203.0.113.5", "203.0.113.6"}) ==
          Texts{"2001:db8::1", "203.0.113.5", "2001:db8::2", "203.0.113.6"});
}

TEST_CASE("a name without an address is not refused, but there is nothing to dial") {
    auto const verdict = judge_addresses(rules({"a.example"}), base::canonical_host("a.example").value(), 443, {});
    CHECK(verdict.allowed);
    CHECK(verdict.dial.empty());
    CHECK_FALSE(verdict.why.empty());
}

TEST_CASE("a refusal names the server, the domain and the exact line") {
    auto const mine = rules({"api.notion.com", "*.example.com:8443"});
    auto const why = judge_name(mine, {"Evil.Test", 443, Destination::Said::connect}).why;
    CHECK(why.find("notion may not reach evil.test") != std::string::npos);
    CHECK(why.find("pfar allow notion 'evil.test'") != std::string::npos);
    CHECK(why.find("allowed_domains = [\"api.notion.com\", \"*.example.com:8443\", \"evil.test\"]") !=
          std::string::npos);
    auto const port = judge_name(mine, {"api.notion.com", 5432, Destination::Said::connect}).why;
    CHECK(port.find("on port 5432") != std::string::npos);
    CHECK(port.find("\"api.notion.com:5432\"]") != std::string::npos);
    auto exec = mine;
    exec.remedy = egress::Rules::Remedy::option;
    CHECK(judge_name(exec, {"evil.test", 443, Destination::Said::connect}).why.find("--allow-domain 'evil.test'") !=
          std::string::npos);
}
