// Two lists: what starts a server anew when it changes, and what does not.
#include "servers/launch_text.hpp"

#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <set>

using namespace pfar;
using namespace pfar::servers;
using config::ServerSpec;

namespace {

ServerSpec some_spec() {
    ServerSpec spec;
    spec.name = "notes";
    spec.server.command = "node";
    spec.server.args = {"a", "b"};
    spec.auth = {{"TOKEN", {{true, "notes_token"}}, {}}};
    spec.auth_files = {{"key.json", {{true, "notes_key"}}, {}}};
    spec.env_pass = {"TZ"};
    spec.env_set = {{"A", "1"}};
    spec.access = config::Access{{{"/notes", {.read = true}}}, std::vector<std::string>{"git"}};
    spec.tools["search"].semantics = base::Semantics::read;
    spec.allowed_domains = {{"example.com", false, false, {}}};
    return spec;
}

struct Change {
    char const* what;
    std::function<void(ServerSpec&)> make;
};

std::vector<Change> changes_that_matter() {
    return {
        {"stateful", [](auto& s) { s.stateful = false; }},
        {"share", [](auto& s) { s.share = base::Share::session; }},
        {"autostart", [](auto& s) { s.autostart = false; }},
        {"state", [](auto& s) { s.state = false; }},
        {"transparent", [](auto& s) { s.transparent = false; }},
        {"require_sni", [](auto& s) { s.require_sni = false; }},
        {"pool", [](auto& s) { s.pool = 2; }},
        {"command", [](auto& s) { s.server.command = "python3"; }},
        {"args",
         [](auto& s) {
             s.server.args = {"a", "c"};
         }},
        {"args joined", [](auto& s) { s.server.args = {"ab"}; }},
        {"args swapped",
         [](auto& s) {
             s.server.args = {"b", "a"};
         }},
        {"args, one more", [](auto& s) { s.server.args.emplace_back(""); }},
        {"cwd", [](auto& s) { s.server.cwd = "/srv"; }},
        {"an empty cwd", [](auto& s) { s.server.cwd = ""; }},
        {"code", [](auto& s) { s.server.code = {"/opt/x"}; }},
        {"socket", [](auto& s) { s.server.socket = "s.sock"; }},
        {"auth: another entry", [](auto& s) { s.auth[0].pieces[0].text = "other"; }},
        {"auth: plain text of the same words", [](auto& s) { s.auth[0].pieces[0].secret = false; }},
        {"auth: another variable", [](auto& s) { s.auth[0].name = "KEY"; }},
        {"auth: one more piece",
         [](auto& s) {
             s.auth[0].pieces.push_back({false, "x"});
         }},
        {"auth: none", [](auto& s) { s.auth.clear(); }},
        {"auth.files", [](auto& s) { s.auth_files[0].name = "other.json"; }},
        {"auth.files: none", [](auto& s) { s.auth_files.clear(); }},
        {"a variable that becomes a file", [](auto& s) { s.auth_files.push_back(s.auth[0]), s.auth.clear(); }},
        {"env.pass", [](auto& s) { s.env_pass = {"LANG"}; }},
        {"env.set: value", [](auto& s) { s.env_set["A"] = "2"; }},
        {"env.set: name",
         [](auto& s) {
             s.env_set = {{"B", "1"}};
         }},
        {"backend", [](auto& s) { s.sandbox.backend = "bwrap"; }},
        {"require", [](auto& s) { s.sandbox.require = {Promise::files}; }},
        {"memory_limit", [](auto& s) { s.sandbox.memory_limit += 1; }},
        {"tmp_size", [](auto& s) { s.sandbox.tmp_size += 1; }},
        {"pids_limit", [](auto& s) { s.sandbox.pids_limit += 1; }},
        {"read_only_fs", [](auto& s) { s.sandbox.read_only_fs = false; }},
        {"allow_tmp", [](auto& s) { s.sandbox.allow_tmp = false; }},
        {"access: none", [](auto& s) { s.access.reset(); }},
        {"access: nothing", [](auto& s) { s.access = config::Access{}; }},
        {"access: another path", [](auto& s) { s.access->files[0].path = "/other"; }},
        {"access: create", [](auto& s) { s.access->files[0].rights.create = true; }},
        {"access: update", [](auto& s) { s.access->files[0].rights.update = true; }},
        {"access: remove", [](auto& s) { s.access->files[0].rights.remove = true; }},
        {"access: execute", [](auto& s) { s.access->files[0].rights.execute = true; }},
        {"access: no read", [](auto& s) { s.access->files[0].rights.read = false; }},
        {"commands: any", [](auto& s) { s.access->commands.reset(); }},
        {"commands: none", [](auto& s) { s.access->commands->clear(); }},
        {"commands: another", [](auto& s) { s.access->commands = {"make"}; }},
        {"timeouts.start", [](auto& s) { s.timeouts.start += std::chrono::milliseconds(1); }},
        {"timeouts.call", [](auto& s) { s.timeouts.call += std::chrono::milliseconds(1); }},
        {"timeouts.call_max", [](auto& s) { s.timeouts.call_max += std::chrono::milliseconds(1); }},
    };
}

std::vector<Change> changes_that_do_not() {
    return {
        {"description", [](auto& s) { s.description = "other"; }},
        {"label", [](auto& s) { s.label = base::Label::secret; }},
        {"taint", [](auto& s) { s.taint = base::Taint::clean; }},
        {"tools", [](auto& s) { s.tools["other"].approve = base::Approve::always; }},
        {"allowed_domains", [](auto& s) { s.allowed_domains.clear(); }},
        {"allow_private", [](auto& s) { s.allow_private = s.allowed_domains; }},
        {"where a value stands in the file", [](auto& s) { s.auth[0].where.line += 7; }},
    };
}

SandboxPolicy some_policy() {
    SandboxPolicy policy;
    policy.grants = {{"/a", "/a", {.read = true}, "grant"}};
    policy.links = {{"/bin", "usr/bin"}};
    policy.masked = {"/a/m"};
    return policy;
}

} // namespace

