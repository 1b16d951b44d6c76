// pfar host, and host status, stop and restart, which work with a host of any build
#include "house/host.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/host_client.hpp"
#include "cli/host_commands.hpp"
#include "cli/json.hpp"
#include "control/launch.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>

namespace pfar::cli {
namespace {

/// The pipe that the starter handed down.
base::Fd ready_pipe(Arguments const& arguments) {
    auto const given = arguments.options.find("ready");
    if (given == arguments.options.end()) return {};
    int fd = -1;
    std::from_chars(given->second.data(), given->second.data() + given->second.size(), fd);
    if (fd < 3 || ::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return {};
    return base::Fd(fd);
}

bool log_was_asked_for(Arguments const& arguments) {
    char const* const from_environment = std::getenv("PFAR_LOG");
    return arguments.has("log") || (from_environment != nullptr && *from_environment != '\0');
}

bool on_terminal() {
    char const* const kind = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

/// From anywhere: they are about no server, so no project's servers are to be opened for them.
std::optional<control::Finding> host_from_nowhere(Console& console, int& code) {
    auto finding = host_of_home(console, code);
    if (finding) finding->directory = "/";
    return finding;
}

void print_status(boost::json::value const& host, Console& console) {
    console.print(fmt::format("pid          {}, {} since {}\nversion      {}\nhome         {}\n",
                              number_of(host, "pid"),
                              flag_of(host, "on_demand") ? "started on demand," : "in the foreground,",
                              text_of(host, "since"), text_of(host, "version"), text_of(host, "home")));
    console.print(fmt::format("servers      {}, {} running\nmemory       {:.1f} MiB\n", number_of(host, "servers"),
                              number_of(host, "running"), static_cast<double>(number_of(host, "rss")) / (1U << 20U)));
    auto const idle_exit = number_of(host, "idle_exit");
    if (flag_of(host, "on_demand"))
        console.print(idle_exit == 0 ? "leaves       never by itself\n"
                                     : fmt::format("leaves       when idle for {}\n", duration_text(idle_exit)));
    if (auto const trouble = text_of(host, "audit_trouble"); !trouble.empty())
        console.print(fmt::format("audit        cannot be written, so calls that write are refused: {}\n", trouble));
}

int no_host(Arguments const& arguments, Console& console) {
    if (arguments.has("json"))
        console.print(to_text(boost::json::object{{"running", false}}));
    else
        console.print("no host runs; commands that need one start it\n");
    return exit_unavailable;
}

} // namespace

int run_host_here(Arguments const& arguments, Console& console) {
    bool const detached = arguments.has("detached");
    auto identity = control::own_identity(PFAR_VERSION);
    if (!identity) return failed(console, identity.error());
    house::HostTask task{std::move(*identity), detached, false, ready_pipe(arguments)};
    if (task.ready) control::leave_starter();
    if (!detached && !log_was_asked_for(arguments)) (void)base::start_log("info");
    task.table = !detached && !arguments.has("no-table") && on_terminal();
    auto const ended = house::run_host(std::move(task));
    return ended ? static_cast<int>(exit_ok) : failed(console, ended.error());
}

int run_host_status(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const finding = host_from_nowhere(console, code);
    if (!finding) return code;
    auto found = control::find_any_host(*finding);
    if (!found && found.error().code == Errc::not_found) return no_host(arguments, console);
    if (!found) return failed(console, found.error());
    auto host = ask_host(found->first, {"host"}, console, code);
    if (!host || !host->is_object()) return code;
    host->get_object()["running_build"] = found->second.identity == finding->own ? "same" : "other";
    if (arguments.has("json")) return console.print(to_text(*host)), exit_ok;
    print_status(*host, console);
    if (found->second.identity != finding->own)
        console.note("the host is of another build than this pfar; pfar host restart starts one of this\n");
    return exit_ok;
}

int run_host_stop(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const finding = host_from_nowhere(console, code);
    if (!finding) return code;
    auto const stopped = control::stop_host(*finding);
    if (!stopped) return failed(console, stopped.error());
    if (arguments.has("json"))
        console.print(to_text(boost::json::object{{"stopped", *stopped}}));
    else
        console.print(*stopped ? "the host has stopped\n" : "no host runs\n");
    return exit_ok;
}

int run_host_restart(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const finding = host_from_nowhere(console, code);
    if (!finding) return code;
    if (auto const stopped = control::stop_host(*finding); !stopped) return failed(console, stopped.error());
    auto client = control::find_or_start_host(*finding);
    if (!client) return failed(console, client.error());
    auto const host = ask_host(*client, {"host"}, console, code);
    if (!host) return code;
    if (arguments.has("json"))
        console.print(to_text(*host));
    else
        console.print(fmt::format("the host runs, pid {}\n", number_of(*host, "pid")));
    return exit_ok;
}

} // namespace pfar::cli
