#include "cli/interrupt.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace pfar::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;
int bell = -1; // readable once it came
constexpr int interrupting[] = {SIGINT, SIGTERM, SIGHUP};

void note_signal(int number) {
    if (interrupted != 0) { // whoever insists is not kept waiting
        std::signal(number, SIG_DFL);
        std::raise(number);
    }
    interrupted = number;
    std::uint64_t const one = 1;
    [[maybe_unused]] auto const written = ::write(bell, &one, sizeof one);
}

} // namespace

Interrupt::Interrupt() {
    interrupted = 0;
    bell = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct sigaction action {};
    action.sa_handler = note_signal; // without SA_RESTART: a read that waits for a person is given up
    for (int const number : interrupting) ::sigaction(number, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN); // who talks to nobody any more still undoes what it began
    beside_.watch = [](std::vector<pollfd>& waits) { waits.push_back({bell, POLLIN, 0}); };
    beside_.ready = [](std::span<pollfd const>) { return interrupted == 0; };
}

Interrupt::~Interrupt() {
    for (int const number : interrupting) std::signal(number, SIG_DFL);
    ::close(std::exchange(bell, -1));
}

bool Interrupt::came() {
    return interrupted != 0;
}

/// The flag last: a signal that comes meanwhile is the second one.
void Interrupt::clear() {
    if (interrupted != SIGINT) return;
    std::uint64_t count = 0;
    [[maybe_unused]] auto const drained = ::read(bell, &count, sizeof count);
    interrupted = 0;
}

bool Interrupt::waits_for(int fd) {
    while (!came()) {
        pollfd waits[] = {{fd, POLLIN, 0}, {bell, POLLIN, 0}};
        bool const failed = bell >= 0 && ::poll(waits, 2, -1) < 0 && errno != EINTR; // whoever reads is told why
        if (bell < 0 || failed || waits[0].revents != 0) return true;
    }
    return false;
}

/// Signals are the main thread's, so the one that watches takes none.
HangupInterrupts::HangupInterrupts() : stop_(::eventfd(0, EFD_CLOEXEC)) {
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    watch_ = std::thread([stop = stop_.number()] {
        pollfd waits[] = {{STDIN_FILENO, 0, 0}, {stop, POLLIN, 0}};
        while (::poll(waits, 2, -1) < 0 && errno == EINTR) {}
        if (waits[1].revents == 0) ::kill(::getpid(), SIGTERM);
    });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

HangupInterrupts::~HangupInterrupts() {
    std::uint64_t const one = 1;
    [[maybe_unused]] auto const written = ::write(stop_.number(), &one, sizeof one);
    watch_.join();
}

} // namespace pfar::cli
