// A host that is leaving has closed its door and still holds the lock: who comes then waits for the lock, not for the socket.
#include "control/start.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <csignal>
#include <thread>

namespace pfar::control {
namespace {

using Clock = std::chrono::steady_clock;
using Found = std::pair<Client, Greeting>;

constexpr int tries = 3, starts = 5;
constexpr std::chrono::seconds leave_patience{15}, start_patience{30}, term_patience{15};
constexpr std::chrono::milliseconds between_looks{10};

Error other_build(Greeting const& greeting) {
    return fail(Errc::unavailable,
                fmt::format("the host that runs (pid {}) is another build, {}, and busy; run pfar host restart",
                            greeting.pid, greeting.identity.version));
}

/// Somebody may be on the way out: EOF instead of an answer means to look again.
Result<Found> find_in(RunDirectory const& run, Finding const& finding) {
    for (int left = tries;; --left) {
        PFAR_TRY(client, Client::connect(run));
        auto const greeting = client.hello(finding.own, finding.directory);
        if (greeting) return Found(std::move(client), *greeting);
        if (greeting.error().code != Errc::unavailable || left == 0) return greeting.error();
    }
}

/// Until one answers, or nobody holds the lock: then there is none, and whoever has the start lock may make one.
Result<Found> find_or_see_none(RunDirectory const& run, Finding const& finding) {
    for (auto const deadline = Clock::now() + leave_patience;; std::this_thread::sleep_for(between_looks)) {
        auto found = find_in(run, finding);
        if (found || found.error().code != Errc::not_found) return found;
        auto const held = holder(run);
        if (!held) return found;
        if (Clock::now() > deadline)
            return fail(Errc::unavailable,
                        fmt::format("a host (pid {}) neither answers nor leaves; run pfar host stop", held->pid));
    }
}

Result<void> ask_to_leave(Client& client, RunDirectory const& run, pid_t pid) {
    PFAR_TRY(answer, client.ask({"stop"}));
    if (wait_until_free(run, leave_patience)) return {};
    return fail(Errc::timeout,
                fmt::format("the host (pid {}) was asked to stop and still runs; end it: kill -9 {}", pid, pid));
}

Result<Client> start_in(RunDirectory const& run, Finding const& finding) {
    PFAR_TRY(lock, lock_start(run, start_patience));
    bool replaced = false;
    for (int left = starts; left > 0; --left) {
        auto found = find_or_see_none(run, finding);
        if (!found && found.error().code != Errc::not_found) return found.error();
        if (found) {
            auto& [client, greeting] = *found;
            if (greeting.identity == finding.own) return std::move(client);
            if (!greeting.idle || std::exchange(replaced, true)) return other_build(greeting);
            PFAR_CHECK(ask_to_leave(client, run, greeting.pid));
            continue;
        }
        auto const launched = launch_host({finding.home, std::chrono::seconds(10), finding.note});
        if (!launched && launched.error().code != Errc::conflict) return launched.error();
    }
    return fail(Errc::unavailable, fmt::format("a host was started and cannot be reached; its log is {}",
                                               base::printable((finding.home / "log/pfar.log").native())));
}

} // namespace

Result<Found> find_any_host(Finding const& finding) {
    PFAR_TRY(run, RunDirectory::open(finding.home));
    return find_in(run, finding);
}

Result<Client> find_host(Finding const& finding) {
    PFAR_TRY(found, find_any_host(finding));
    if (found.second.identity == finding.own) return std::move(found.first);
    return other_build(found.second);
}

Result<Client> find_or_start_host(Finding const& finding) {
    PFAR_TRY(run, RunDirectory::open(finding.home));
    auto found = find_in(run, finding);
    if (found && found->second.identity == finding.own) return std::move(found->first);
    bool const may_start =
        found ? found->second.idle : found.error().code == Errc::not_found || found.error().code == Errc::unavailable;
    if (may_start) return start_in(run, finding);
    return found ? other_build(found->second) : found.error();
}

Result<bool> stop_host(Finding const& finding) {
    PFAR_TRY(run, RunDirectory::open(finding.home));
    auto found = find_in(run, finding);
    if (found) {
        PFAR_CHECK(ask_to_leave(found->first, run, found->second.pid));
        return true;
    }
    auto const held = holder(run);
    if (!held) return false;
    if (held->pid <= 1)
        return fail(Errc::unavailable, fmt::format("{} is held by a process that is no host; end it",
                                                   base::printable((run.path() / "host.lock").native())));
    ::kill(held->pid, SIGTERM);
    ::kill(held->pid, SIGCONT);
    if (wait_until_free(run, term_patience)) return true;
    return fail(Errc::timeout,
                fmt::format("the host (pid {}) does not stop; end it: kill -9 {}", held->pid, held->pid));
}

} // namespace pfar::control
