// WayOut: what stands between one sandbox and the world, from the listeners that the shim hands out to the last record.
#pragma once

#include "house/egress_room.hpp"
#include "servers/wish.hpp"
#include "spawn/child.hpp"

#include <memory>
#include <vector>

namespace pfar::house {

class WayOut {
public:
    /// The room outlives it. [main thread]
    WayOut(EgressRoom& room, servers::Wish const& wish, egress::Rules::Remedy remedy)
        : room_(room), rules_{wish.name, wish.domains, wish.allow_private, remedy, nullptr},
          require_sni_(wish.require_sni) {}

    /// This proxy, if pfar.toml names none.
    void through(std::shared_ptr<egress::UpstreamProxy const> upstream) { rules_.upstream = std::move(upstream); }
    /// Keeps a listener. Others than `listener` are not for it.
    void take(spawn::Note note);
    /// Serves what was taken. What connected meanwhile has waited. Without listeners nothing is opened. [main thread, may block]
    Result<void> open();
    /// New domains for what is asked from now on. [main thread, may block]
    void use(servers::Wish const& wish);
    /// What was refused so far. [main thread, may block]
    [[nodiscard]] std::vector<egress::Blocked> blocked() const;
    /// Ends all connections and tells what was refused. [main thread, may block]
    std::vector<egress::Blocked> close();

private:
    EgressRoom& room_;
    egress::Rules rules_;
    bool require_sni_;
    std::vector<EgressListener> listeners_;
    std::unique_ptr<egress::Passage> passage_;
    std::vector<egress::Blocked> blocked_; // once it is closed
};

} // namespace pfar::house
