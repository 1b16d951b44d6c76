// Standing: what a session has become by what it has seen: its label and its taint, and which servers they are from.
#pragma once

#include "pipeline/offer.hpp"

namespace pfar::pipeline {

struct Standing {
    std::string id;     // for people
    std::string client; // "claude-code 2.1", as it calls itself
    base::Label label = base::Label::open;
    base::Taint taint = base::Taint::clean;
    std::string label_from{}, taint_from{};
    bool open = true;    // the session lives
    bool lasting = true; // false: each call is for itself, and nothing is agreed to for longer
};
using StandingPtr = std::shared_ptr<Standing>;

/// Labels: what flows from servers to sessions and back.
class Labels {
public:
    /// What a server's outputs carry: its own label, or that of what was written to it since its start, if that is higher.
    [[nodiscard]] base::Label of(Offer const& offer) const;
    /// Something of it has reached the session.
    void seen(Standing& standing, Offer const& offer) const;
    /// Something of the session has been written to it.
    void written(Standing const& standing, Offer const& offer);
    /// Its process is new.
    void forget(std::string const& identity) { written_.erase(identity); }

private:
    std::map<std::string, base::Label> written_; // by identity: the highest
};

} // namespace pfar::pipeline
