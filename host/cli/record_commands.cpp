#include "cli/record_commands.hpp"

#include "cli/candidates.hpp"

namespace pfar::cli {
namespace {

std::vector<std::string> kinds() {
    return {"approval", "call",   "completion", "crash",    "credential", "egress", "host",
            "lost",     "prompt", "recovered",  "refusals", "resource",   "spawn",  "vault"};
}

std::vector<std::string> outcomes() {
    return {"allowed", "approved", "blocked", "cancelled", "crashed", "denied",  "disabled", "error",   "given",
            "invalid", "ok",       "refused", "running",   "sent",    "stopped", "timeout",  "waiting", "withheld"};
}

Command audit_command() {
    return {
        "audit",
        "show the record: calls, refusals, approvals, egress, credentials, starts and crashes",
        "Shows the last 50 lines of the record in $PFAR_HOME/audit, or those since a time, or those about something; "
        "several\n"
        "options narrow it down together. It reads the files and needs no host; one that runs first writes what still "
        "waits\n"
        "(audit.delay of pfar.toml, 100 ms).\n\n"
        "  pfar audit --server notion --since 1h\n"
        "  pfar audit --tool notion.search --last 10\n"
        "  pfar audit --kind egress --outcome blocked --since 2026-11-18\n"
        "  pfar audit --follow\n"
        "  pfar audit --json --since 2d | jq 'select(.ms > 1000)'\n"
        "  pfar audit verify     is the record whole: nothing changed, removed or cut off",
        {},
        {{"server", "SERVER", "only what this server did, or was done to it", server_names},
         {"tool", "TOOL", "only calls of this tool: TOOL, or SERVER.TOOL"},
         {"session", "ID", "only what this agent's session did"},
         {"kind", "KIND", "only this kind of event, such as call, egress or crash", kinds},
         {"outcome", "WORD", "only what came out so, such as ok, error, refused or blocked", outcomes},
         {"since", "TIME", "30m, 1h or 2d ago, or a local time: 2026-11-18, 2026-11-18T10:00"},
         {"last", "N", "how many of the last lines (default 50; all with --since or --json)"},
         {"follow", "", "go on with what is written from now on"},
         {"json", "", "print the lines as they are stored, one JSON object each"}},
        run_audit};
}

Command verify_command() {
    return {"audit verify",
            "find out whether the record is whole",
            "Walks the record from its first line to its last. Each line has a keyed hash over itself and the line "
            "before it, so one that was\n"
            "changed, removed, moved or cut off is found and named, with its file and number, and the exit code is 65. "
            "What was put back as a\n"
            "whole, with its head, to what it was earlier is found only by a head that you kept elsewhere: this "
            "command prints it.\n\n"
            "  pfar audit verify\n"
            "  pfar audit verify --head 5f2d...     there must be a line with the hash that was the last one then",
            {},
            {{"head", "HASH", "64 hexadecimal digits that an earlier run printed"},
             {"json", "", "print JSON, for scripts"}},
            run_audit_verify};
}

} // namespace

std::vector<Command> record_commands() {
    return {audit_command(), verify_command()};
}

} // namespace pfar::cli
