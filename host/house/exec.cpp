// One loop: notes from the shim, signals for it, bytes of the terminal, and every 250 ms a look at memory where nobody else looks.
#include "house/exec.hpp"

#include "base/files.hpp"
#include "house/confine.hpp"
#include "house/heard.hpp"
#include "house/terminal.hpp"
#include "house/vault_bell.hpp"
#include "house/way_out.hpp"

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
constexpr std::chrono::milliseconds tick_every{250};

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

/// What a running command is joined to.
struct Surroundings {
    spawn::Sandbox& sandbox;
    Terminal& terminal;
    Signals& signals;
    WayOut& way_out;
    std::optional<VaultBell>& bell;
    int output; // what it says, to be read; -1: nothing of it is ours to read
};

class Running {
public:
    Running(Surroundings const& around, ExecTask const& task)
        : sandbox_(around.sandbox), terminal_(around.terminal), signals_(around.signals), way_out_(around.way_out),
          bell_(around.bell), output_(around.output), task_(task) {}

    ExecEnd until_it_ends() {
        if (task_.look_first) look_at_vault();
        while (!end_) step();
        terminal_.drain();
        end_->again = stop_by_ && interrupted_ == 0;
        end_->interrupted = interrupted_;
        return *end_;
    }

private:
    void step() {
        auto const every = sandbox_.watch_every();
        auto const pause = task_.tick ? std::optional(tick_every) : every;
        short const keys = static_cast<short>(POLLIN | (terminal_.wants_to_write() ? POLLOUT : 0));
        pollfd wait[] = {{sandbox_.child().notes(), POLLIN, 0}, {signals_.fd(), POLLIN, 0},
                         {terminal_.output(), keys, 0},         {terminal_.keyboard(), POLLIN, 0},
                         {bell_ ? bell_->fd() : -1, POLLIN, 0}, {output_, POLLIN, 0}};
        int const ready = ::poll(wait, 6, patience(pause));
        if (ready < 0 && errno != EINTR) end_ = ExecEnd{255, "poll failed"};
        if (ready < 0) return;
        if ((wait[2].revents & POLLOUT) != 0) terminal_.flush_keys();
        if ((wait[2].revents & (POLLIN | POLLHUP)) != 0) terminal_.pass_output();
        if (wait[3].revents != 0) terminal_.pass_keys();
        if (wait[5].revents != 0) take_output();
        if (wait[1].revents != 0) pass_signals();
        if (wait[0].revents != 0) hear();
        if (!end_ && wait[4].revents != 0 && bell_->heard()) look_at_vault();
        if (!end_ && every) watch();
        if (!end_ && task_.tick) tick();
        if (!end_ && stop_by_ && std::chrono::steady_clock::now() > *stop_by_) end_ = ExecEnd{137, ""};
    }

    /// How long poll may wait, in milliseconds.
    [[nodiscard]] int patience(std::optional<std::chrono::milliseconds> every) const {
        if (every) return static_cast<int>(every->count());
        return stop_by_ ? 100 : -1;
    }

    /// One that has an old credential is asked to end, and made to.
    void look_at_vault() {
        if (stop_by_ || interrupted_ != 0 || !task_.out_of_date || !task_.out_of_date()) return;
        stop_by_ = std::chrono::steady_clock::now() + std::chrono::seconds(3);
        sandbox_.child().pass(SIGTERM);
    }

    void pass_signals() {
        while (auto const signal = signals_.next()) {
            if (*signal == SIGWINCH || *signal == SIGCONT) {
                terminal_.raw(), terminal_.take_window_size();
                continue;
            }
            if (*signal != SIGUSR1 && *signal != SIGUSR2) interrupt(*signal);
            sandbox_.child().pass(*signal);
        }
    }

    /// One that is watched is somebody else's work: it has a moment to end, and whoever asks twice does not wait at all.
    void interrupt(int signal) {
        auto const moment = std::chrono::seconds(interrupted_ == 0 ? 2 : 0);
        if (task_.tick) stop_by_ = std::chrono::steady_clock::now() + moment;
        if (interrupted_ == 0) interrupted_ = signal;
    }

    void watch() {
        auto const now = std::chrono::steady_clock::now();
        if (now - looked_ < *sandbox_.watch_every()) return;
        looked_ = now;
        if (sandbox_.watch()) end_ = killed();
    }

    void take_output() {
        char buffer[16U << 10U];
        auto const got = ::read(output_, buffer, sizeof buffer);
        if (got > 0)
            task_.output({buffer, static_cast<std::size_t>(got)});
        else if (got == 0 || errno != EINTR)
            output_ = -1; // nobody holds the other end any more
    }

    void tick() {
        auto const now = std::chrono::steady_clock::now();
        if (now - ticked_ < tick_every) return;
        ticked_ = now;
        if (auto why = task_.tick(); !why.empty()) end_ = ExecEnd{137, std::move(why)};
    }

