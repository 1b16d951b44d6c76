// OfferRoom: of every server what it offers now, judged against what the owner agreed to.
#pragma once

#include "house/roster.hpp"
#include "pipeline/offer.hpp"
#include "pipeline/pins.hpp"

#include <boost/json/object.hpp>

namespace pfar::house {

class OfferRoom {
public:
    /// A tool that the owner has not agreed to as it is.
    struct Change {
        std::string tool, pin, change; // "new", "changed"
    };
    /// Each is told once.
    using Unagreed = std::function<void(servers::Server const&, std::vector<Change> const&)>;

    OfferRoom(House const& house, Unagreed unagreed) : house_(house), unagreed_(std::move(unagreed)) {}

    /// What it lists or its file has changed. The first listing of all is agreed to. [main thread, as all of it]
    void look_at(servers::Server const& server);
    [[nodiscard]] pipeline::OfferPtr of(servers::Server const& server);
    /// By identity; null if there is none.
    [[nodiscard]] pipeline::OfferPtr find(std::string const& identity) const;
    /// Settings have changed: all are made anew when they are asked for.
    void forget();
    /// Of those that are gone nothing is remembered: what the owner agreed to is in its file, if that is still there.
    void keep_only(std::function<bool(std::string const& identity)> const& is_there) {
        std::erase_if(known_, [&](auto const& one) { return !is_there(one.first); });
    }

    /// For `pfar tools accept`: {server, changes: [{tool, change, pin, before, now}]}.
    [[nodiscard]] boost::json::object changes(servers::Server const& server);
    /// Agrees to exactly these: tool -> pin. How many it were.
    Result<std::size_t> accept(servers::Server const& server, std::map<std::string, std::string> const& pins);

private:
    struct Known {
        std::shared_ptr<servers::Listing const> listing;
        servers::File file;
        pipeline::OfferPtr offer;
        std::optional<pipeline::Pins> pins;
        std::chrono::steady_clock::time_point agrees_until{}; // right after the first listing
        std::set<std::string> told;                           // of whom it was said that they have changed, by pin
    };
    Known& known(servers::Server const& server);
    void make(servers::Server const& server, Known& known);
    void agree_to_first(servers::Server const& server, Known& known);
    void tell(servers::Server const& server, Known& known);

    House const& house_;
    Unagreed unagreed_;
    std::map<std::string, Known> known_; // by identity
};

} // namespace pfar::house
