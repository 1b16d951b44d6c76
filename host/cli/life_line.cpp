#include "cli/life_line.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace pfar::cli {
namespace {

constexpr std::chrono::milliseconds last_patience{2000}; // for whoever reads what is left

bool is_ignored(int signal) {
    struct sigaction now {};
    return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

} // namespace

LifeLine::LifeLine() : beside_{[this](auto& waits) { watch(waits); }, [this](auto waits) { return ready(waits); }} {
    sigset_t waiting;
    sigemptyset(&waiting);
    for (int const signal : {SIGINT, SIGTERM, SIGHUP})
        if (!is_ignored(signal)) sigaddset(&waiting, signal); // nohup meant it
    ::sigprocmask(SIG_BLOCK, &waiting, nullptr);
    signals_ = base::Fd(::signalfd(-1, &waiting, SFD_CLOEXEC | SFD_NONBLOCK));
    std::signal(SIGPIPE, SIG_IGN);
}

void LifeLine::watch(std::vector<pollfd>& waits) const {
    waits.push_back({signals_.number(), POLLIN, 0});
    for (auto const& relay : relays_) relay.watch(waits);
}

bool LifeLine::ready(std::span<pollfd const> waits) {
    signalfd_siginfo info{};
    if (waits[0].revents != 0 && ::read(signals_.number(), &info, sizeof info) == sizeof info)
        heard_signal_ = static_cast<int>(info.ssi_signo);
    for (std::size_t i = 0; i < relays_.size(); ++i) {
        auto const at = 1 + i * control::Relay::entries;
        relays_[i].ready(waits[at], waits[at + 1]);
    }
    return heard_signal_ == 0;
}

Ending LifeLine::wait(control::Client& client, std::vector<control::Relay> relays) {
    relays_ = std::move(relays);
    Ending ending{Ending::Kind::told};
    auto const heard = client.listen(
        [&](std::string_view method, std::string_view params) {
            ending.params = params;
            return method != "ended";
        },
        &beside_);
    if (heard_signal_ != 0) return {Ending::Kind::signal, {}, heard_signal_};
    if (!heard) ending.kind = Ending::Kind::host_gone;
    finish();
    return ending;
}

/// What the host has written before it let go. Whoever does not read it, or a host that keeps its end open, is not waited for long.
void LifeLine::finish() {
    auto const late = std::chrono::steady_clock::now() + last_patience;
    auto const is_over = [](auto const& relay) { return relay.is_over(); };
    while (!std::all_of(relays_.begin(), relays_.end(), is_over)) {
        std::vector<pollfd> waits;
        watch(waits);
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(late - std::chrono::steady_clock::now()).count();
        auto const moved = left <= 0 ? 0 : ::poll(waits.data(), waits.size(), static_cast<int>(left));
        if (moved == 0 || (moved > 0 && !ready(waits))) return;
    }
}

} // namespace pfar::cli
