#include "egress/gate.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace pfar::egress {
namespace {

constexpr std::size_t lookups_at_once =
    16; // of the resolver's 32: one server's dead domains must not hold up the others
constexpr std::size_t most_waiting = 1024;

/// Asked by every library on its own account, about the addresses it was given.
bool is_reverse(std::string const& name) {
    return name.ends_with(".in-addr.arpa") || name.ends_with(".ip6.arpa");
}

Verdict refused(std::string name, std::string why) {
    Verdict verdict;
    verdict.name = std::move(name);
    verdict.why = std::move(why);
    return verdict;
}

} // namespace

void Gate::decide(Destination destination, Answer answer) {
    auto named = judge_name(*rules_, destination);
    if (!named.allowed) return refuse(named.host, destination, std::move(named.why), answer);
    if (destination.said == Destination::Said::dns_question || destination.connected) {
        Verdict verdict;
        verdict.allowed = true;
        verdict.is_address = named.host.address.has_value();
        verdict.name = std::move(named.host.name);
        return answer(std::move(verdict));
    }
    if (rules_->upstream) return go_upstream(named.host, answer);
    if (named.host.address)
        return answer(judge_addresses(*rules_, named.host, destination.port, {*named.host.address}));
    look_up(named.host.name, [self = shared_from_this(), destination, answer = std::move(answer)](
                                 Lookup const& lookup) { self->judge_lookup(destination, lookup, answer); });
}

void Gate::refuse(base::Host const& host, Destination const& destination, std::string why, Answer const& answer) {
    bool const known = !host.name.empty();
    auto const domain = known ? host.name : base::printable(destination.host.substr(0, 260));
    if (!is_reverse(domain))
        ledger_.block({domain, known ? "not in its allowed domains" : "no host name",
                       known ? rule_for(host, destination.port) : "", 1},
                      Ledger::Clock::now());
    answer(refused(host.name, std::move(why)));
}

/// The rules may have changed meanwhile, so the name is judged again; that costs nothing.
void Gate::judge_lookup(Destination const& destination, Lookup const& lookup, Answer const& answer) {
    auto named = judge_name(*rules_, destination);
    if (!named.allowed) return refuse(named.host, destination, std::move(named.why), answer);
    auto verdict = judge_addresses(*rules_, named.host, destination.port, lookup.addresses);
    if (!verdict.allowed)
        ledger_.block({named.host.name,
                       fmt::format("its address is not one of the world's{}", private_remedy(*rules_, named.host)), "",
                       1},
                      Ledger::Clock::now());
    if (!lookup.trouble.empty()) verdict.why = fmt::format("{} has no address: {}", named.host.name, lookup.trouble);
    answer(std::move(verdict));
}

/// The upstream proxy looks the name up: behind one, this machine often cannot.
void Gate::go_upstream(base::Host const& host, Answer const& answer) {
    look_up(rules_->upstream->host, [proxy = rules_->upstream, host, answer](Lookup const& lookup) {
        Verdict verdict;
        verdict.allowed = true;
        verdict.name = host.name;
        verdict.is_address = host.address.has_value();
        auto upstream = std::make_shared<Upstream>();
        upstream->dial = lookup.addresses;
        upstream->port = proxy->port;
        upstream->authorization = proxy->authorization.clone();
        verdict.upstream = std::move(upstream);
        verdict.why = fmt::format("the upstream proxy {}:{} {}", proxy->host, proxy->port,
                                  lookup.addresses.empty() ? "has no address: " + lookup.trouble : "does not answer");
        answer(std::move(verdict));
    });
}

void Gate::look_up(std::string const& name, std::function<void(Lookup)> then) {
    if (auto const host = base::canonical_host(name); host && host->address) return then({{*host->address}, ""});
    if (++waiting_ > most_waiting) return --waiting_, then({{}, "too many names are being looked up"});
    auto& waiting = asked_[name];
    waiting.push_back(std::move(then));
    if (waiting.size() > 1) return; // somebody else has asked already
    queue_.push_back(name);
    start_lookups();
}

void Gate::start_lookups() {
    while (looking_up_ < lookups_at_once && !queue_.empty()) {
        auto const name = std::move(queue_.front());
        queue_.pop_front();
        ++looking_up_;
        resolver_.look_up(name, [self = shared_from_this(), name](Lookup const& lookup) { self->found(name, lookup); });
    }
}

void Gate::found(std::string const& name, Lookup const& lookup) {
    --looking_up_;
    auto const waiting = asked_.extract(name); // whoever asks from now on gets a lookup of its own
    if (waiting.empty()) return;
    waiting_ -= waiting.mapped().size();
    for (auto const& then : waiting.mapped()) then(lookup);
    start_lookups();
}

} // namespace pfar::egress
