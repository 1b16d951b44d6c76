// WayOut: what stands between one sandbox and the world, from the listeners that the shim hands out to the last record.
#pragma once

#include "egress/passage.hpp"
#include "house/record.hpp"
#include "servers/wish.hpp"
#include "spawn/child.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace pfar::house {

class WayOut {
public:
    /// Nothing is opened for a wish without domains. [main thread]
    WayOut(House const& house, servers::Wish const& wish, egress::Rules::Remedy remedy, Record& record);
    WayOut(WayOut const&) = delete;
    WayOut& operator=(WayOut const&) = delete;
    ~WayOut();

    /// Keeps a listener. Others than `listener` are not for it.
    void take(spawn::Note note);
    /// Serves what was taken. What connected meanwhile has waited. [main thread, may block]
    Result<void> open();
    /// Ends all connections and tells what was refused. [main thread, may block]
    std::vector<egress::Blocked> close();

private:
    Result<egress::Rules> rules() const;

    House const& house_;
    servers::Wish const& wish_;
    egress::Rules::Remedy remedy_;
    std::vector<EgressListener> listeners_;
    Record& record_;
    std::optional<loader::PluginSet> filters_; // outlives the lane, on which its code runs
    std::unique_ptr<egress::Lane> lane_;
    std::unique_ptr<egress::Passage> passage_;
};

/// The proxy that pfar.toml names, with its credentials; null if it names none. [main thread, may block]
Result<std::shared_ptr<egress::UpstreamProxy const>> upstream_proxy(House const& house, Record& record);

} // namespace pfar::house
