// The table of commands. One is listed here once it works.
#include "cli/command.hpp"

#include "base/log.hpp"
#include "cli/agent_commands.hpp"
#include "cli/candidates.hpp"
#include "cli/connect_commands.hpp"
#include "cli/host_commands.hpp"
#include "cli/record_commands.hpp"
#include "cli/server_commands.hpp"
#include "cli/vault_commands.hpp"

#include <algorithm>

namespace pfar::cli {
namespace {

std::vector<std::string> log_level_names() {
    auto const names = base::log_levels();
    return {names.begin(), names.end()};
}

/// All but those of groups.
std::vector<Command> single_commands() {
    return {
        {"allow",
         "let a server reach a domain",
         "Adds the domain to allowed_domains in the server's file and leaves everything else in it as it is. A domain "
         "is a host name, \"*.\" and a\n"
         "host name (every name below it, not itself), or an address; without a port it means 443 and 80.\n\n"
         "  pfar allow notion api.notion.com\n"
         "  pfar allow github '*.githubusercontent.com'\n"
         "  pfar allow postgres db.example.com:5432",
         {{"SERVER", true, false, server_names}, {"DOMAIN", true, false}},
         {json_option},
         run_allow},
        {"check",
         "find mistakes in server files and pfar.toml",
         "Reads pfar.toml and every server file of the project, of your home and of the system, and reports all "
         "mistakes with file, line and\n"
         "column, what is expected and how to put it right. Name servers or files to check only those. Nothing is "
         "started.\n\n"
         "A server file is ok, invalid, shadowed (another file of the same name comes first) or waits for `pfar "
         "trust`.",
         {{"SERVER|FILE", false, true, server_names, true}},
         {json_option},
         run_check},
        {"completion",
         "print the completion script for your shell",
         "Prints a script for bash, zsh or fish. To use it:\n\n"
         "  bash   pfar completion bash > ~/.local/share/bash-completion/completions/pfar\n"
         "  zsh    pfar completion zsh > \"${fpath[1]}/_pfar\"\n"
         "  fish   pfar completion fish > ~/.config/fish/completions/pfar.fish",
         {{"SHELL", true, false, shell_names}},
         {},
         run_completion},
        {"doctor",
         "find out what this machine can enforce, and how to mend what it cannot",
         "Tries every sandbox backend with a complete launch and tells which promises it keeps here: files, network, "
         "processes, environment, "
         "system\ncalls, limits. With --attack it runs the attack suite: every attempt bare, where it has to work, and "
         "inside, where it has "
         "to fail.",
         {},
         {{"attack", "", "run the attack suite (about a minute)"},
          {"backend", "NAME", "with --attack: only this backend", backend_names},
          {json_option}},
         run_doctor},
        {"exec",
         "run any command in a sandbox",
         "Runs the command with a root of its own: the system and the command's own code read-only, a private /tmp, no "
         "network but the domains\nthat you allow, none of your files but what you grant, and a minimal environment. "
         "Its input and output are yours, and so is its exit "
         "code. It starts in the current "
         "directory\nif that is granted, else in /tmp.\n\n"
         "  pfar exec -- node -p 'os.homedir()'\n"
         "  pfar exec --read . -- ls -la\n"
         "  pfar exec --allow-domain api.example.com -- curl https://api.example.com/\n"
         "  pfar exec --write ~/notes --memory 512m -- python3 tidy.py\n\n"
         "With --server it is the server of that file, in its own sandbox and with its credentials; a command behind "
         "-- runs in its place.\n\n"
         "  pfar exec --server notion\n"
         "  pfar exec --server notion -- env",
         {{"COMMAND", false, false, nullptr, true}, {"ARGUMENT", false, true, nullptr, true}},
         {{"allow-domain", "DOMAIN",
           "let it reach api.example.com, *.example.com or db.example.com:5432 (may be repeated)"},
          {"read", "PATH", "show a file or directory read-only (may be repeated)", nullptr, true},
          {"write", "PATH", "show it and let the command change it (may be repeated)", nullptr, true},
          {"env", "NAME,NAME", "pass variables of your environment on"},
          {"memory", "SIZE", "the limit for all its processes together, default 256m"},
          {"backend", "NAME", "the sandbox plugin: auto, bwrap, landlock or another", backend_names},
          {"server", "NAME", "run this server in the foreground, as its file says", server_names},
          {"tool", "TOOL", "with --server, of a stateless one: the process for this tool"},
          {"wait", "", "with --server: wait for credentials that are missing"}},
         run_exec,
         true},
        {"help",
         "explain a command",
         "The same as pfar COMMAND --help.",
         {{"COMMAND", false, false, command_names}, {"COMMAND", false, false}},
         {},
         run_help},
        {"plan",
         "show exactly what a server's sandbox will be",
         "Prints every path that the server will see and why, its network, the names of its environment, its limits, "
         "who it will be and the "
         "final\ncommand line. Nothing of it is started.",
         {{"SERVER", true, false, server_names}},
         {{"tool", "TOOL", "of a stateless server: the process for this tool"}, {json_option}},
         run_plan},
        {"plugins",
         "list the plugins, and which ones are chosen and why",
         "Lists the plugins that ship with pfar, those in $PFAR_HOME/plugins and those that pfar.toml names under "
         "plugins.paths. One marked\n"
         "with * is in use: named in pfar.toml, or chosen by trying. A file that is refused is listed with the reason.",
         {},
         {json_option},
         run_plugins},
        {"trust",
         "let a project's server files be used",
         "A project brings server files in .pfar/mcp, and a server file runs commands. So they are used only after you "
         "have seen and trusted\n"
         "them, each by its content: a file that changes waits for trust again. Shows what each file would run, then "
         "asks.",
         {{"DIRECTORY", false, false, nullptr, true}},
         {{"yes", "", "do not ask (needed where there is no terminal)"},
          {"list", "", "list what is trusted, in all projects"},
          {"remove", "", "take the project's files off the list"},
          {json_option}},
         run_trust},
    };
}

} // namespace

std::vector<Command> const& commands() {
    static std::vector<Command> const table = [] {
        auto all = single_commands();
        for (auto& command : vault_commands()) all.push_back(std::move(command));
        for (auto& command : server_commands()) all.push_back(std::move(command));
        for (auto& command : host_commands()) all.push_back(std::move(command));
        for (auto& command : agent_commands()) all.push_back(std::move(command));
        for (auto& command : connect_commands()) all.push_back(std::move(command));
        for (auto& command : record_commands()) all.push_back(std::move(command));
        return all;
    }();
    return table;
}

std::vector<Group> const& groups() {
    static std::vector<Group> const table{
        {"audit", "show the record, or: verify", "As pfar audit --help."},                             // a command too
        {"host", "run the host in the foreground, or: status, stop, restart", "As pfar host --help."}, // a command too
        {"tools", "list the tools, or: accept", "As pfar tools --help."},                              // likewise
        {"vault", "keep credentials, encrypted: set, list, remove, rename, import, change-key, status, lock, unlock",
         "A server file names a credential and never has it: [auth] TOKEN = \"vault:token\". Its value goes from the "
         "vault to that server's process\n"
         "when it starts, and nowhere else."}};
    return table;
}

Group const* find_group(std::string_view name) {
    auto const& all = groups();
    auto const found = std::find_if(all.begin(), all.end(), [&](auto const& group) { return group.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::vector<std::string_view> members(Group const& group) {
    std::vector<std::string_view> out;
    for (auto const& command : commands())
        if (command.name.starts_with(group.name) && command.name.substr(group.name.size()).starts_with(' '))
            out.push_back(command.name.substr(group.name.size() + 1));
    return out;
}

Command const* find_command(std::string_view name) {
    auto const& all = commands();
    auto const found = std::find_if(all.begin(), all.end(), [&](auto const& command) { return command.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::vector<Option> const& common_options() {
    static std::vector<Option> const options{
        {"help", "", "explain this command"},
        {"log", "LEVEL", "how much to log: trace, debug, info, warn, error, off", log_level_names}};
    return options;
}

} // namespace pfar::cli
