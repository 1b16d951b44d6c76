// EgressRoom: the filter, and the lane that it runs on, for all sandboxes of this process. Opened when the first one has somewhere to go.
#pragma once

#include "egress/passage.hpp"
#include "house/record.hpp"

#include <optional>

namespace pfar::house {

class EgressRoom {
public:
    EgressRoom(House const& house, Record& record) : house_(house), record_(record) {}

    struct Task {
        egress::Rules rules; // an upstream proxy in it is for want of the room's own
        std::vector<EgressListener> listeners;
        bool require_sni = true;
    };
    /// Whoever has it drops it before the room. [main thread, may block]
    Result<std::unique_ptr<egress::Passage>> open(Task task);
    /// The same rules with the room's upstream proxy in them, if it has one.
    egress::Rules complete(egress::Rules rules) const;

private:
    Result<void> prepare();

    House const& house_;
    Record& record_;
    std::optional<loader::PluginSet> filters_; // outlives the lane, on which its code runs
    EgressFilter* filter_ = nullptr;
    std::string filter_name_;
    std::shared_ptr<egress::UpstreamProxy const> upstream_;
    std::unique_ptr<egress::Lane> lane_;
};

} // namespace pfar::house
