// The part of the table that is about the host and what runs in it.
#include "cli/host_commands.hpp"

#include "cli/candidates.hpp"

namespace pfar::cli {
namespace {

Command host_command() {
    return {
        "host",
        "run the host in the foreground; pfar host status, stop and restart are about the one that runs",
        "The host is the process that has your servers. Commands start one when they need it, and that one leaves when "
        "it has been idle for\n"
        "host.idle_exit of pfar.toml (10 min; 0: never). Run here, for systemd or a container, it stays until it is "
        "told to stop. Its log goes to\n"
        "stderr and to $PFAR_HOME/log; on a terminal a table of the servers stands below it.\n\n"
        "SIGTERM and SIGINT stop it and its servers in order, a second one at once; SIGHUP has it read pfar.toml and "
        "the "
        "server files again.\n\n"
        "  pfar host             run it here\n"
        "  pfar host status      is there one, and how is it\n"
        "  pfar host stop        stop it, and all servers\n"
        "  pfar host restart     stop it and start another, such as after an upgrade",
        {},
        {{"no-table", "", "no table of servers, only the log"}, {"detached", "", ""}, {"ready", "FD", ""}},
        run_host_here};
}

std::vector<Command> about_host() {
    return {{"host status",
             "is there a host, and how is it",
             "Tells the host's process, version, servers and memory, and whether the audit record cannot be written. "
             "Where none runs, it says so and ends with 69.",
             {},
             {json_option},
             run_host_status},
            {"host stop",
             "stop the host and all its servers",
             "Waits until it is gone. The next command that needs a host starts one.",
             {},
             {json_option},
             run_host_stop},
            {"host restart",
             "stop the host and start another",
             "Calls in flight end with an error. The new host is of the pfar that you call now, and runs in the "
             "background.",
             {},
             {json_option},
             run_host_restart}};
}

std::vector<Command> about_servers() {
    return {
        {"list",
         "list the servers and how each is",
         "Lists every server that can be used from here: its state, how many tools it offers, its label, what confines "
         "it, "
         "how its memory is\n"
         "limited, its process, how often it was started anew, and how many domains were refused it. A server that "
         "does "
         "not run has the reason\n"
         "and what to do below it.",
         {},
         {json_option},
         run_list},
        {"status",
         "tell how a server is, and if it failed, where",
         "Tells everything that is known about one server: since when it is how it is, what went wrong and where, its "
         "last "
         "words on stderr, its\n"
         "processes, and the domains that were refused it, each with the line that would allow it.",
         {{"SERVER", true, false, server_names}},
         {json_option},
         run_status},
        {"tools",
         "list the tools of all servers, or of one",
         "Lists tools as SERVER.TOOL, whether each reads or writes, when it asks, and what it says of itself. "
         "--explain "
         "tells all about one: its\n"
         "arguments, what it is taken for and why. One marked with ! is new or has changed since you agreed to it.\n\n"
         "  pfar tools notion\n"
         "  pfar tools --explain notion.search\n"
         "  pfar tools accept notion     agree to its new and changed tools",
         {{"SERVER", false, false, server_names}},
         {{"explain", "TOOL", "everything about this tool: SERVER.TOOL, or TOOL of the server that is named"},
          json_option},
         run_tools}};
}

std::vector<Command> about_processes() {
    return {
        {"logs",
         "show what a server says on stderr",
         "Shows the last lines of it. Without a host they come from the file that the last one kept.",
         {{"SERVER", true, false, server_names}},
         {{"follow", "", "go on with what it says from now on"},
          {"lines", "N", "how many of the last lines, default 100"},
          {json_option}},
         run_logs},
        {"restart",
         "start a server anew, also one that is disabled",
         "Stops it, which leaves calls in flight a few seconds at most, and starts it. Waits until it runs, and ends "
         "with 69 if it\n"
         "does not. A server that was disabled, by you or because it crashed too often, is enabled by this.",
         {{"SERVER", false, false, server_names}},
         {{"all", "", "all servers"}, json_option},
         run_restart},
        {"enable",
         "let a disabled server run again",
         "Starts it, and forgets its crashes.",
         {{"SERVER", true, false, server_names}},
         {json_option},
         run_enable},
        {"disable",
         "stop a server until it is enabled",
         "Stops it and takes its tools away, also after the host was restarted. Its file stays as it is.",
         {{"SERVER", true, false, server_names}},
         {json_option},
         run_disable}};
}

} // namespace

std::vector<Command> host_commands() {
    std::vector<Command> all{host_command()};
    for (auto const& part : {about_host(), about_servers(), about_processes()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

} // namespace pfar::cli
