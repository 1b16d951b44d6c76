// What was fetched at every start is known by its package, everything else by its command; then arguments and the names of variables decide, as far as
// importing leaves those alone.
#include "house/imported_before.hpp"

#include "base/files.hpp"
#include "config/launcher.hpp"
#include "house/client_env_file.hpp"
#include "house/registries.hpp"
#include "house/rewrite.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using Line = std::span<std::string const>;

constexpr int most_of_a_name = 100;
constexpr std::size_t most_facts = 64U << 10U;

/// The first, second, ... name that an import may give.
std::string import_name(std::string const& name, int number) {
    auto const wanted = config::near_server_name(name);
    auto const near = wanted.empty() ? std::string("server") : wanted;
    return number == 1 ? near : fmt::format("{}-{}", near.substr(0, 17), number);
}

bool has_file(House const& house, std::string const& server) {
    std::error_code error;
    return fs::exists(house.places.home / "mcp" / (server + ".toml"), error);
}

/// By what its install has left: the last of what starts the package, behind which the server's own arguments begin. Empty: another package, or none.
std::string entry_of_package(House const& house, std::string const& server, config::Fetched const& fetched) {
    auto const text = base::read_file(house.places.home / "mcp-servers" / server / "pfar-package.json", most_facts);
    boost::system::error_code bad;
    auto const facts = text ? json::parse(*text, bad) : json::value();
    if (bad || !facts.is_object()) return "";
    auto const word = [&](char const* key) {
        auto const* const found = facts.get_object().if_contains(key);
        return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
    };
    bool const is_it = word("source") == (fetched.python ? "pypi" : "npm") && word("name") == fetched.package;
    return is_it ? word("entry") : "";
}

/// What is filled in is not compared, and a path may be written in full by now.
bool is_the_same(std::string const& wanted, std::string const& there) {
    auto const relative = wanted.starts_with("./") || wanted.starts_with("~/") ? wanted.substr(2) : wanted;
    return wanted.find("${") != std::string::npos || wanted == there ||
           (!relative.starts_with('/') && there.ends_with("/" + relative));
}

bool are_the_same(Line wanted, Line there) {
    return std::equal(wanted.begin(), wanted.end(), there.begin(), there.end(), is_the_same);
}

bool starts_the_same(House const& house, config::ServerSpec const& there, config::ClientServer const& wanted,
                     std::optional<config::Fetched> const& fetched) {
    auto const& [command, args] = std::tie(there.server.command, there.server.args);
    if (!fetched) return is_the_same(wanted.command, command) && are_the_same(wanted.args, args);
    auto const entry = entry_of_package(house, there.name, *fetched);
    if (entry.empty()) return false;
    if (entry == command) return are_the_same(fetched->args, args);
    auto const found = std::find(args.begin(), args.end(), entry);
    return found != args.end() && are_the_same(fetched->args, Line(found + 1, args.end()));
}

/// But for those that the registry gives to every server of that package.
bool has_the_same_variables(House const& house, config::ServerSpec const& there, std::set<std::string> const& wanted,
                            std::optional<config::Fetched> const& fetched) {
    std::set<std::string> more;
    for (auto const& [name, value] : there.env_set) more.insert(name);
    for (auto const& value : there.auth) more.insert(value.name);
    for (auto const& name : wanted)
        if (more.erase(name) == 0) return false;
    if (more.empty() || !fetched) return more.empty();
    auto const source = fetched->python ? Package::Source::pypi : Package::Source::npm;
    for (auto const& server : known_of(house, {source, fetched->package, "", ""}))
        for (auto const& [name, value] : server.environment) more.erase(name);
    return more.empty();
}

} // namespace

std::string imported_before(House const& house, config::ClientServer const& wanted, std::string const& name,
                            std::optional<fs::path> const& project) {
    auto const fetched = config::fetched_package(wanted.command, wanted.args);
    std::optional<std::set<std::string>> variables;
    for (int number = 1; number < most_of_a_name; ++number) {
        auto const server = import_name(name, number);
        if (!has_file(house, server)) continue;
        auto const found = find_file(house, server);
        if (!found || !found->spec || !starts_the_same(house, *found->spec, wanted, fetched)) continue;
        if (!variables) variables = client_variables(wanted, house.places, project);
        if (has_the_same_variables(house, *found->spec, *variables, fetched)) return server;
    }
    return "";
}

std::string free_import_name(House const& house, std::string const& name) {
    int number = 1;
    while (number < most_of_a_name && has_file(house, import_name(name, number))) ++number;
    return import_name(name, number);
}

} // namespace pfar::house
