// The real pfar-shim without any confinement: what it does for every server, seen from the outside.
#pragma once

#include "spawn/child.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>

namespace test {

inline constexpr int patience = 20'000; // ms

inline pfar::LaunchPlan shim_plan(pfar::Command command) {
    pfar::LaunchPlan plan;
    plan.argv = {PFAR_BUILD "/libexec/pfar/pfar-shim"};
    plan.orders.emplace();
    plan.orders->command = std::move(command);
    return plan;
}

inline pfar::LaunchPlan shell(std::string const& script) {
    return shim_plan({"/bin/sh", {"-c", script}, "/", {{"PATH", "/usr/bin:/bin"}}});
}

struct Pipe {
    pfar::base::Fd out, in;

    Pipe() {
        int ends[2];
        REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
        out = pfar::base::Fd(ends[0]), in = pfar::base::Fd(ends[1]);
    }
    void say(std::string_view text) const {
        REQUIRE(::write(in.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    /// Up to a line's end, without it; or to the end of everything.
    [[nodiscard]] std::string line() const {
        std::string text;
        for (char c = 0; ready(out.number()) && ::read(out.number(), &c, 1) == 1 && c != '\n';) text += c;
        return text;
    }
    /// To the end; whoever holds the other end has to be gone.
    [[nodiscard]] std::string rest() const {
        std::string text;
        char buffer[4096];
        for (ssize_t got = 0; ready(out.number()) && (got = ::read(out.number(), buffer, sizeof buffer)) > 0;)
            text.append(buffer, static_cast<std::size_t>(got));
        return text;
    }
    /// Readable within the test's patience.
    static bool ready(int fd) {
        pollfd wait{fd, POLLIN, 0};
        return ::poll(&wait, 1, patience) == 1;
    }
};

/// The first note of this kind, or whatever ends the waiting.
inline pfar::spawn::Note wait_for(pfar::spawn::Child& child, pfar::spawn::Note::Kind kind) {
    using Kind = pfar::spawn::Note::Kind;
    for (;;) {
        if (!Pipe::ready(child.notes())) FAIL("nothing was heard of the shim");
        auto note = child.next().value();
        if (note.kind == kind || note.kind == Kind::failed || note.kind == Kind::ended || note.kind == Kind::gone)
            return note;
    }
}

struct Story {
    pfar::spawn::Note last;
    std::string out;
};

/// Runs it to its end, with its output.
inline Story run(pfar::LaunchPlan const& plan, pfar::spawn::Additions additions = {}) {
    Pipe output;
    pfar::spawn::Beginning beginning;
    beginning.stdio = {-1, output.in.number(), output.in.number()};
    beginning.additions = std::move(additions);
    auto child = pfar::spawn::Child::start(plan, beginning).value();
    output.in = pfar::base::Fd();
    auto last = wait_for(child, pfar::spawn::Note::Kind::ended);
    child.end();
    return {std::move(last), output.rest()};
}

/// True once the process is gone; it need not be a child of ours.
class Watch {
public:
    explicit Watch(pid_t pid) : pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) { REQUIRE(pidfd_); }
    [[nodiscard]] bool gone() const { return Pipe::ready(pidfd_.number()); }
    [[nodiscard]] bool alive() const {
        pollfd now{pidfd_.number(), POLLIN, 0};
        return ::poll(&now, 1, 0) == 0;
    }
    /// For what a failed test would leave behind.
    void kill() const { ::syscall(SYS_pidfd_send_signal, pidfd_.number(), SIGKILL, nullptr, 0); }

private:
    pfar::base::Fd pidfd_;
};

} // namespace test
