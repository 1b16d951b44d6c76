// Every shipped template against the package registry: the name, that very version, and the program in it exist.
#include "known_servers.hpp"
#include "support/process.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

#include <map>
#include <set>
#include <sstream>

namespace {

namespace json = boost::json;

std::vector<pfar::KnownServer> npm_servers() {
    pfar::registry_known::KnownServers registry;
    pfar::PluginContext context;
    context.share = PFAR_BUILD "/share/pfar";
    context.home = "/nonexistent";
    REQUIRE(registry.configure(context));
    auto list = registry.list().value();
    std::erase_if(list, [](auto const& server) { return server.package.source != pfar::Package::Source::npm; });
    return list;
}

std::string spec_of(pfar::KnownServer const& server) {
    return server.package.name + "@" + server.package.version;
}

/// What the registry says of each, six at a time; of what it does not have, or when it cannot be reached, nothing.
std::map<std::string, json::object> looked_up(std::set<std::string> const& specs) {
    std::string input;
    for (auto const& spec : specs) input += spec + "\n";
    std::string const options = " --json --fetch-retries=1 --fetch-retry-mintimeout=500 --fetch-timeout=15000";
    auto const one = "echo \"$1 $(npm view \"$1\" name version bin" + options + R"sh( 2>/dev/null | tr -d '\n')")sh";
    auto const said =
        test::run({{"xargs", "-P", "6", "-I", "SPEC", "sh", "-c", one, "sh", "SPEC"}, {}, "/", input, 0, 55});
    std::map<std::string, json::object> found;
    std::istringstream lines(said.out);
    for (std::string line; std::getline(lines, line);) {
        auto const space = line.find(' ');
        boost::system::error_code error;
        auto const value = json::parse(line.substr(space + 1), error);
        if (!error && value.is_object() && value.as_object().contains("version"))
            found[line.substr(0, space)] = value.as_object();
    }
    return found;
}

std::string last_part(std::string const& path) {
    return path.substr(path.rfind('/') + 1);
}

/// As npm links them: a bin that is one file is called like the package, and a scope is dropped.
std::set<std::string> programs_in(json::object const& package) {
    auto const* const bin = package.if_contains("bin");
    if (bin == nullptr) return {};
    if (bin->is_string()) return {last_part(std::string(package.at("name").as_string()))};
    std::set<std::string> names;
    for (auto const& [name, file] : bin->as_object()) names.insert(last_part(std::string(name)));
    return names;
}

} // namespace

TEST_CASE("every shipped template names a package, a version and a program that npm has") {
    auto const servers = npm_servers();
    CHECK(servers.size() >= 45);
    std::set<std::string> specs;
    for (auto const& server : servers) specs.insert(spec_of(server));
    auto const found = looked_up(specs);
    if (found.empty()) SKIP("npm, or the registry behind it, cannot be reached");

    for (auto const& server : servers) {
        INFO(server.name << ": " << spec_of(server) << ", " << server.package.entry);
        auto const package = found.find(spec_of(server));
        CHECK(package != found.end());
        if (package == found.end()) continue;
        CHECK(package->second.at("name").as_string() == server.package.name);
        CHECK(package->second.at("version").as_string() == server.package.version);
        CHECK(programs_in(package->second).contains(server.package.entry));
    }
}
