// One loop: notes from the shim, signals for it, bytes of the terminal, and every 250 ms a look at memory where nobody else looks.
#include "house/exec.hpp"

#include "house/confine.hpp"
#include "house/terminal.hpp"
#include "house/way_out.hpp"
#include "loader/select.hpp"

#include <pfar/sandbox_layout.hpp>

#include <fmt/format.h>

#include <linux/magic.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>

namespace pfar::house {
namespace {

using spawn::Note;

/// The signals of a foreground program, as something to poll. As before when it goes.
class Signals {
public:
    Signals() {
        sigset_t wanted;
        sigemptyset(&wanted);
        for (int const signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT})
            sigaddset(&wanted, signal);
        ::sigprocmask(SIG_BLOCK, &wanted, &before_);
        fd_ = base::Fd(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
        std::signal(SIGPIPE, SIG_IGN);
    }
    Signals(Signals const&) = delete;
    Signals& operator=(Signals const&) = delete;
    ~Signals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

    [[nodiscard]] int fd() const { return fd_.number(); }
    [[nodiscard]] std::optional<int> next() const {
        signalfd_siginfo info{};
        if (::read(fd(), &info, sizeof info) != sizeof info) return {};
        return static_cast<int>(info.ssi_signo);
    }

private:
    sigset_t before_{};
    base::Fd fd_;
};

using Warn = std::function<void(std::string const&)>;

/// What a running command is joined to.
struct Surroundings {
    spawn::Sandbox& sandbox;
    Terminal& terminal;
    Signals& signals;
    WayOut& way_out;
    Warn const& warn;
};

class Running {
public:
    Running(Surroundings const& around, std::string program)
        : sandbox_(around.sandbox), terminal_(around.terminal), signals_(around.signals), way_out_(around.way_out),
          warn_(around.warn), program_(std::move(program)) {}

    ExecEnd until_it_ends() {
        while (!end_) step();
        terminal_.drain();
        return *end_;
    }

private:
    void step() {
        auto const every = sandbox_.watch_every();
        short const keys = static_cast<short>(POLLIN | (terminal_.wants_to_write() ? POLLOUT : 0));
        pollfd wait[] = {{sandbox_.child().notes(), POLLIN, 0},
                         {signals_.fd(), POLLIN, 0},
                         {terminal_.output(), keys, 0},
                         {terminal_.keyboard(), POLLIN, 0}};
        int const ready = ::poll(wait, 4, every ? static_cast<int>(every->count()) : -1);
        if (ready < 0 && errno != EINTR) end_ = ExecEnd{255, "poll failed"};
        if (ready < 0) return;
        if ((wait[2].revents & POLLOUT) != 0) terminal_.flush_keys();
        if ((wait[2].revents & (POLLIN | POLLHUP)) != 0) terminal_.pass_output();
        if (wait[3].revents != 0) terminal_.pass_keys();
        if (wait[1].revents != 0) pass_signals();
        if (wait[0].revents != 0) hear();
        if (!end_ && every) watch();
    }

    void pass_signals() {
        while (auto const signal = signals_.next())
            if (*signal == SIGWINCH || *signal == SIGCONT)
                terminal_.raw(), terminal_.take_window_size();
            else
                sandbox_.child().pass(*signal);
    }

    void watch() {
        auto const now = std::chrono::steady_clock::now();
        if (now - looked_ < *sandbox_.watch_every()) return;
        looked_ = now;
        if (sandbox_.watch()) end_ = killed();
    }

