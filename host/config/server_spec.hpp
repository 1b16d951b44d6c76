// ServerSpec: one server file (mcp/NAME.toml), checked. Everything that follows works from this and never from TOML.
#pragma once

#include "base/terms.hpp"
#include "config/domain_rule.hpp"
#include "config/mistake.hpp"

#include <pfar/sandbox_policy.hpp>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pfar::config {

/// A piece of an [auth] value: plain text, or the name of a vault entry whose value goes in its place.
struct AuthPiece {
    bool secret;
    std::string text;
};

/// A variable (or file) and what is put into it at spawn.
struct AuthValue {
    std::string name;
    std::vector<AuthPiece> pieces;
    Where where{}; // of the value
};

struct FileGrant {
    std::filesystem::path path; // absolute; symlinks not yet resolved
    Rights rights;
};

struct Access {
    std::vector<FileGrant> files;
    std::optional<std::vector<std::string>> commands; // none: whatever it likes
};

/// [tools.X.access]: what is not given is as for the server as a whole; files are never inherited.
struct ToolAccess : Access {
    std::optional<std::vector<DomainRule>> domains;
    std::optional<std::vector<std::string>> env, auth;
};

struct ToolRules {
    std::optional<base::Semantics> semantics;
    std::optional<base::Approve> approve;
    std::optional<ToolAccess> access;
};

struct LaunchSpec {
    std::string command;           // absolute, or a bare name to look up
    std::vector<std::string> args; // may have ${PFAR_HOME} and ${auth.files}: see expand()
    std::optional<std::filesystem::path> cwd;
    std::vector<std::filesystem::path> code;
    std::optional<std::string> socket; // a file name: the server speaks on this Unix socket instead of stdio
};

struct SandboxSpec {
    std::string backend = "auto";
    std::vector<Promise> require{Promise::files, Promise::network, Promise::environment};
    std::uint64_t memory_limit = 256U << 20U, tmp_size = 64U << 20U;
    std::int64_t pids_limit = 256;
    bool read_only_fs = true, allow_tmp = true;
};

struct Timeouts {
    std::chrono::milliseconds start = std::chrono::seconds(30), call = std::chrono::seconds(120),
                              call_max = std::chrono::minutes(30);
};

struct ServerSpec {
    std::string name, description;
    base::Label label = base::Label::internal;
    base::Taint taint = base::Taint::raw;
    base::Share share = base::Share::host;
    bool stateful = true, autostart = true, state = true, transparent = true, require_sni = true;
    std::int64_t pool = 1;
    std::vector<DomainRule> allowed_domains, allow_private;
    LaunchSpec server;
    std::vector<AuthValue> auth, auth_files;
    std::vector<std::string> env_pass;
    std::map<std::string, std::string> env_set; // may have variables, as args
    SandboxSpec sandbox;
    std::optional<Access> access;
    std::map<std::string, ToolRules> tools;
    Timeouts timeouts;
};

} // namespace pfar::config
