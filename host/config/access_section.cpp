// [access] and [tools.*]: what a process may touch, and the rule that this is declared where there is a process.
#include "config/sections.hpp"

#include "base/paths.hpp"

#include <algorithm>

namespace pfar::config {
namespace {

Rights read_rights(TableReader& grant) {
    Rights rights;
    rights.read = grant.flag("read", false);
    bool const write = grant.flag("write", false);
    rights.create = grant.flag("create", write);
    rights.update = grant.flag("update", write);
    rights.remove = grant.flag("delete", write);
    rights.execute = grant.flag("execute", false);
    return rights;
}

void check_grant(TableReader& grant, Text const& given, std::filesystem::path const& path, Reading const& reading) {
    check_outside_home(grant, given, path, reading, {false, false});
    std::error_code error;
    if (reading.context.look_around && !std::filesystem::exists(path, error))
        grant.findings().warning(given.where, {fmt::format("{} is not there", base::printable(path.native())), "",
                                               "make it, or remove the grant"});
}

std::optional<std::filesystem::path> read_grant_path(TableReader& grant, Reading const& reading) {
    auto const given = grant.text("path");
    if (!given) {
        if (!grant.has("path")) grant.missing("path", "{ path = \"~/notes\", read = true }");
        return {};
    }
    auto path = grant.accept(*given, expand_path(given->value, reading.path_variables, reading.context.base), "path");
    if (path) check_grant(grant, *given, *path, reading);
    return path;
}

void read_grants(TableReader& section, Reading const& reading, Access& access) {
    for (auto& grant : section.tables("fs")) {
        auto const rights = read_rights(grant);
        auto const path = read_grant_path(grant, reading);
        bool const all_known = grant.finish();
        if (all_known && path && !rights.read && !rights.writes() && !rights.execute)
            grant.findings().error(
                grant.where(),
                {"this grants nothing", "read, write, create, update, delete or execute", "add read = true"});
        if (!path) continue;
        bool const twice = std::any_of(access.files.begin(), access.files.end(),
                                       [&](auto const& other) { return other.path == *path; });
        if (twice)
            grant.findings().error(grant.where("path"), {base::printable(path->native()) + " is granted twice",
                                                         "one grant for each path", "join their rights in one line"});
        access.files.push_back({*path, rights});
    }
}

/// A tool narrows what its server has; it never adds. Nothing if the tool does not speak of it.
std::optional<std::vector<std::string>> narrowed(TableReader& table, std::string const& key,
                                                 std::vector<std::string> const& server_has) {
    if (!table.has(key)) return {};
    std::vector<std::string> names;
    for (auto const& given : table.texts(key)) {
        names.push_back(given.value);
        if (std::find(server_has.begin(), server_has.end(), given.value) == server_has.end())
            table.findings().error(given.where, {fmt::format("{}[{}] is nothing that the server itself has",
                                                             table.full_name(key), names.size() - 1),
                                                 "a tool may narrow what its server has, never widen it",
                                                 fmt::format("add it to [{}], or remove it here", key)});
    }
    return names;
}

void read_tool_domains(TableReader& table, ServerSpec const& spec, ToolAccess& access) {
    access.domains = read_domains(table, "domains");
    for (auto const& rule : *access.domains) {
        bool const allowed = std::any_of(spec.allowed_domains.begin(), spec.allowed_domains.end(),
                                         [&](auto const& wide) { return covers(wide, rule); });
        if (!allowed)
            table.findings().error(
                table.where("domains"),
                {fmt::format("{}: the server itself may not reach {}", table.full_name("domains"), to_text(rule)),
                 "a tool may narrow what its server has, never widen it",
                 fmt::format("add \"{}\" to allowed_domains, or remove it here", to_text(rule))});
    }
}

ToolAccess read_tool_access(TableReader& table, Reading const& reading, ServerSpec const& spec) {
    ToolAccess access{read_access(table, reading), {}, {}, {}};
    if (table.has("domains")) read_tool_domains(table, spec, access);
    auto env = spec.env_pass;
    for (auto const& [name, value] : spec.env_set) env.push_back(name);
    std::vector<std::string> auth;
    for (auto const& value : spec.auth) auth.push_back(value.name);
    access.env = narrowed(table, "env", env);
    access.auth = narrowed(table, "auth", auth);
    return access;
}

} // namespace

bool check_outside_home(TableReader& table, Text const& given, std::filesystem::path const& path,
                        Reading const& reading, HomeRule rule) {
    auto const real = [&](std::filesystem::path const& any) {
        std::error_code error;
        auto const resolved = reading.context.look_around ? std::filesystem::weakly_canonical(any, error) : any;
        return error ? any : resolved;
    };
    for (auto const& [there, home] :
         {std::pair{path, reading.context.home}, std::pair{real(path), real(reading.context.home)}}) {
        bool const allowed =
            rule.packages && base::lies_in(there, home / "mcp-servers") && there != home / "mcp-servers";
        bool const inside = base::lies_in(there, home) && !allowed;
        bool const above = rule.above && base::lies_in(home, there);
        if (!inside && !above) continue;
        table.findings().error(given.where, {fmt::format("{} {} pfar's own directory, which no server may see",
                                                         base::printable(given.value), inside ? "lies in" : "holds"),
                                             "a path outside " + base::printable(reading.context.home.native()),
                                             "what a server keeps for itself goes to its HOME; it needs no grant"});
        return false;
    }
    return true;
}

Access read_access(TableReader& section, Reading const& reading) {
    Access access;
    read_grants(section, reading, access);
    if (!section.has("commands")) return access;
    access.commands.emplace();
    for (auto const& given : section.texts("commands")) {
        access.commands->push_back(given.value);
        if (given.value.empty())
            section.findings().error(
                given.where, {"an empty command", "a program, such as \"git\"", "name it, or remove the quotes"});
    }
    return access;
}

void read_tools(TableReader& section, Reading const& reading, ServerSpec& spec) {
    for (auto const* const entry : section.entries()) {
        auto tool = section.table(entry->key);
        if (!tool) continue;
        ToolRules rules;
        rules.semantics = tool->word("semantics", base::semantics_words);
        rules.approve = tool->word("approve", base::approve_words);
        if (auto access = tool->table("access")) {
            if (!spec.stateful) { // on a stateful server this is a mistake as a whole: see check_honesty
                rules.access = read_tool_access(*access, reading, spec);
                access->finish();
            }
        }
        tool->finish();
        spec.tools.emplace(entry->key, std::move(rules));
    }
}

} // namespace pfar::config
