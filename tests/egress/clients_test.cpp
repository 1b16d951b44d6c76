// Programs that people use, unchanged: those that know of proxies and those that do not reach an allowed name, and no other.
#include "egress/attempts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <unistd.h>

#include <sstream>

using test::WorldStage;

namespace {

struct Client {
    char const *name, *script; // $name is whom to reach
    char const* reached;       // what it says then
};

constexpr char python_urllib[] =
    "import sys, urllib.request as u\nif sys.argv[2:]: u.install_opener(u.build_opener(u.ProxyHandler({})))\n"
    "print(u.urlopen(sys.argv[1], timeout=20).read().decode())";
constexpr char python_socket[] =
    "import socket, sys\ns = socket.create_connection((sys.argv[1], int(sys.argv[2])), 20)\nf = s.makefile('rw')\n"
    "hello = f.readline()\nf.write('SELECT 1\\n')\nf.flush()\nassert f.readline() == 'SELECT 1\\n'\nprint(hello)";

std::vector<Client> const clients{
    {"curl", "curl -sS -m 20 https://$name/", "peer=good"},
    {"curl by HTTP", "curl -sS -m 20 http://$name/", "peer=good"},
    {"curl through a tunnel to 80", "curl -sS -m 20 -p http://$name/", "peer=good"},
    {"curl without the proxy", "curl -sS -m 20 --noproxy '*' https://$name/", "peer=good"},
    {"curl by HTTP without the proxy", "curl -sS -m 20 --noproxy '*' http://$name/", "peer=good"},
    {"curl with its certificate file", "curl -sS -m 20 --cacert \"$SSL_CERT_FILE\" https://$name/", "peer=good"},
    {"curl that posts", "curl -sS -m 20 -d x=y https://$name/", "peer=good"},
    {"node fetch", "node -e \"fetch('https://$name/').then(r => r.text()).then(console.log)\"", "peer=good"},
    {"node https", "node -e \"require('https').get('https://$name/', r => r.pipe(process.stdout))\"", "peer=good"},
    {"node http", "node -e \"require('http').get('http://$name/', r => r.pipe(process.stdout))\"", "peer=good"},
    {"urllib", "/usr/bin/python3 -c \"$python_urllib\" https://$name/", "peer=good"},
    {"urllib by HTTP", "/usr/bin/python3 -c \"$python_urllib\" http://$name/", "peer=good"},
    {"urllib without the proxy", "/usr/bin/python3 -c \"$python_urllib\" https://$name/ none", "peer=good"},
    {"urllib by HTTP without the proxy", "/usr/bin/python3 -c \"$python_urllib\" http://$name/ none", "peer=good"},
    {"s_client",
     "printf 'GET / HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' $name |"
     " openssl s_client -quiet -verify_return_error -servername $name -connect $name:443",
     "peer=good"},
    {"s_client through the proxy",
     "printf 'GET / HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' $name |"
     " openssl s_client -quiet -verify_return_error -servername $name -proxy 127.0.0.1:3128 -connect $name:443",
     "peer=good"},
};

std::vector<Client> const databases{
    // of ports that the list names
    {"a database that speaks first", "/usr/bin/python3 -c \"$python_socket\" $name 5432", "peer=good"},
    {"redis-cli", "redis-cli -h $name -p 6379 PING", "PONG"},
};

/// Runs them all for each name; what each reached, by "CLIENT NAME".
std::string script_of(std::vector<Client> const& all, std::vector<std::string> const& names) {
    std::ostringstream script;
    script << "python_urllib=\"" << python_urllib << "\"\npython_socket=\"" << python_socket << "\"\n";
    for (auto const& name : names)
        for (auto const& client : all)
            script << "name=" << name << "\nprintf '%s\\t%s\\n' \"" << client.name << " $name\" \"$({ " << client.script
                   << "; } 2>/dev/null | grep -aoE 'peer=(good|evil)|PONG' | head -n 1)\"\n";
    return script.str();
}

test::Outcomes outcomes(std::string const& out) {
    test::Outcomes all;
    std::istringstream in(out);
    for (std::string line; std::getline(in, line);)
        all[line.substr(0, line.find('\t'))] = line.substr(line.find('\t') + 1);
    return all;
}

void check(WorldStage const& stage, std::vector<Client> const& all, std::vector<std::string> const& domains,
           std::string const& good) {
    auto const script = stage.write("given/clients.sh", script_of(all, {good, "evil.test"})).native();
    auto inside = outcomes(stage.reaching(domains, {"sh", script}).out);
    auto const seen = test::World::here().seen();
    CHECK(seen.evil() == std::vector<std::string>());
    static test::Outcomes outside; // the same for every backend and person
    if (!outside.contains(all[0].name + std::string(" evil.test"))) {
        auto const bare = stage.write("given/control.sh", script_of(all, {"evil.test"})).native();
        outside.merge(outcomes(stage.outside({"sh", bare}).out));
    }
    for (auto const& client : all) {
        CAPTURE(client.name);
        CHECK(inside[client.name + (" " + good)] == client.reached);
        CHECK(inside[client.name + std::string(" evil.test")].empty());
        if (std::string(client.script).find("-proxy") == std::string::npos) // there is none outside
            CHECK(outside[client.name + std::string(" evil.test")] == "peer=evil");
    }
}

} // namespace

