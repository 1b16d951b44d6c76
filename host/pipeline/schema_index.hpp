// Index: where in a schema's text its references lead.
//
// A schema may give parts of itself addresses ($id) and names ($anchor); those count only where a schema stands, not within an enum or an unknown
// keyword. A reference that leads to none of them leads outside and is refused.
#pragma once

#include "pipeline/schema_budget.hpp"
#include "pipeline/schema_keywords.hpp"

#include <map>

namespace pfar::pipeline::schemas {

/// A part of a schema with an address of its own; the root is 0.
using Resource = std::uint32_t;

class Index {
public:
    static Result<Index> make(Tree const& tree, Dialect dialect);

    struct Anchor {
        Resource resource;
        std::string name;
        Place place;
        bool dynamic;
    };
    struct Target {
        Place place;
        std::string dynamic; // the name of a dynamic anchor: which one is meant is known when it is checked
    };
    /// Where `reference` leads to from the schema at `from`.
    Result<Target> find(Place from, std::string_view reference);
    [[nodiscard]] Resource resource_of(Place place) const { return resources_[place]; }
    [[nodiscard]] std::vector<Anchor> const& anchors() const { return anchors_; }

private:
    Index(Tree const& tree, Dialect dialect) : tree_(tree), dialect_(dialect), resources_(tree.size(), unknown) {}

    Result<void> survey(Value schema, Resource around);
    Result<Resource> resource_at(Value schema, Resource around);
    Result<void> name(Value schema, std::string_view keyword, Resource resource);
    Result<Target> named(Resource resource, std::string const& name) const;
    Result<Target> pointed(Resource resource, std::string_view pointer);
    [[nodiscard]] std::optional<Value> step(Value from, std::string const& key);

    static constexpr Resource unknown = ~Resource{};
    struct Address {
        std::string text;
        Place root;
    };
    Tree const& tree_;
    Dialect dialect_;
    Budget budget_;
    std::vector<Resource> resources_; // by place; unknown: no schema is known to stand there
    std::vector<Address> addresses_;  // by resource
    std::map<std::string, Resource, std::less<>> by_address_;
    std::vector<Anchor> anchors_;
    std::map<std::pair<Resource, std::string>, std::size_t> by_name_; // in anchors_
};

/// "#/a/b", for sentences.
std::string where(Tree const& tree, Place place);

} // namespace pfar::pipeline::schemas
