// Passage: one sandbox's way out, for as long as it lives: its listeners, its filter's session, its gate.
#pragma once

#include "egress/gate.hpp"
#include "egress/lane.hpp"

#include <pfar/egress_filter.hpp>

namespace pfar::egress {

struct PassageTask {
    Rules rules;
    std::vector<EgressListener> listeners;
    bool require_sni = true;
    Ledger::Audit audit; // may be called from the lane; may be empty
};

class Passage {
public:
    /// The lane and the filter outlive it. [not the lane, may block]
    static Result<std::unique_ptr<Passage>> open(Lane& lane, EgressFilter& filter, std::string const& filter_name,
                                                 PassageTask task);
    Passage(Passage const&) = delete;
    Passage& operator=(Passage const&) = delete;
    /// Ends every connection; what was counted is in the audit then. [not the lane, may block]
    ~Passage();

    /// New rules for what is asked from now on. [not the lane, may block]
    void use(Rules rules);
    [[nodiscard]] std::vector<Blocked> blocked() const; // [not the lane, may block]

private:
    explicit Passage(Lane& lane) : lane_(lane) {}

    Lane& lane_;
    std::shared_ptr<Gate> gate_;
    std::unique_ptr<EgressSession> session_;
    std::shared_ptr<struct Settling> settling_;
};

} // namespace pfar::egress