TEST_CASE("clients reach an allowed name, whether they know of proxies or not, and no other") {
    test::World::here();
    for (auto const* const program : {"/usr/bin/curl", "/usr/bin/node", "/usr/bin/python3", "/usr/bin/openssl"})
        if (::access(program, X_OK) != 0) SKIP("there is no " << program);
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check(stage, clients, {"good.example"}, "good.example");
}

TEST_CASE("clients reach a name below a wildcard") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check(stage, {clients[0], clients[3], clients[10], clients[12]}, {"*.wild.example"}, "a.wild.example");
}

TEST_CASE("a database is reached at the ports that are named, by clients that know nothing of HTTP") {
    test::World::here();
    if (::access("/usr/bin/redis-cli", X_OK) != 0) SKIP("there is no redis-cli");
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check(stage, databases, {"db.example:5432", "db.example:6379"}, "db.example");
}

TEST_CASE("a name with a port has only that port, and a name without has not the ports of others") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::string const get = "GET / HTTP/1.1\r\nHost: db.example\r\n\r\n";
    check_attempts(stage, {"db.example:5432", "good.example"},
                   {test::by_tcp("HTTP of a database", "db.example", 80, get, "403|closed"),
                    test::by_tls("TLS of a database", "db.example", 443, "db.example",
                                 "closed|alert tlsv1_unrecognized_name|ConnectionResetError"),
                    test::by_connect("HTTP of a database through the proxy", "db.example:80", "403"),
                    test::by_tcp("a database at another name", "good.example", 5432, "", "closed|ConnectionResetError"),
                    test::by_tcp("a database at an address", "203.0.113.66", 5432, "", "closed|ConnectionResetError"),
                    test::by_connect("a database at another name, through the proxy", "good.example:5432", "403")});
}

TEST_CASE("the environment names the proxy, and only where something is allowed") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const script = "env | grep -i -e proxy | sort";
    auto const with = stage.reaching({"good.example"}, {"sh", "-c", script}).out;
    for (auto const* const name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
        CHECK(test::has(with, std::string(name) + "=http://127.0.0.1:3128"));
    for (auto const* const line :
         {"NO_PROXY=localhost,127.0.0.1,::1", "no_proxy=localhost,127.0.0.1,::1", "NODE_USE_ENV_PROXY=1"})
        CHECK(test::has(with, line));
    CHECK(stage.exec({}, {"sh", "-c", script}).out.empty());
}
