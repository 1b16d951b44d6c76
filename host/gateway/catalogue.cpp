#include "gateway/catalogue.hpp"

#include "base/text.hpp"
#include "gateway/pages.hpp"
#include "pipeline/names.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"
#include "wire/splice.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::gateway {
namespace {

constexpr std::string_view scheme = "pfar://";
constexpr std::size_t most_instructions = 256U << 10U;

std::size_t count(Offer const& offer, Kind kind) {
    switch (kind) {
    case Kind::tools:
        return offer.tools.size();
    case Kind::prompts:
        return offer.prompts.size();
    case Kind::resources:
        return offer.resources.size();
    case Kind::templates:
        return offer.templates.size();
    }
    return 0;
}

char const* member_for(Kind kind) {
    switch (kind) {
    case Kind::tools:
        return "tools";
    case Kind::prompts:
        return "prompts";
    case Kind::resources:
        return "resources";
    case Kind::templates:
        return "resourceTemplates";
    }
    return "";
}

std::string with_value(std::string const& json, std::string_view key, std::string const& value) {
    return wire::spliced(json, {{wire::member_of(json, key), wire::quoted(value)}});
}

bool lists(Offer const& offer, std::string const& uri) {
    return std::any_of(offer.resources.begin(), offer.resources.end(), [&](auto const& one) { return one.uri == uri; });
}

/// A template of this server fits.
bool may_have(Offer const& offer, std::string_view uri) {
    return std::any_of(offer.templates.begin(), offer.templates.end(), [&](auto const& one) {
        std::string_view const text = one.uri;
        auto const open = text.find('{'), close = text.rfind('}');
        if (open == std::string_view::npos || close == std::string_view::npos) return false;
        auto const head = text.substr(0, open), tail = text.substr(close + 1);
        return uri.size() >= head.size() + tail.size() && uri.starts_with(head) && uri.ends_with(tail);
    });
}

Error whose(std::string const& uri, std::vector<std::string_view> const& names) {
    return fail(Errc::invalid, fmt::format("{} can be a resource of {}; say whose: pfar://SERVER/{}",
                                           base::printable(uri), base::listed(names), base::printable(uri)));
}

} // namespace

Result<std::string> Catalogue::page(Kind kind, std::string_view cursor) const {
    EntryPlace from;
    if (!cursor.empty()) {
        auto const parsed = parse_cursor(cursor);
        if (!parsed) return fail(Errc::invalid, "the cursor is none that pfar gave");
        from = *parsed;
    }
    Page page(member_for(kind));
    for (auto const& offer : offers_) {
        if (offer->name < from.server) continue;
        for (auto i = offer->name == from.server ? from.index : 0; i < count(*offer, kind); ++i)
            if (!page.add({offer->name, i}, entry(*offer, kind, i))) return std::move(page).text();
    }
    return std::move(page).text();
}

std::string Catalogue::entry(Offer const& offer, Kind kind, std::size_t index) const {
    switch (kind) {
    case Kind::tools: {
        auto const& tool = offer.tools[index];
        return single_ ? tool.json : with_value(tool.json, "name", tool.public_name);
    }
    case Kind::prompts: {
        auto const& prompt = offer.prompts[index];
        return single_ ? prompt.json : with_value(prompt.json, "name", prompt.public_name);
    }
    case Kind::templates:
        return offer.templates[index].json;
    case Kind::resources:
        break;
    }
    auto const& resource = offer.resources[index];
    if (single_ || !is_shared_uri(resource.uri)) return resource.json;
    return with_value(resource.json, "uri", fmt::format("{}{}/{}", scheme, offer.name, resource.uri));
}

bool Catalogue::is_shared_uri(std::string const& uri) const {
    return std::count_if(offers_.begin(), offers_.end(), [&](auto const& offer) { return lists(*offer, uri); }) > 1;
}

std::string Catalogue::instructions() const {
    std::string out;
    for (auto const& offer : offers_) {
        if (offer->instructions.empty() || out.size() + offer->instructions.size() > most_instructions) continue;
        if (single_) return offer->instructions;
        out += fmt::format("{}# {} (its tools begin with {}__)\n\n{}", out.empty() ? "" : "\n\n", offer->name,
                           offer->name, offer->instructions);
    }
    return out;
}

OfferPtr Catalogue::server_in(std::string_view name) const {
    auto const split = pipeline::split_name(name);
    auto const found =
        std::find_if(offers_.begin(), offers_.end(), [&](auto const& offer) { return offer->name == split.server; });
    if (found != offers_.end()) return *found;
    return single_ && !offers_.empty() ? offers_.front() : nullptr;
}

std::optional<Catalogue::Found> Catalogue::tool(std::string_view name) const {
    auto const offer = server_in(name);
    if (!offer) return {};
    auto const split = pipeline::split_name(name);
    bool const named = split.server == offer->name;
    auto const* tool = single_ ? offer->tool(name) : nullptr; // under --server its own names come first
    if (tool == nullptr && named && !split.people) tool = offer->public_tool(name);
    if (tool == nullptr && named) tool = offer->tool(split.rest);
    if (tool == nullptr) return {};
    return Found{offer, tool->name};
}

std::optional<Catalogue::Found> Catalogue::prompt(std::string_view name) const {
    auto const offer = server_in(name);
    if (!offer) return {};
    auto const split = pipeline::split_name(name);
    bool const named = split.server == offer->name;
    auto const* prompt = single_ ? offer->prompt(name) : nullptr;
    if (prompt == nullptr && named && !split.people) prompt = offer->public_prompt(name);
    if (prompt == nullptr && named) prompt = offer->prompt(split.rest);
    if (prompt == nullptr) return {};
    return Found{offer, prompt->name};
}

Result<Catalogue::Found> Catalogue::resource(std::string const& uri) const {
    if (single_ && !offers_.empty()) return Found{offers_.front(), uri, lists(*offers_.front(), uri)};
    if (std::string_view rest = uri; rest.starts_with(scheme)) {
        rest.remove_prefix(scheme.size());
        auto const name = rest.substr(0, rest.find('/'));
        for (auto const& offer : offers_)
            if (offer->name == name && name.size() < rest.size()) {
                std::string own(rest.substr(name.size() + 1));
                bool const listed = lists(*offer, own);
                return Found{offer, std::move(own), listed};
            }
    }
    std::vector<std::string_view> names;
    Found out;
    for (auto const& offer : offers_)
        if (lists(*offer, uri)) names.push_back(offer->name), out = {offer, uri, true};
    if (names.size() > 1) return whose(uri, names);
    if (out.offer) return out;
    for (auto const& offer : offers_) // that one fits better than another means nothing: its server chose it
        if (may_have(*offer, uri)) names.push_back(offer->name), out = {offer, uri, false};
    if (names.size() > 1) return whose(uri, names);
    if (out.offer) return out;
    return fail(Errc::not_found,
                fmt::format("no server has the resource {}; pfar://SERVER/URI asks one by name", base::printable(uri)));
}

} // namespace pfar::gateway
