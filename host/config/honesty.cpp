// The honesty rule. One process serves all tools of a stateful server, so "tool A may only read" would be a lie there;
// a stateless server has no lasting process that a server-wide grant could belong to. Either way the message gives the lines to write.
#include "config/sections.hpp"

#include "base/text.hpp"

namespace pfar::config {
namespace {

/// `key = value` for the keys that mean the same in both places.
std::string lines_of(TableReader& access) {
    std::string lines;
    for (auto const* const entry : access.entries())
        if (entry->key == "fs" || entry->key == "commands")
            lines += fmt::format("\n    {} = {}", entry->key, base::printable(to_toml(entry->value)));
    return lines.empty() ? "\n    fs = [{ path = \"~/notes\", read = true }]" : lines;
}

std::string domains_of(TableReader& access) {
    for (auto const* const entry : access.entries())
        if (entry->key == "domains")
            return fmt::format("\n    allowed_domains = {}    # at the top of the file",
                               base::printable(to_toml(entry->value)));
    return {};
}

void refuse_tool_access(TableReader& tool, std::string const& tool_name) {
    auto access = tool.table("access");
    if (!access) return;
    tool.findings().error(
        access->where(),
        {fmt::format("tools.{}.access cannot be enforced: a stateful server is one process for all its tools",
                     base::printable(tool_name)),
         "access for the server as a whole, or a server that is not stateful",
         fmt::format("declare it for the whole server:{}\n    [access]{}\nor give each call a process of its own:\n    "
                     "stateful = false    # at the top of the file",
                     domains_of(*access), lines_of(*access))});
}

void refuse_server_access(TableReader& root, ServerSpec const& spec) {
    auto access = root.table("access");
    if (!access) return;
    std::string sections;
    auto const lines = lines_of(*access);
    for (auto const& [name, rules] : spec.tools)
        sections += fmt::format("\n    [tools.{}.access]{}", base::printable(key_text(name)), lines);
    if (sections.empty()) sections = "\n    [tools.NAME.access]    # for each tool that needs it" + lines;
    root.findings().error(
        access->where(),
        {"[access] cannot be enforced: a stateless server has no process of its own, only one for each call",
         "access for each tool, or a server that is stateful",
         fmt::format("declare it for each tool:{}\nor keep one process for all calls:\n    stateful = true    # at the "
                     "top of the file",
                     sections)});
}

} // namespace

void check_honesty(TableReader& root, ServerSpec const& spec) {
    if (!spec.stateful) return refuse_server_access(root, spec);
    auto tools = root.has("tools") ? root.table("tools") : std::nullopt;
    if (!tools) return;
    for (auto const* const entry : tools->entries()) {
        if (!std::holds_alternative<Table>(entry->value.value)) continue;
        if (auto tool = tools->table(entry->key)) refuse_tool_access(*tool, entry->key);
    }
}

} // namespace pfar::config
