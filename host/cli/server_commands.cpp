// The part of the table that is about server files.
#include "cli/server_commands.hpp"

#include "base/terms.hpp"
#include "cli/candidates.hpp"

namespace pfar::cli {
namespace {

template <class Words> std::vector<std::string> words_of(Words const& spelling) {
    std::vector<std::string> out;
    for (auto const& [word, meaning] : spelling) out.emplace_back(word);
    return out;
}

std::vector<std::string> label_names() {
    return words_of(base::label_words);
}

std::vector<std::string> taint_names() {
    return words_of(base::taint_words);
}

constexpr auto about_add =
    "Writes the server's file, mcp/NAME.toml in pfar's home. The command is looked up now and written with its full "
    "path; what follows it behind\n"
    "-- is the server's own. The server reaches no domain and sees no file that is not named here. A host that runs "
    "sees the file by itself.\n\n"
    "  pfar add notes --write ~/notes -- node ~/src/notes/server.js\n"
    "  pfar add notion --domain api.notion.com --secret NOTION_TOKEN -- notion-mcp-server\n"
    "  pfar add < snippet.json\n"
    "  pfar add github < snippet.json\n\n"
    "From stdin it takes the configuration of a client: {\"mcpServers\": {...}}, VS Code's {\"servers\": {...}}, or "
    "one "
    "server. Values that look\n"
    "secret go into the vault, and the file names them; all servers in it are added, or none. What fetches a package "
    "at "
    "every start (npx, uvx),\n"
    "containers and remote servers are refused, each with what to do instead.\n\n"
    "A credential is asked for by --secret, on the terminal or as a line of stdin for each; one that the vault has "
    "already is used. Its value is\n"
    "never taken from the command line.";

Command add_command() {
    return {
        "add",
        "add a server, by its command or from a client's configuration on stdin",
        about_add,
        {{"NAME", false, false}, {"-- COMMAND", false, false, nullptr, true}, {"ARGUMENT", false, true, nullptr, true}},
        {{"domain", "DOMAIN", "a domain that it may reach (may be repeated)"},
         {"secret", "VARIABLE", "a variable from the vault, or VARIABLE=entry (may be repeated)"},
         {"env", "NAME=VALUE", "a variable that is no secret (may be repeated)"},
         {"read", "PATH", "a file or directory that it may read (may be repeated)", nullptr, true},
         {"write", "PATH", "one that it may change too (may be repeated)", nullptr, true},
         {"cwd", "PATH", "where it starts; its own to change unless --read or --write say otherwise", nullptr, true},
         {"label", "LABEL", "how confidential what it returns is, default internal", label_names},
         {"taint", "TAINT", "what its outputs do to a session, default raw", taint_names},
         {"description", "TEXT", "what it is for"},
         {"memory", "SIZE", "its memory limit, default 256m"},
         {"stateless", "", "a fresh process for each call"},
         {"session", "", "a process of its own for each agent's session"},
         {"no-autostart", "", "start it at the first call"},
         {"project", "", "write it to .pfar/mcp of this project, and trust it"},
         {"force", "", "replace the file that is there; it is kept as NAME.toml.bak"},
         {"replace", "", "replace credentials that the vault has under the same names"},
         {"short", "", "take credentials under 8 bytes, which cannot be redacted safely"},
         {"dry-run", "", "print the file, and change nothing"},
         json_option},
        run_add,
        false,
        "that is not understood, and not repeated, because it may be a secret; the server's own options go behind "
        "--: pfar add NAME -- COMMAND --its-option"};
}

Command edit_command() {
    return {
        "edit",
        "change a server's file in your editor",
        "Opens a copy of the file in $VISUAL, $EDITOR, or an editor that is there. It takes the file's place only if "
        "it has no mistakes; if it has,\n"
        "they are shown, and you edit again or discard it. A command without a path is looked up and written with "
        "its full path. A project's file\n"
        "that was trusted stays trusted, because the change is yours.",
        {{"SERVER", true, false, server_names}},
        {},
        run_edit};
}

Command remove_command() {
    return {
        "remove",
        "remove a server",
        "Removes the server's file; a host that runs stops the server. What it kept in its HOME, its packages and its "
        "credentials stay, unless\n"
        "--purge says that they go too: state/NAME, mcp-servers/NAME, its log and cached tool list, and the vault's "
        "entries "
        "that no other file names.\n"
        "Asks first.",
        {{"SERVER", true, false, server_names}},
        {{"yes", "", "do not ask (needed where there is no terminal)"},
         {"purge", "", "remove what it leaves behind, too"},
         json_option},
        run_remove};
}

} // namespace

std::vector<Command> server_commands() {
    return {add_command(), edit_command(), remove_command()};
}

} // namespace pfar::cli
