// [access] belongs to a stateful server, a tool's access to a stateless one; the configuration has seen to that already.
#include "servers/server_wish.hpp"

#include "servers/server_socket.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "config/expand.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::servers {
namespace {

void add_grants(Wish& wish, config::Access const& access, std::string const& why) {
    for (auto const& file : access.files) wish.grants.push_back({file.path, file.rights, why});
    wish.commands = access.commands;
}

/// Nothing declared: a project's server has the project, another one its working directory.
void add_default(Wish& wish, config::SurveyedFile const& file) {
    if (file.found.origin == config::Origin::project) {
        wish.grants.push_back({file.found.base, everything, "the project"});
        wish.hidden.push_back(file.found.base / ".pfar");
    } else if (wish.cwd) {
        wish.grants.push_back({*wish.cwd, everything, "its cwd"});
    }
}

/// A tool may have less than its server, never more.
void narrow(Wish& wish, config::ToolAccess const& access, std::string const& why) {
    add_grants(wish, access, why);
    if (access.domains) wish.domains = *access.domains;
    auto const is_lost = [](std::vector<std::string> const& left, std::string const& name) {
        return std::find(left.begin(), left.end(), name) == left.end();
    };
    if (access.auth) {
        auto const lost = [&](auto const& value) { return is_lost(*access.auth, value.name); };
        std::erase_if(wish.auth, lost);
        std::erase_if(wish.auth_files, lost);
    }
    if (!access.env) return;
    std::erase_if(wish.env_pass, [&](auto const& name) { return is_lost(*access.env, name); });
    std::erase_if(wish.env_set, [&](auto const& variable) { return is_lost(*access.env, variable.first); });
}

Result<void> add_tool(Wish& wish, config::ServerSpec const& spec, std::string const& tool) {
    auto const found = spec.tools.find(tool);
    if (found == spec.tools.end())
        return fail(Errc::not_found, fmt::format("{} says nothing about a tool \"{}\"; its processes get no files",
                                                 spec.name, base::printable(tool)));
    if (found->second.access) narrow(wish, *found->second.access, fmt::format("tools.{} of {}", tool, spec.name));
    return {};
}

Result<std::vector<std::string>> expanded(std::vector<std::string> const& texts, config::Variables const& variables) {
    std::vector<std::string> out;
    for (auto const& text : texts) {
        auto value = config::expand(text, variables);
        if (!value) return fail(Errc::invalid, value.error().what);
        out.push_back(std::move(*value));
    }
    return out;
}

} // namespace

std::string slug_of(config::SurveyedFile const& file) {
    if (file.found.origin != config::Origin::project) return file.found.name;
    return fmt::format("{}@{}", file.found.name, base::sha256(file.identity.native()).substr(0, 8));
}

Result<Wish> server_wish(config::SurveyedFile const& file, std::filesystem::path const& pfar_home,
                         std::string const& tool) {
    auto const& spec = *file.spec;
    auto const socket = std::string(socket_inside) + "/" + spec.server.socket.value_or("");
    config::Variables const variables{
        {"PFAR_HOME", pfar_home.native()}, {"auth.files", secrets_inside}, {"socket", socket}};
    Wish wish;
    wish.name = spec.name;
    wish.command = spec.server.command;
    PFAR_TRY(args, expanded(spec.server.args, variables));
    wish.args = std::move(args);
    wish.code = spec.server.code;
    wish.cwd = spec.server.cwd;
    wish.cwd_if_granted = !spec.stateful; // a process that only lists has no files
    for (auto const& [name, text] : spec.env_set) {
        auto value = config::expand(text, variables);
        if (!value) return fail(Errc::invalid, value.error().what);
        wish.env_set.emplace(name, std::move(*value));
    }
    if (spec.server.socket) wish.env_set.emplace("PFAR_SOCKET", socket);
    wish.env_pass = spec.env_pass;
    wish.auth = spec.auth;
    wish.auth_files = spec.auth_files;
    wish.sandbox = spec.sandbox;
    wish.domains = spec.allowed_domains;
    wish.allow_private = spec.allow_private;
    wish.transparent = spec.transparent;
    wish.require_sni = spec.require_sni;
    if (spec.state) wish.state = pfar_home / "state" / slug_of(file);
    if (!tool.empty()) {
        PFAR_CHECK(add_tool(wish, spec, tool));
    } else if (spec.access) {
        add_grants(wish, *spec.access, "[access] of " + spec.name);
    } else if (spec.stateful) {
        add_default(wish, file);
    }
    return wish;
}

} // namespace pfar::servers
