// The part of the table that is about connecting.
#include "cli/connect_commands.hpp"

#include "cli/candidates.hpp"

namespace pfar::cli {

namespace {

std::vector<Option> conversation_options() {
    return {{"answer", "NAME=VALUE", "answers a question beforehand; not for secrets; may be repeated"},
            {"json", "", "print the outcome as JSON; the conversation goes to stderr"}};
}

} // namespace

std::vector<Command> connect_commands() {
    return {
        {"chat",
         "set servers up by talking, as long as you like",
         "Takes what people say: connect notion, add github, set up linear, connect to our tracker at "
         "tracker.example.com, rotate notion,\n"
         "disconnect notion, list, cancel, quit. From a pipe it takes a line for each phrase and for each answer.",
         {},
         {},
         run_chat},
        {"connect",
         "connect a service: find it, install it, take its credential, try it out",
         "Tells what will be installed and which domains it may reach, takes the credential without showing it, keeps "
         "it in the vault, installs the\n"
         "package (pinned, without its install scripts, in a sandbox that reaches only the package registry), writes "
         "the server's file, starts it and\n"
         "makes a harmless call. A credential that does not work is asked for again, three times; what fails or is "
         "cancelled is undone.\n\n"
         "What pfar does not know can be an npm or PyPI package, a command, or a host name: then it is pfar's own HTTP "
         "server, which reaches only that.\n\n"
         "From a pipe it takes a line of stdin for each answer, secrets too. Ends with 0 if it is connected, with 69 "
         "if it did not work, with 77 if\n"
         "it was cancelled, with 78 if there is a mistake in a script or a template of yours.\n\n"
         "  pfar connect notion\n"
         "  pfar connect @modelcontextprotocol/server-everything\n"
         "  pfar connect our tracker at tracker.example.com\n"
         "  pfar connect filesystem --answer folder=~/notes",
         {{"SERVICE", false, true, known_services}},
         {{"answer", "NAME=VALUE", "answers a question beforehand; not for secrets; may be repeated"},
          {"json", "", "print the outcome as JSON; the conversation goes to stderr"},
          {"for-agent", "", ""},
          {"clear", "", ""}},
         run_connect,
         false,
         "connect takes a service and --answer NAME=VALUE; a command with options of its own goes behind --, as in "
         "pfar "
         "connect -- npx -y PACKAGE; a credential is asked for and never taken from the command line"},
        {"disconnect",
         "disconnect a service: its file, its package, its data and, if you like, its credential",
         "Asks first, and whether its credential goes too. What fails or is cancelled is undone. pfar remove takes a "
         "server's file away and leaves the rest.\n\n"
         "  pfar disconnect notion\n"
         "  pfar disconnect notion --answer sure=yes --answer forget=no",
         {{"SERVER", true, false, server_names}},
         conversation_options(),
         run_disconnect},
        {"rotate",
         "give a service a new credential, and try it out",
         "Takes it without showing it. One that does not work is asked for again, three times; then the old one comes "
         "back.\n\n"
         "  pfar rotate notion",
         {{"SERVER", true, false, server_names}},
         conversation_options(),
         run_rotate},
        {"import",
         "take servers over from Claude Code, Cursor or VS Code",
         "Reads the configurations of these clients, yours and the project's (or the files that you name), and offers "
         "each server in them. What npx or\n"
         "uvx would fetch at every start is installed once, pinned; values that look secret go into the vault. If you "
         "like, the client's entry is\n"
         "rewritten to start the server through pfar (serve --server NAME); the file as it was is kept beside it.\n\n"
         "From a pipe it takes a line of stdin for each answer.",
         {{"FILE", false, true, nullptr, true}},
         {{"rewrite", "", "rewrite the client's entries without asking"}, json_option},
         run_import},
    };
}

} // namespace pfar::cli
