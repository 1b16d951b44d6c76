// Two kinds of plans: with orders there is a shim that tells how it goes; without, there is only a process and its exit.
#include "spawn/run_to_end.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "spawn/child.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace pfar::spawn {
namespace {

using Clock = std::chrono::steady_clock;

int exit_code(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

struct Output {
    base::Fd ours, theirs;
    std::string text;
    std::size_t kept; // of it
};

Result<Output> make_output(std::size_t kept) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(Errc::io, "no pipe: " + base::errno_text(errno));
    Output output{base::Fd(ends[0]), {}, {}, kept};
    base::Fd const low{ends[1]};
    PFAR_TRY(theirs, out_of_the_way(low.number()));
    output.theirs = std::move(theirs);
    return output;
}

/// False at its end.
bool take(Output& output) {
    char buffer[4096];
    auto const got = ::read(output.ours.number(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    output.text.append(buffer, static_cast<std::size_t>(got));
    if (output.text.size() > output.kept) output.text.erase(0, output.text.size() - output.kept);
    return true;
}

/// Waits for `source` (or for output) until it is readable: true; false when time is up.
bool wait(Output& output, int source, Clock::time_point deadline) {
    for (;;) {
        auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd both[] = {{source, POLLIN, 0}, {output.ours ? output.ours.number() : -1, POLLIN, 0}};
        int const ready = left > 0 ? ::poll(both, 2, static_cast<int>(std::min<long long>(left, 1 << 30))) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        if (both[1].revents != 0 && !take(output)) output.ours = base::Fd();
        if (both[0].revents != 0) return true;
    }
}

/// What was written before the end and not read yet. Somebody may hold the pipe open for ever, so only what is there.
void take_the_rest(Output& output) {
    for (pollfd more{output.ours ? output.ours.number() : -1, POLLIN, 0}; ::poll(&more, 1, 0) > 0 && take(output);) {}
}

Error too_late(LaunchPlan const& plan, std::chrono::milliseconds patience) {
    return fail(Errc::timeout,
                fmt::format("{} did not end within {} ms", base::printable(plan.argv[0]), patience.count()));
}

Result<Ended> run_process(LaunchPlan const& plan, std::chrono::milliseconds patience, std::size_t kept) {
    PFAR_TRY(output, make_output(kept));
    PFAR_TRY(nothing, out_of_the_way(base::Fd(::open("/dev/null", O_RDWR | O_CLOEXEC)).number()));
    PFAR_TRY(copy, out_of_the_way(output.theirs.number()));
    Launch begin{plan.argv, {}, {}, true};
    begin.files.push_back({std::move(nothing), 0});
    begin.files.push_back({std::move(output.theirs), 1});
    begin.files.push_back({std::move(copy), 2});
    for (auto const& data : plan.data) {
        PFAR_TRY(source, readable(data.content));
        begin.files.push_back({std::move(source), data.fd});
    }
    PFAR_TRY(launched, launch(begin));
    begin.files.clear();
    bool const in_time = wait(output, launched.exit.number(), Clock::now() + patience);
    if (!in_time) ::kill(-launched.pid, SIGKILL);
    int status = 0;
    pid_t waited = 0;
    while ((waited = ::waitpid(launched.pid, &status, 0)) < 0 && errno == EINTR) {}
    if (waited != launched.pid)
        return fail(Errc::internal,
                    fmt::format("how {} ended is not known: {}", plan.argv[0], base::errno_text(errno)));
    ::kill(-launched.pid, SIGKILL); // whatever it started
    if (!in_time) return too_late(plan, patience);
    take_the_rest(output);
    return Ended{exit_code(status), std::move(output.text)};
}

/// True when this was the last note.
bool settle(Note const& note, LaunchPlan const& plan, Ended& ended) {
    switch (note.kind) {
    case Note::Kind::listener:
        ++ended.listeners;
        return false;
    case Note::Kind::no_routes:
        ended.transparent = false;
        return false;
    case Note::Kind::ended:
        ended.status = exit_code(note.value);
        return true;
    case Note::Kind::failed:
    case Note::Kind::gone:
        ended.status = shim_failed, ended.ran = false;
        ended.output = explain(note, plan.orders->command.program.native());
        return true;
    default:
        return false;
    }
}

Result<Ended> run_confined(LaunchPlan const& plan, std::chrono::milliseconds patience, std::size_t kept) {
    auto const deadline = Clock::now() + patience;
    PFAR_TRY(output, make_output(kept));
    Beginning beginning;
    beginning.stdio = {-1, output.theirs.number(), output.theirs.number()};
    PFAR_TRY(child, Child::start(plan, beginning));
    output.theirs = base::Fd();
    Ended ended;
    for (bool last = false; !last;) {
        if (!wait(output, child.notes(), deadline)) return too_late(plan, patience);
        PFAR_TRY(note, child.next());
        last = settle(note, plan, ended);
    }
    child.end();
    take_the_rest(output);
    if (ended.ran) ended.output = std::move(output.text);
    return ended;
}

} // namespace

Result<Ended> run_to_end(LaunchPlan const& plan, std::chrono::milliseconds patience, std::size_t kept) {
    if (plan.argv.empty()) return fail(Errc::invalid, "the launch plan is empty");
    return plan.orders ? run_confined(plan, patience, kept) : run_process(plan, patience, kept);
}

} // namespace pfar::spawn
