// Gate: answers one sandbox's filter. The name is judged, then looked up, then its addresses are judged, by the rules of that moment.
#pragma once

#include "egress/judge.hpp"
#include "egress/ledger.hpp"
#include "egress/resolver.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace pfar::egress {

/// Lives on the executor; shared with the filter's session, which may ask until it has unwound.
class Gate : public std::enable_shared_from_this<Gate> {
public:
    using Answer = std::function<void(Verdict)>;

    Gate(std::shared_ptr<Rules const> rules, Resolver& resolver, Ledger::Audit audit)
        : rules_(std::move(rules)), resolver_(resolver), ledger_(rules_->server, std::move(audit)) {}

    void decide(Destination destination, Answer answer);
    /// From now on these count, also for what is being looked up.
    void use(std::shared_ptr<Rules const> rules) { rules_ = std::move(rules); }
    Ledger& ledger() { return ledger_; }
    [[nodiscard]] std::string const& server() const { return rules_->server; }

private:
    void refuse(base::Host const& host, Destination const& destination, std::string why, Answer const& answer);
    void look_up(std::string const& name, std::function<void(Lookup)> then);
    void start_lookups();
    void found(std::string const& name, Lookup const& lookup);
    void judge_lookup(Destination const& destination, Lookup const& lookup, Answer const& answer);
    void go_upstream(base::Host const& host, Answer const& answer);

    std::shared_ptr<Rules const> rules_;
    Resolver& resolver_;
    Ledger ledger_;
    std::map<std::string, std::vector<std::function<void(Lookup)>>> asked_; // by name; one lookup answers all
    std::deque<std::string> queue_;
    std::size_t looking_up_ = 0, waiting_ = 0;
};

} // namespace pfar::egress
