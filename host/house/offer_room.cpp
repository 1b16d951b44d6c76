#include "house/offer_room.hpp"

#include "base/digest.hpp"

#include <boost/json.hpp>
#include <spdlog/spdlog.h>

namespace pfar::house {
namespace {

constexpr std::size_t most_told = 10;

/// Servers add tools when they have heard what their client can do: that is still the first listing.
constexpr std::chrono::seconds first_moment{1};

pipeline::Lists lists_of(servers::Listing const& listing) {
    pipeline::Lists out;
    for (auto const& tool : listing.tools) out.tools.push_back(tool.json);
    out.prompts = listing.prompts, out.resources = listing.resources, out.templates = listing.templates;
    out.instructions = listing.facts.instructions, out.capabilities = listing.facts.capabilities;
    return out;
}

boost::json::value parsed(std::string_view json) {
    boost::system::error_code error;
    boost::json::parse_options options;
    options.max_depth = 64;
    auto value = boost::json::parse(boost::json::string_view(json.data(), json.size()), error, {}, options);
    return error ? boost::json::value() : value;
}

} // namespace

OfferRoom::Known& OfferRoom::known(servers::Server const& server) {
    auto& one = known_[server.file()->identity.native()];
    if (!one.pins) {
        one.pins = pipeline::Pins::read(house_.places.home / "cache" / (server.slug() + ".pins.json"));
        if (!one.pins->trouble().empty())
            spdlog::warn("{}: what you agreed to cannot be read ({}): every tool of it asks; pfar tools accept {}",
                         server.name(), one.pins->trouble(), server.name());
    }
    return one;
}

void OfferRoom::look_at(servers::Server const& server) {
    auto& one = known(server);
    if (server.listing()) agree_to_first(server, one);
    make(server, one);
    tell(server, one);
}

void OfferRoom::agree_to_first(servers::Server const& server, Known& known) {
    auto const now = std::chrono::steady_clock::now();
    bool const first = known.pins->fresh();
    if (first) known.agrees_until = now + first_moment;
    if (!first && now > known.agrees_until) return;
    bool more = false;
    for (auto const& tool : server.listing()->tools) {
        if (known.pins->knows(tool.name)) continue;
        auto text = pipeline::pinned_text(tool.json);
        auto const pin = base::sha256(text);
        known.pins->agree(tool.name, pin, std::move(text));
        more = true;
    }
    if (!first && !more) return;
    if (auto const kept = known.pins->keep(); !kept)
        spdlog::warn("{}: its tools are not pinned: {}", server.name(), kept.error().what);
}

void OfferRoom::make(servers::Server const& server, Known& known) {
    auto made = std::make_shared<pipeline::Offer>();
    made->identity = server.file()->identity.native();
    pipeline::apply_rules(*made, server.spec(), house_.settings);
    if (server.listing())
        pipeline::fill_offer(*made, lists_of(*server.listing()), [&](std::string const& tool, std::string const& pin) {
            return known.pins->has(tool, pin);
        });
    if (known.listing != server.listing())
        for (std::size_t i = 0; i < std::min(made->left_out.size(), most_told); ++i)
            spdlog::warn("{}: {}", server.name(), made->left_out[i]);
    known.listing = server.listing();
    known.file = server.file();
    known.offer = std::move(made);
}

void OfferRoom::tell(servers::Server const& server, Known& known) {
    std::vector<Change> out;
    for (auto const& tool : known.offer->tools)
        if (!tool.pinned && known.told.insert(tool.pin).second)
            out.push_back({tool.name, tool.pin, known.pins->knows(tool.name) ? "changed" : "new"});
    if (!out.empty()) unagreed_(server, out);
}

pipeline::OfferPtr OfferRoom::of(servers::Server const& server) {
    auto& one = known(server);
    if (!one.offer || one.listing != server.listing() || one.file != server.file()) look_at(server);
    return one.offer;
}

pipeline::OfferPtr OfferRoom::find(std::string const& identity) const {
    auto const found = known_.find(identity);
    return found == known_.end() ? nullptr : found->second.offer;
}

void OfferRoom::forget() {
    for (auto& [identity, one] : known_) one.offer.reset();
}

boost::json::object OfferRoom::changes(servers::Server const& server) {
    auto const offer = of(server);
    auto const& pins = *known(server).pins;
    boost::json::array out;
    for (auto const& tool : offer->tools) {
        if (tool.pinned) continue;
        bool const was = pins.knows(tool.name);
        out.push_back(boost::json::object{{"tool", tool.name},
                                          {"change", was ? "changed" : "new"},
                                          {"pin", tool.pin},
                                          {"before", was ? parsed(pins.text_of(tool.name)) : boost::json::value()},
                                          {"now", parsed(pipeline::pinned_text(tool.json))}});
    }
    for (auto const& [name, pin] : pins.digests())
        if (offer->known &&
            std::none_of(offer->tools.begin(), offer->tools.end(), [&](auto const& tool) { return tool.name == name; }))
            out.push_back(boost::json::object{{"tool", name},
                                              {"change", "gone"},
                                              {"pin", pin},
                                              {"before", parsed(pins.text_of(name))},
                                              {"now", nullptr}});
    return {{"server", server.name()}, {"changes", std::move(out)}};
}

Result<std::size_t> OfferRoom::accept(servers::Server const& server, std::map<std::string, std::string> const& wanted) {
    auto const offer = of(server);
    auto& one = known(server);
    std::size_t count = 0;
    for (auto const& [name, pin] : wanted) {
        auto const tool = std::find_if(offer->tools.begin(), offer->tools.end(),
                                       [&](auto const& listed) { return listed.name == name; });
        bool const gone = tool == offer->tools.end();
        if (gone ? one.pins->has(name, pin) : tool->pin == pin) {
            if (gone)
                one.pins->forget(name);
            else
                one.pins->agree(name, pin, pipeline::pinned_text(tool->json));
            ++count;
        }
    }
    if (count > 0) PFAR_CHECK(one.pins->keep());
    make(server, one);
    return count;
}

} // namespace pfar::house
