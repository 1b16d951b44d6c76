// LifeLine: what `pfar serve` is for the rest of its life. While it and the connection live, the session does.
#pragma once

#include "control/client.hpp"
#include "control/relay.hpp"

#include <csignal>
#include <optional>

namespace pfar::cli {

/// How it came to an end.
struct Ending {
    enum class Kind { told, host_gone, signal };
    Kind kind;
    std::string params{}; // of the host's `ended`
    int signal = 0;
};

class LifeLine {
public:
    /// From now on SIGINT, SIGTERM and SIGHUP wait to be heard here, unless they were ignored, and SIGPIPE is ignored. [main thread]
    LifeLine();
    LifeLine(LifeLine const&) = delete;
    LifeLine& operator=(LifeLine const&) = delete;

    /// For whatever is asked before: a signal ends that too.
    [[nodiscard]] control::Beside const& beside() const { return beside_; }
    /// The one that was heard; 0: none.
    [[nodiscard]] int signal() const { return heard_signal_; }
    /// Runs the relays meanwhile; when the host is done with its output, the rest of it still goes out. [may block]
    Ending wait(control::Client& client, std::vector<control::Relay> relays);

private:
    void watch(std::vector<pollfd>& waits) const;
    bool ready(std::span<pollfd const> waits);
    void finish();

    base::Fd signals_;
    control::Beside beside_;
    std::vector<control::Relay> relays_;
    int heard_signal_ = 0;
};

} // namespace pfar::cli
