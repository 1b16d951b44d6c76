#include "pipeline/schema_index.hpp"

#include "pipeline/schema_uri.hpp"
#include "pipeline/schema_words.hpp"

#include <fmt/format.h>

#include <charconv>

namespace pfar::pipeline::schemas {
namespace {

constexpr std::size_t most_address_bytes = 2000;

std::string unescaped(std::string_view part) { // of a pointer
    std::string out;
    for (; !part.empty(); part.remove_prefix(1)) {
        bool const escape = part.starts_with("~0") || part.starts_with("~1");
        out += escape ? (part[1] == '0' ? '~' : '/') : part[0];
        if (escape) part.remove_prefix(1);
    }
    return out;
}

} // namespace

std::string where(Tree const& tree, Place place) {
    return "#" + tree.pointer_to(place);
}

Result<Index> Index::make(Tree const& tree, Dialect dialect) {
    Index out(tree, dialect);
    out.addresses_.push_back({"", 0});
    out.by_address_.emplace("", 0);
    PFAR_CHECK(out.survey(tree.root(), 0));
    return out;
}

Result<void> Index::survey(Value schema, Resource around) {
    resources_[schema.place()] = around;
    if (!schema.is(Kind::object)) return {};
    PFAR_TRY(resource, resource_at(schema, around));
    resources_[schema.place()] = resource;
    for (auto const* const keyword : {"$anchor", "$dynamicAnchor"}) PFAR_CHECK(name(schema, keyword, resource));
    Result<void> out;
    each_subschema(schema, dialect_, [&](Value inner) { return (out = survey(inner, resource)).has_value(); });
    return out;
}

/// `around`, or a new one if it has an address.
Result<Resource> Index::resource_at(Value schema, Resource around) {
    auto const id = schema.find("$id");
    if (!id || !id->is(Kind::string)) return around;
    if (dialect_ == Dialect::draft7 && schema.find("$ref")) return around; // what stands beside it does not count
    auto const [address, fragment] = resolve(addresses_[around].text, id->text());
    if (address.size() > most_address_bytes)
        return fail(Errc::invalid, fmt::format("{}: the address is too long", where(tree_, id->place())));
    auto resource = around;
    if (address != addresses_[around].text) {
        resource = static_cast<Resource>(addresses_.size());
        addresses_.push_back({address, schema.place()});
        by_address_.emplace(address, resource);
    }
    if (dialect_ == Dialect::draft7 && !fragment.empty() &&
        by_name_.emplace(std::pair(resource, fragment), anchors_.size()).second)
        anchors_.push_back({resource, fragment, schema.place(), false});
    return resource;
}

Result<void> Index::name(Value schema, std::string_view keyword, Resource resource) {
    auto const anchor = dialect_ == Dialect::draft7 ? std::nullopt : schema.find(keyword);
    if (!anchor) return {};
    if (!anchor->is(Kind::string))
        return fail(Errc::invalid, fmt::format("{}: expected a string", where(tree_, anchor->place())));
    auto const text = anchor->text();
    if (by_name_.emplace(std::pair(resource, text), anchors_.size()).second)
        anchors_.push_back({resource, text, schema.place(), keyword == "$dynamicAnchor"});
    return {};
}

Result<Index::Target> Index::find(Place from, std::string_view reference) {
    if (reference.size() > most_address_bytes) return fail(Errc::invalid, "it is too long");
    auto const [address, fragment] = resolve(addresses_[resources_[from]].text, reference);
    auto const found = by_address_.find(address);
    if (found == by_address_.end())
        return fail(Errc::invalid,
                    fmt::format("\"{}\" is not in this schema, and nothing outside of it is read", shown(reference)));
    if (fragment.empty()) return Target{addresses_[found->second].root, {}};
    return fragment.starts_with('/') ? pointed(found->second, fragment) : named(found->second, fragment);
}

Result<Index::Target> Index::named(Resource resource, std::string const& name) const {
    auto const found = by_name_.find(std::pair(resource, name));
    if (found == by_name_.end())
        return fail(Errc::invalid, fmt::format("there is no anchor \"{}\" in this schema", shown(name)));
    auto const& anchor = anchors_[found->second];
    return Target{anchor.place, anchor.dynamic ? name : ""};
}

Result<Index::Target> Index::pointed(Resource resource, std::string_view pointer) {
    auto value = tree_.at(addresses_[resource].root);
    for (auto rest = pointer; !rest.empty();) {
        rest.remove_prefix(1);
        auto const part = rest.substr(0, rest.find('/'));
        rest.remove_prefix(part.size());
        auto const next = step(value, unescaped(part));
        if (budget_.spent()) return fail(Errc::invalid, "there are too many references in too large a schema");
        if (!next)
            return fail(Errc::invalid, fmt::format("there is nothing at \"#{}\" in this schema", shown(pointer)));
        value = *next;
        if (resources_[value.place()] != unknown) resource = resources_[value.place()];
    }
    if (resources_[value.place()] == unknown) PFAR_CHECK(survey(value, resource)); // below a keyword that nobody knows
    return Target{value.place(), {}};
}

std::optional<Value> Index::step(Value from, std::string const& key) {
    if (!budget_.spend(from.count() + 1)) return {};
    if (!from.is(Kind::array)) return from.find(key);
    std::size_t index = 0;
    auto const [stop, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (error != std::errc() || stop != key.data() + key.size() || index >= from.count()) return {};
    auto out = from.first();
    for (; index > 0; --index) out = out.behind();
    return out;
}

} // namespace pfar::pipeline::schemas
