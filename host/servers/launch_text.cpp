// Every piece is put down with its length, so that no two specs can read the same.
#include "servers/launch_text.hpp"

#include <fmt/format.h>

namespace pfar::servers {
namespace {

class Text {
public:
    Text& add(std::string const& piece) {
        fmt::format_to(std::back_inserter(text_), "{}:{};", piece.size(), piece);
        return *this;
    }
    template <class Number> Text& number(Number value) { return add(std::to_string(static_cast<long long>(value))); }
    template <class List> Text& all(List const& list) {
        number(list.size());
        for (auto const& piece : list) add(piece);
        return *this;
    }
    template <class Piece> Text& maybe(std::optional<Piece> const& piece) {
        number(piece.has_value());
        return piece ? add(*piece) : *this;
    }
    Text& rights(Rights const& rights) {
        return number(rights.read | rights.create << 1 | rights.update << 2 | rights.remove << 3 | rights.execute << 4);
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

void add_auth(Text& text, std::vector<config::AuthValue> const& values) {
    text.number(values.size());
    for (auto const& value : values) {
        text.add(value.name).number(value.pieces.size());
        for (auto const& piece : value.pieces) text.number(piece.secret).add(piece.text);
    }
}

void add_sandbox(Text& text, config::SandboxSpec const& sandbox) {
    text.add(sandbox.backend).number(sandbox.memory_limit).number(sandbox.tmp_size).number(sandbox.pids_limit);
    text.number(sandbox.read_only_fs).number(sandbox.allow_tmp).number(sandbox.require.size());
    for (auto const promise : sandbox.require) text.number(static_cast<int>(promise));
}

void add_access(Text& text, std::optional<config::Access> const& access) {
    text.number(access.has_value());
    if (!access) return;
    text.number(access->files.size());
    for (auto const& file : access->files) text.add(file.path).rights(file.rights);
    text.number(access->commands.has_value());
    if (access->commands) text.all(*access->commands);
}

void add_limits(Text& text, SandboxPolicy const& policy) {
    auto const& limits = policy.limits;
    for (auto const limit : {limits.memory, limits.processes, limits.descriptors, limits.tmp_bytes, limits.shm_bytes})
        text.number(limit);
    text.number(policy.secret_bytes)
        .number(policy.no_unix_sockets)
        .number(policy.read_only_root)
        .number(policy.private_tmp);
    text.number(policy.require.size());
    for (auto const promise : policy.require) text.number(static_cast<int>(promise));
}

} // namespace

std::string launch_text(config::ServerSpec const& spec) {
    Text text;
    text.number(spec.stateful).number(static_cast<int>(spec.share)).number(spec.autostart).number(spec.state);
    text.number(spec.transparent).number(spec.require_sni).number(spec.pool);
    text.add(spec.server.command)
        .all(spec.server.args)
        .maybe(spec.server.cwd)
        .all(spec.server.code)
        .maybe(spec.server.socket);
    add_auth(text, spec.auth);
    add_auth(text, spec.auth_files);
    text.all(spec.env_pass).number(spec.env_set.size());
    for (auto const& [name, value] : spec.env_set) text.add(name).add(value);
    add_sandbox(text, spec.sandbox);
    add_access(text, spec.access);
    text.number(spec.timeouts.start.count()).number(spec.timeouts.call.count()).number(spec.timeouts.call_max.count());
    return text.take();
}

std::string policy_text(SandboxPolicy const& policy, Command const& command) {
    Text text;
    text.number(policy.grants.size());
    for (auto const& grant : policy.grants) text.add(grant.host).add(grant.inside).rights(grant.rights);
    text.number(policy.links.size());
    for (auto const& link : policy.links) text.add(link.inside).add(link.target);
    text.all(policy.masked).number(policy.commands.has_value());
    if (policy.commands) text.all(*policy.commands);
    text.number(policy.network.egress)
        .number(policy.network.transparent)
        .number(policy.network.proxy_port)
        .number(policy.network.ports.size());
    for (auto const port : policy.network.ports) text.number(port);
    add_limits(text, policy);
    text.add(command.program).all(command.args).add(command.cwd).number(command.environment.size());
    for (auto const& [name, value] : command.environment) text.add(name).add(value);
    return text.take();
}

} // namespace pfar::servers
