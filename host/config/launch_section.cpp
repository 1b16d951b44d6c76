// [server], [env] and lists of domains.
#include "config/secret_look.hpp"
#include "config/sections.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace pfar::config {
namespace {

bool is_on_path(std::string const& command) {
    char const* const path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
    while (!rest.empty()) {
        auto const colon = rest.find(':');
        auto const candidate = std::filesystem::path(rest.substr(0, colon)) / command;
        if (candidate.is_absolute() && ::access(candidate.c_str(), X_OK) == 0) return true;
        rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
    }
    return false;
}

void warn_if_missing(TableReader& table, Where where, std::filesystem::path const& path, std::string const& key) {
    std::error_code error;
    if (std::filesystem::exists(path, error)) return;
    table.findings().warning(where,
                             {fmt::format("{}: {} is not there", table.full_name(key), base::printable(path.native())),
                              "", "the server stays stopped until it is"});
}

void read_command(TableReader& section, Reading const& reading, LaunchSpec& launch) {
    auto const given = section.text("command");
    if (!given) {
        if (!section.has("command")) section.missing("command", "command = \"node\"");
        return;
    }
    bool const is_path = given->value.find('/') != std::string::npos;
    if (is_path || given->value.starts_with('~')) {
        auto const path =
            section.accept(*given, expand_path(given->value, reading.path_variables, reading.context.base), "command");
        launch.command = path.value_or("");
        if (path && reading.context.look_around) warn_if_missing(section, given->where, *path, "command");
    } else if (given->value.empty() || given->value.find_first_of(" \t\n") != std::string::npos) {
        section.findings().error(given->where,
                                 {"server.command is not one program", "the program alone: command = \"node\"",
                                  "put what follows it into args = [\"...\"]; there is no shell in between"});
    } else {
        launch.command = given->value;
        if (reading.context.look_around && !is_on_path(launch.command))
            section.findings().warning(
                given->where, {fmt::format("server.command: {} is not on the PATH", base::printable(launch.command)),
                               "", "install it, or write its absolute path"});
    }
}

void read_args(TableReader& section, Reading const& reading, LaunchSpec& launch) {
    for (auto const& given : section.texts("args")) {
        launch.args.push_back(given.value);
        auto const expanded = section.accept(given, expand(given.value, reading.variables), "args");
        if (given.value.find('\0') != std::string::npos)
            section.findings().error(given.where, {"server.args has a NUL byte", "text without NUL", "remove \\u0000"});
        else if (reading.context.look_around && expanded && expanded->starts_with('/'))
            warn_if_missing(section, given.where, *expanded, "args");
    }
}

} // namespace

std::vector<DomainRule> read_domains(TableReader& table, std::string const& key) {
    std::vector<DomainRule> rules;
    for (auto const& given : table.texts(key)) {
        auto rule = table.accept(given, parse_domain(given.value), key);
        if (!rule) continue;
        if (std::find(rules.begin(), rules.end(), *rule) != rules.end())
            table.findings().warning(
                given.where, {fmt::format("{} has {} twice", table.full_name(key), to_text(*rule)), "", "remove one"});
        rules.push_back(std::move(*rule));
    }
    return rules;
}

LaunchSpec read_launch(TableReader& section, Reading const& reading) {
    LaunchSpec launch;
    read_command(section, reading, launch);
    read_args(section, reading, launch);
    auto const path_of = [&](Text const& given, char const* key) {
        auto path = section.accept(given, expand_path(given.value, reading.path_variables, reading.context.base), key);
        HomeRule const rule{true, std::string_view(key) == "code"};
        if (path && check_outside_home(section, given, *path, reading, rule) && reading.context.look_around)
            warn_if_missing(section, given.where, *path, key);
        return path;
    };
    if (auto const cwd = section.text("cwd")) launch.cwd = path_of(*cwd, "cwd");
    for (auto const& code : section.texts("code"))
        if (auto path = path_of(code, "code")) launch.code.push_back(std::move(*path));
    if (auto const socket = section.text("socket")) {
        launch.socket = socket->value;
        if (socket->value.empty() || socket->value.find('/') != std::string::npos || socket->value.starts_with('.') ||
            socket->value.size() > 64)
            section.findings().error(socket->where,
                                     {"server.socket is not a file name", "a name without /, such as \"server.sock\"",
                                      "pfar puts it into a private directory"});
    }
    return launch;
}

void read_env(TableReader& section, Reading const& reading, ServerSpec& spec) {
    for (auto const& given : section.texts("pass"))
        if (auto name = section.accept(given, parse_passed(given.value), "pass"))
            spec.env_pass.push_back(std::move(*name));
    auto set = section.table("set");
    if (!set) return;
    for (auto const* const entry : set->entries()) {
        auto const name = set->accept(Text{entry->key, entry->where}, parse_variable(entry->key), entry->key);
        auto const given = set->text(entry->key);
        if (!name || !given) continue;
        auto expanded = expand(given->value, reading.variables);
        if (!expanded && looks_secret(*name))
            expanded = Wrong{"a ${...} in it is not known here", "${PFAR_HOME}, ${auth.files} or ${socket}",
                             "a plain ${ is written $${"};
        if (!set->accept(*given, std::move(expanded), entry->key)) continue;
        if (look_of(*name, given->value) == Look::secret)
            set->findings().warning(
                entry->where, {fmt::format("env.set.{} looks like a credential in plain text", *name), "",
                               fmt::format("keep it in the vault and write under [auth]: {} = \"vault:...\"", *name)});
        bool const twice =
            std::any_of(spec.auth.begin(), spec.auth.end(), [&](auto const& auth) { return auth.name == *name; });
        if (twice)
            set->findings().error(entry->where,
                                  {fmt::format("{} is set in [auth] too", *name), "one of the two", "remove it here"});
        spec.env_set.emplace(*name, given->value);
    }
}

} // namespace pfar::config
