#include "config/write_server.hpp"

#include "config/document.hpp"
#include "config/toml_string.hpp"

#include <fmt/format.h>

namespace pfar::config {
namespace {

std::string in_toml(std::string const& text) {
    return to_toml(Node{{}, text});
}

std::string list_of(std::vector<std::string> const& texts) {
    Array items;
    for (auto const& text : texts) items.push_back({{}, text});
    auto const line = to_toml(Node{{}, std::move(items)});
    if (line.size() <= 100) return line;
    std::string out = "[\n";
    for (auto const& text : texts) out += fmt::format("    {},\n", in_toml(text));
    return out + "]";
}

std::string size_text(std::uint64_t bytes) {
    if (bytes % (1U << 30U) == 0) return fmt::format("{}g", bytes >> 30U);
    if (bytes % (1U << 20U) == 0) return fmt::format("{}m", bytes >> 20U);
    return bytes % (1U << 10U) == 0 ? fmt::format("{}k", bytes >> 10U) : std::to_string(bytes);
}

std::string top_level(ServerSpec const& spec) {
    ServerSpec const usual;
    auto out = fmt::format("name = {}\n", in_toml(spec.name));
    auto const word = [&](char const* key, std::string_view value) { out += fmt::format("{} = \"{}\"\n", key, value); };
    if (!spec.description.empty()) out += fmt::format("description = {}\n", in_toml(spec.description));
    if (spec.label != usual.label) word("label", base::word_for(base::label_words, spec.label));
    std::vector<std::string> domains;
    for (auto const& rule : spec.allowed_domains) domains.push_back(to_text(rule));
    out += fmt::format("allowed_domains = {}   # {}\n", list_of(domains),
                       domains.empty() ? fmt::format("it reaches nothing; pfar allow {} DOMAIN adds one", spec.name)
                                       : "everything else is out of reach");
    if (!spec.stateful) out += "stateful = false   # a fresh process for each call\n";
    if (spec.share != usual.share) out += "share = \"session\"   # a process of its own for each agent\n";
    if (!spec.autostart) out += "autostart = false   # starts at the first call\n";
    if (spec.taint != usual.taint) word("taint", base::word_for(base::taint_words, spec.taint));
    return out;
}

std::string server_section(LaunchSpec const& server) {
    auto out = fmt::format("\n[server]\ncommand = {}\n", in_toml(server.command));
    if (!server.args.empty()) out += fmt::format("args = {}\n", list_of(server.args));
    if (server.cwd) out += fmt::format("cwd = {}\n", in_toml(plain_text(server.cwd->native(), false)));
    std::vector<std::string> code;
    for (auto const& path : server.code) code.push_back(plain_text(path.native(), false));
    if (!code.empty()) out += fmt::format("code = {}\n", list_of(code));
    return out;
}

std::string auth_section(std::vector<AuthValue> const& auth) {
    if (auth.empty()) return "";
    std::string out = "\n[auth]   # from the vault, when it starts\n";
    for (auto const& value : auth) {
        std::string text;
        bool const alone = value.pieces.size() == 1 && value.pieces[0].secret;
        for (auto const& piece : value.pieces)
            text += !piece.secret ? piece.text : alone ? "vault:" + piece.text : "${vault:" + piece.text + "}";
        out += fmt::format("{} = {}\n", key_text(value.name), in_toml(text));
    }
    return out;
}

std::string env_section(ServerSpec const& spec) {
    std::string out;
    if (!spec.env_pass.empty()) out += fmt::format("\n[env]\npass = {}\n", list_of(spec.env_pass));
    if (spec.env_set.empty()) return out;
    out += "\n[env.set]\n";
    for (auto const& [name, value] : spec.env_set) out += fmt::format("{} = {}\n", key_text(name), in_toml(value));
    return out;
}

std::string grant_line(FileGrant const& grant) {
    auto out = fmt::format("    {{ path = {}", in_toml(plain_text(grant.path.native(), false)));
    if (grant.rights.read) out += ", read = true";
    if (grant.rights.writes()) out += ", write = true";
    if (grant.rights.execute) out += ", execute = true";
    return out + " },\n";
}

std::string access_section(std::optional<Access> const& access) {
    if (!access || access->files.empty()) return "";
    std::string out = "\n[access]\nfs = [\n";
    for (auto const& grant : access->files) out += grant_line(grant);
    return out + "]\n";
}

std::string tools_section(std::map<std::string, ToolRules> const& tools) {
    std::string out;
    for (auto const& [name, rules] : tools)
        if (rules.semantics)
            out += fmt::format("\n[tools.{}]\nsemantics = \"{}\"\n", key_text(name),
                               base::word_for(base::semantics_words, *rules.semantics));
    return out;
}

/// The value of server.command.
Node* command_of(Document& document) {
    for (auto& entry : document.root) {
        auto* const table = entry.key == "server" ? std::get_if<Table>(&entry.value.value) : nullptr;
        if (table == nullptr) continue;
        for (auto& inner : *table)
            if (inner.key == "command" && std::holds_alternative<std::string>(inner.value.value)) return &inner.value;
    }
    return nullptr;
}

} // namespace

std::string write_server(ServerSpec const& spec) {
    auto out = top_level(spec) + server_section(spec.server) + auth_section(spec.auth) + env_section(spec);
    if (spec.sandbox.memory_limit != SandboxSpec{}.memory_limit)
        out += fmt::format("\n[sandbox]\nmemory_limit = \"{}\"\n", size_text(spec.sandbox.memory_limit));
    return out + access_section(spec.access) + tools_section(spec.tools);
}

bool is_known_variable(std::string_view text) {
    return text.starts_with("${PFAR_HOME}") || text.starts_with("${auth.files}") || text.starts_with("${socket}");
}

std::string plain_text(std::string_view text, bool keep_known) {
    std::string out;
    for (auto at = text.find("${"); at != std::string_view::npos; at = text.find("${")) {
        auto const rest = text.substr(at);
        bool const known = keep_known && is_known_variable(rest);
        out.append(text.substr(0, at)).append(known ? "${" : "$${");
        text.remove_prefix(at + 2);
    }
    return out.append(text);
}

std::optional<std::string> with_command(std::string const& text, std::string const& command) {
    auto meant = read_document(Source(text));
    auto* const node = command_of(meant);
    if (!meant.whole || node == nullptr) return {};
    std::size_t begin = 0;
    for (std::uint32_t line = 1; line < node->where.line; ++line) begin = text.find('\n', begin) + 1;
    begin = text.find_first_of("\"'", begin); // usually its own; what it was not is found out below
    auto const end = begin == std::string::npos ? begin : string_end(text, begin);
    if (end == std::string::npos || end >= text.size()) return {};
    auto out = text;
    out.replace(begin, end + 1 - begin, in_toml(command));
    node->value = command;
    auto now = read_document(Source(out));
    bool const as_meant = now.whole && to_toml({{}, std::move(now.root)}) == to_toml({{}, std::move(meant.root)});
    return as_meant ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace pfar::config
