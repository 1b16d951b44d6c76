// What was fetched at every start is known by its package, everything else by its command and arguments, as far as importing leaves those alone.
#include "house/imported_before.hpp"

#include "base/files.hpp"
#include "config/launcher.hpp"
#include "house/rewrite.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

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

/// By what its install has left.
bool is_of_package(House const& house, std::string const& server, config::Fetched const& fetched) {
    auto const text = base::read_file(house.places.home / "mcp-servers" / server / "pfar-package.json", most_facts);
    boost::system::error_code bad;
    auto const facts = text ? json::parse(*text, bad) : json::value();
    if (bad || !facts.is_object()) return false;
    auto const is = [&](char const* key, std::string const& value) {
        auto const* const found = facts.get_object().if_contains(key);
        return found != nullptr && found->is_string() && std::string_view(found->get_string()) == value;
    };
    return is("source", fetched.python ? "pypi" : "npm") && is("name", fetched.package);
}

/// What is filled in is not compared, and a path may be written in full by now.
bool is_the_same(std::string const& wanted, std::string const& there) {
    auto const relative = wanted.starts_with("./") || wanted.starts_with("~/") ? wanted.substr(2) : wanted;
    return wanted.find("${") != std::string::npos || wanted == there ||
           (!relative.starts_with('/') && there.ends_with("/" + relative));
}

bool is_command(House const& house, std::string const& server, config::ClientServer const& wanted) {
    auto const found = find_file(house, server);
    if (!found || !found->spec) return false;
    auto const& there = found->spec->server;
    return is_the_same(wanted.command, there.command) &&
           std::equal(wanted.args.begin(), wanted.args.end(), there.args.begin(), there.args.end(), is_the_same);
}

} // namespace

std::string imported_before(House const& house, config::ClientServer const& wanted, std::string const& name) {
    auto const fetched = config::fetched_package(wanted.command, wanted.args);
    for (int number = 1; number < most_of_a_name; ++number) {
        auto const server = import_name(name, number);
        if (!has_file(house, server)) continue;
        if (fetched ? is_of_package(house, server, *fetched) : is_command(house, server, wanted)) return server;
    }
    return "";
}

std::string free_import_name(House const& house, std::string const& name) {
    int number = 1;
    while (number < most_of_a_name && has_file(house, import_name(name, number))) ++number;
    return import_name(name, number);
}

} // namespace pfar::house
