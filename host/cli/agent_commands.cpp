// The part of the table that is about agents.
#include "cli/agent_commands.hpp"

#include "cli/candidates.hpp"

namespace pfar::cli {
namespace {

std::vector<std::string> how_long() {
    return {"once", "session"};
}

Command serve_command() {
    return {
        "serve",
        "serve MCP to an agent, over stdin and stdout or over HTTP",
        "What an agent's configuration names: it finds the host, or starts one, and gives it the agent's stdin and "
        "stdout. The agent sees the tools of\n"
        "all servers as SERVER__TOOL, or with --server those of one under their own names. It ends when the agent "
        "closes its stdin, with 0; by SIGTERM\n"
        "or SIGHUP, with 0; when the host ends, with 69.\n\n"
        "With --http it serves any number of agents on /mcp (all servers) and /mcp/NAME (one), and the owner's page on "
        "/. It says where it listens and\n"
        "where the tokens are, and stays until Ctrl-C.\n\n"
        "Also by the environment, where the command line says nothing: PFAR_SERVER, PFAR_HTTP, PFAR_NO_AUTH (1 or 0), "
        "PFAR_TLS_CERT, PFAR_TLS_KEY,\n"
        "PFAR_ORIGINS and PFAR_HOST_NAMES (lists with commas).\n\n"
        "  pfar serve\n"
        "  pfar serve --server notion\n"
        "  pfar serve --http 127.0.0.1:8900",
        {},
        {{"server", "NAME", "this server alone, its tools under their own names", server_names},
         {"http", "HOST:PORT", "over HTTP, on this address (port 0: any)"},
         {"no-auth", "", "over HTTP without a token; on this machine alone"},
         {"tls-cert", "FILE", "over HTTPS, with this certificate (PEM)", nullptr, true},
         {"tls-key", "FILE", "and this key (PEM)", nullptr, true},
         {"origin", "ORIGIN", "let web pages of this origin in, such as https://example.com; may be repeated"},
         {"host-name", "NAME", "also answer under this name; may be repeated"},
         {"json", "", "over HTTP: print addresses and files as a line of JSON first"}},
        run_serve};
}

Command call_command() {
    return {
        "call",
        "call a tool",
        "Calls a tool as an agent would, through the whole pipeline, and prints the texts of its result. Arguments "
        "are key=value, understood by the\n"
        "tool's own schema (a key that is repeated makes a list), or a JSON object by --args (- reads it from "
        "stdin); key=value wins.\n\n"
        "If the call needs your yes, you are asked on the terminal; where stdin is none, it waits in the queue (pfar "
        "approvals). With --yes you are\n"
        "asked on the controlling terminal in any case.\n\n"
        "Ends with 0, with 1 if the tool reports an error, with 77 if the call was refused. Ctrl-C cancels it.\n\n"
        "  pfar call notion.search query=roadmap limit=5\n"
        "  pfar call files.write --args '{\"path\": \"/tmp/a\"}' content=hello",
        {{"SERVER.TOOL", true, false, tool_names}, {"KEY=VALUE", false, true}},
        {{"args", "JSON", "all arguments as an object; -: from stdin"},
         {"yes", "", "be asked on the controlling terminal, whatever stdin is"},
         {"json", "", "print the whole result as JSON"}},
        run_call};
}

std::vector<Command> about_approvals() {
    return {{"approvals",
             "list the calls that wait for your yes",
             "A call that needs your yes waits for it here if nobody could be asked. It is open for ten minutes.",
             {},
             {json_option},
             run_approvals},
            {"approve",
             "approve a call that waits",
             "Shows the whole call and asks on the controlling terminal; so an agent's shell cannot approve its own "
             "calls. Where there is no terminal it is\n"
             "refused, unless policy.approve_without_terminal is true in pfar.toml. The beginning of an id is enough.",
             {{"ID", true, false, approval_ids}},
             {{"for", "TIME", "once, which is the default, or session: the tool need not ask again", how_long},
              json_option},
             run_approve},
            {"deny",
             "refuse a call that waits",
             "The call ends with a refusal. The beginning of an id is enough.",
             {{"ID", true, false, approval_ids}},
             {json_option},
             run_deny}};
}

std::vector<Command> others() {
    return {{"sessions",
             "list the agents that are connected",
             "Tells who is connected and how, which server it sees, the highest label of what it has seen, whether "
             "that taints it, and its calls.",
             {},
             {json_option},
             run_sessions},
            {"tools accept",
             "agree to a server's new and changed tools",
             "Shows what each tool says of itself now and said when you agreed to it, and asks on the controlling "
             "terminal. Until then such a tool counts as\n"
             "one that writes and asks each time. What changes again meanwhile is not accepted.",
             {{"SERVER", true, false, server_names}},
             {json_option},
             run_tools_accept}};
}

} // namespace

std::vector<Command> agent_commands() {
    std::vector<Command> all{serve_command(), call_command()};
    for (auto const& part : {about_approvals(), others()}) all.insert(all.end(), part.begin(), part.end());
    return all;
}

} // namespace pfar::cli