    void hear() {
        auto note = sandbox_.next();
        if (!note) {
            end_ = ExecEnd{255, note.error().what};
        } else if (note->kind == Note::Kind::listener) {
            way_out_.take(std::move(*note));
        } else if (note->kind == Note::Kind::no_routes) {
            warn_("programs that ignore proxy variables reach nothing: transparent mode cannot be set up here");
        } else if (note->kind == Note::Kind::running) {
            if (auto const opened = way_out_.open(); !opened) end_ = ExecEnd{126, opened.error().what};
        } else if (note->kind == Note::Kind::ended) {
            bool const was_killed = WIFSIGNALED(note->value);
            end_ = ExecEnd{was_killed ? 128 + WTERMSIG(note->value) : WEXITSTATUS(note->value), ""};
            if (was_killed && sandbox_.ran_out()) end_ = killed();
        } else if (note->kind == Note::Kind::failed) {
            end_ = ExecEnd{note->value == ENOENT || note->value == ENOTDIR ? 127 : 126, explain(*note, program_)};
        } else if (note->kind == Note::Kind::gone) {
            end_ = sandbox_.ran_out() ? killed() : ExecEnd{137, "the sandbox was killed from outside"};
        } else if (note->kind == Note::Kind::stopped && terminal_.controls()) {
            stop_too();
        }
    }

    /// Job control: what Ctrl-Z does to the command, the person's shell sees of us.
    void stop_too() {
        terminal_.drain();
        terminal_.restore();
        sandbox_.child().pass(shim_freezes); // all of it: while we are stopped nobody watches
        ::raise(SIGSTOP);
        terminal_.raw();
        terminal_.take_window_size();
        sandbox_.child().pass(shim_thaws);
    }

    static ExecEnd killed() {
        return {137, "it needed more memory than its limit allows and was ended; a larger --memory allows more"};
    }

    spawn::Sandbox& sandbox_;
    Terminal& terminal_;
    Signals& signals_;
    WayOut& way_out_;
    Warn const& warn_;
    std::string program_;
    std::optional<ExecEnd> end_;
    std::chrono::steady_clock::time_point looked_{};
};

constexpr auto all_promises = {Promise::files,       Promise::network,  Promise::processes,
                               Promise::environment, Promise::syscalls, Promise::limits};

/// /dev/stdout and the like are opened anew: a pipe has to belong to who does that. Nobody else opens one by its name.
void give_pipes(std::array<int, 3> const& stdio, uid_t uid) {
    for (int const fd : stdio) {
        struct statfs status {};
        bool const ours = fd > 2; // the terminal that we made
        if (ours || (::fstatfs(fd, &status) == 0 && status.f_type == PIPEFS_MAGIC)) [[maybe_unused]]
            auto const given = ::fchown(fd, uid, static_cast<gid_t>(-1));
    }
}

} // namespace

Result<ExecEnd> exec(House const& house, servers::Wish wish, std::function<void(std::string const&)> const& warn) {
    PFAR_TRY(owner, owner_facts(house));
    std::optional<servers::UidLease> lease;
    if (owner.identity.kernel_uid) {
        PFAR_TRY(leased, servers::lease_uid(owner.pfar_home));
        owner.identity = {leased.uid, leased.uid, "pfar", leased.uid};
        lease = std::move(leased);
    }
    Signals signals;
    PFAR_TRY(terminal, Terminal::open());
    wish.terminal = terminal.output() >= 0;
    wish.console = terminal.name();
    spawn::Beginning beginning;
    beginning.stdio = terminal.stdio();
    if (lease) give_pipes(beginning.stdio, lease->uid);
    beginning.additions.terminal = terminal.controls();
    auto const program = wish.command;
    PFAR_TRY(started, start_wish(house, wish, owner, beginning));
    terminal.started();
    if (auto const lost = loader::lacking(started.guarantees, all_promises); !lost.empty())
        warn(fmt::format("{} does not keep {} here: {}", started.backend, lost, started.guarantees.why));
    WayOut way_out(house, wish, egress::Rules::Remedy::option);
    auto end = Running({started.sandbox, terminal, signals, way_out, warn}, program).until_it_ends();
    started.sandbox.child().end();
    end.blocked = way_out.close();
    std::error_code error;
    if (started.scratch) std::filesystem::remove_all(*started.scratch, error);
    return end;
}

} // namespace pfar::house
