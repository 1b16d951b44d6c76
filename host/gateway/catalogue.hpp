// Catalogue: what one session sees of all servers, or of one: merged lists, and whose a name or a URI is.
#pragma once

#include "pipeline/offer.hpp"

#include <optional>

namespace pfar::gateway {

using pipeline::Offer;
using pipeline::OfferPtr;

enum class Kind { tools, prompts, resources, templates };

class Catalogue {
public:
    /// In the order of their names; `single`: there is one, and everything of it is called as it calls it.
    Catalogue(std::vector<OfferPtr> offers, bool single) : offers_(std::move(offers)), single_(single) {}

    [[nodiscard]] std::vector<OfferPtr> const& offers() const { return offers_; }
    /// A page of a merged list from a cursor on (JSON, or empty). Errc::invalid if the cursor is none of ours.
    [[nodiscard]] Result<std::string> page(Kind kind, std::string_view cursor) const;
    /// What servers say about how they are used, each under its name.
    [[nodiscard]] std::string instructions() const;

    struct Found {
        OfferPtr offer;
        std::string name; // or URI, as the server knows it
        bool listed = true;
    };
    /// A server whose tool, or prompt, this may be: `notion__search`, `notion.search`, or bare if there is one server.
    [[nodiscard]] OfferPtr server_in(std::string_view name) const;
    [[nodiscard]] std::optional<Found> tool(std::string_view name) const;
    [[nodiscard]] std::optional<Found> prompt(std::string_view name) const;
    /// The server that lists it, has a template for it, or is named in it (pfar://NAME/URI). Errc::not_found, or invalid if it is several servers'.
    [[nodiscard]] Result<Found> resource(std::string const& uri) const;

private:
    [[nodiscard]] std::string entry(Offer const& offer, Kind kind, std::size_t index) const;
    [[nodiscard]] bool is_shared_uri(std::string const& uri) const;

    std::vector<OfferPtr> offers_;
    bool single_;
};

} // namespace pfar::gateway