    void hear() {
        auto note = sandbox_.next();
        if (!note) {
            end_ = ExecEnd{255, note.error().what};
        } else if (note->kind == Note::Kind::listener) {
            way_out_.take(std::move(*note));
        } else if (note->kind == Note::Kind::no_routes) {
            task_.warn("programs that ignore proxy variables reach nothing: transparent mode cannot be set up here");
        } else if (note->kind == Note::Kind::running) {
            if (auto const opened = way_out_.open(); !opened) end_ = ExecEnd{126, opened.error().what};
        } else if (note->kind == Note::Kind::ended) {
            bool const was_killed = WIFSIGNALED(note->value);
            end_ = ExecEnd{was_killed ? 128 + WTERMSIG(note->value) : WEXITSTATUS(note->value), ""};
            if (was_killed && sandbox_.ran_out()) end_ = killed();
        } else if (note->kind == Note::Kind::failed) {
            end_ = ExecEnd{note->value == ENOENT || note->value == ENOTDIR ? 127 : 126,
                           explain(*note, task_.wish.command)};
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
    std::optional<VaultBell>& bell_;
    int output_;
    ExecTask const& task_;
    std::optional<std::chrono::steady_clock::time_point> stop_by_; // it is being ended
    int interrupted_ = 0; // by a person, with this signal: that beats starting it anew
    std::optional<ExecEnd> end_;
    std::chrono::steady_clock::time_point looked_{}, ticked_{};
};

/// /dev/stdout and the like are opened anew: a pipe has to belong to who does that. Nobody else opens one by its name.
void give_pipes(std::array<int, 3> const& stdio, uid_t uid) {
    for (int const fd : stdio) {
        struct statfs status {};
        bool const ours = fd > 2; // the terminal that we made
        if (ours || (::fstatfs(fd, &status) == 0 && status.f_type == PIPEFS_MAGIC)) [[maybe_unused]]
            auto const given = ::fchown(fd, uid, static_cast<gid_t>(-1));
    }
}

/// As root a uid of its own, or one that nobody has as long as the lease is held.
Result<std::optional<servers::UidLease>> take_uid(servers::OwnerFacts& owner, ExecTask const& task) {
    std::optional<servers::UidLease> lease;
    if (!owner.identity.kernel_uid) return lease;
    if (!task.uid) {
        PFAR_TRY(leased, servers::lease_uid(owner.pfar_home));
        lease = std::move(leased);
    }
    auto const uid = task.uid ? *task.uid : lease->uid;
    owner.identity = {uid, uid, "pfar", uid};
    return lease;
}

/// The secrets are in this process as such only as long as this runs; what is left is the redactor's.
Result<Started> start(House const& house, ExecTask const& task, servers::OwnerFacts const& owner,
                      spawn::Beginning beginning) {
    Credentials credentials;
    if (task.credentials) {
        PFAR_TRY(found, task.credentials());
        credentials = std::move(found);
    }
    credentials.add_to(beginning.additions);
    return start_wish(house, {task.wish, owner, beginning});
}

} // namespace

Result<ExecEnd> exec(House const& house, ExecTask task, Record& record) {
    PFAR_TRY(owner, owner_facts(house));
    PFAR_TRY(lease, take_uid(owner, task));
    std::optional<VaultBell> bell;
    if (task.out_of_date) { // before the credentials are read: none changes unheard
        auto listening = VaultBell::listen(house.places.home);
        if (listening)
            bell = std::move(*listening);
        else
            task.warn(listening.error().what);
    }
    Signals signals;
    std::optional<Heard> heard;
    if (task.output) {
        PFAR_TRY(opened, Heard::open());
        heard = std::move(opened);
    }
    PFAR_TRY(terminal, heard ? Terminal::none({-1, heard->theirs.number(), heard->theirs.number()}) : Terminal::open());
    task.wish.terminal = terminal.output() >= 0;
    task.wish.console = terminal.name();
    spawn::Beginning beginning;
    beginning.stdio = terminal.stdio();
    if (owner.identity.kernel_uid) give_pipes(beginning.stdio, *owner.identity.kernel_uid);
    beginning.additions.terminal = terminal.controls();
    PFAR_TRY(started, start(house, task, owner, beginning));
    terminal.started();
    if (heard) heard->theirs = base::Fd();
    if (auto const lost = not_kept(started.guarantees); !lost.empty())
        task.warn(fmt::format("{} does not keep {} here: {}", started.backend, lost, started.guarantees.why));
    EgressRoom room(house, record);
    WayOut way_out(room, task.wish, task.remedy);
    if (task.upstream) way_out.through(task.upstream);
    int const output = heard ? heard->ours.number() : -1;
    auto end = Running({started.sandbox, terminal, signals, way_out, bell, output}, task).until_it_ends();
    started.sandbox.child().end();
    if (heard) heard->rest(task.output);
    end.blocked = way_out.close();
    if (started.scratch) (void)base::remove_tree(*started.scratch);
    return end;
}

} // namespace pfar::house