TEST_CASE("each change of a file that a running process cannot take up changes its launch text, each in its own way") {
    std::set<std::string> texts{launch_text(some_spec())};
    for (auto const& change : changes_that_matter()) {
        INFO(change.what);
        auto spec = some_spec();
        change.make(spec);
        CHECK(texts.insert(launch_text(spec)).second);
    }
}

TEST_CASE("what is read anew at every call does not change the launch text") {
    for (auto const& change : changes_that_do_not()) {
        INFO(change.what);
        auto spec = some_spec();
        change.make(spec);
        CHECK(launch_text(spec) == launch_text(some_spec()));
    }
}

TEST_CASE("no piece can be written so that it reads like two") {
    auto one = some_spec(), two = some_spec();
    one.server.args = {"x;1:y"};
    two.server.args = {"x", "y"};
    CHECK(launch_text(one) != launch_text(two));
    one.server.args = {"1:a;1:b"};
    two.server.args = {"a", "b"};
    CHECK(launch_text(one) != launch_text(two));
}

TEST_CASE("policies that allow anything else have other texts") {
    Command const command{"/usr/bin/node", {"x"}, "/", {{"A", "1"}}};
    std::set<std::string> texts{policy_text(some_policy(), command)};
    auto const differs = [&](std::function<void(SandboxPolicy&)> const& change) {
        auto policy = some_policy();
        change(policy);
        return texts.insert(policy_text(policy, command)).second;
    };
    CHECK(differs([](auto& p) { p.grants[0].rights.update = true; }));
    CHECK(differs([](auto& p) { p.grants[0].inside = "/b"; }));
    CHECK(differs([](auto& p) { p.grants[0].host = "/b"; }));
    CHECK(differs([](auto& p) { p.grants.clear(); }));
    CHECK(differs([](auto& p) { p.links.clear(); }));
    CHECK(differs([](auto& p) { p.masked.clear(); }));
    CHECK(differs([](auto& p) { p.commands.emplace(); }));
    CHECK(differs([](auto& p) { p.network.egress = true; }));
    CHECK(differs([](auto& p) { p.network.transparent = true; }));
    CHECK(differs([](auto& p) { p.network.ports = {5432}; }));
    CHECK(differs([](auto& p) { p.limits.memory = 1; }));
    CHECK(differs([](auto& p) { p.limits.tmp_bytes = 1; }));
    CHECK(differs([](auto& p) { p.secret_bytes = 1; }));
    CHECK(differs([](auto& p) { p.no_unix_sockets = true; }));
    CHECK(differs([](auto& p) { p.read_only_root = false; }));
    CHECK(differs([](auto& p) { p.private_tmp = false; }));
    CHECK(differs([](auto& p) { p.require = {Promise::files}; }));
    CHECK_FALSE(differs([](auto& p) { p.grants[0].why = "for another reason"; }));
    for (auto const& other :
         {Command{"/usr/bin/node", {"y"}, "/", {{"A", "1"}}}, Command{"/usr/bin/node", {"x"}, "/tmp", {{"A", "1"}}},
          Command{"/usr/bin/node", {"x"}, "/", {{"A", "2"}}}, Command{"/usr/bin/python3", {"x"}, "/", {{"A", "1"}}}})
        CHECK(texts.insert(policy_text(some_policy(), other)).second);
}
