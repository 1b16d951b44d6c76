// Program: a compiled schema. Flat tables that refer to each other by number, so that a schema of a tool takes a kilobyte and not ten.
#pragma once

#include "pipeline/schema_index.hpp"
#include "pipeline/schema_pattern.hpp"

#include <span>

namespace pfar::pipeline::schemas {

inline constexpr std::size_t most_nodes = 10'000;
inline constexpr std::size_t most_patterns = 100;
inline constexpr std::size_t most_notes = 20;

inline constexpr std::uint32_t none = ~std::uint32_t{};

/// In the order they are looked at: what is cheap and telling first, what needs to know the others last.
/// In brackets: what Rule::about is, a number of that table, or the layout of the list that it is the number of.
enum class Op : std::uint8_t {
    never,
    type,               // (bits by Kind, 1 << 6 for integer)
    unknown,            // (bits by Kind) something is asked of those that cannot be checked
    constant,           // (place in literals)
    enumeration,        // (place in literals)
    minimum,            // (place in literals), likewise the next four
    exclusive_minimum,  //
    maximum,            //
    exclusive_maximum,  //
    multiple_of,        //
    min_length,         // (how many), likewise the next five
    max_length,         //
    min_items,          //
    max_items,          //
    min_properties,     //
    max_properties,     //
    required,           // [name...]
    dependent_required, // [name, name...]
    pattern,            // (pattern)
    property_names,     // (node)
    members,  // [properties, node of all others, (name, node)..., (pattern, node)...]; pattern none: it is not known
    items,    // [node of all others, node of the first...]
    contains, // [node, least, most]
    dependent_schemas,      // [(name, node)...]
    ref,                    // (node)
    dynamic_ref,            // [node, name]; name none: it is that node
    all_of,                 // [node...], likewise the next two
    any_of,                 //
    one_of,                 //
    negation,               // (node)
    condition,              // [if, then, else]
    unique_items,           //
    unevaluated_items,      // (node)
    unevaluated_properties, // (node)
};

inline constexpr unsigned integer_bit = 1U << 6U;
inline constexpr unsigned bit(Kind kind) {
    return 1U << static_cast<unsigned>(kind);
}

struct Rule {
    Op op;
    std::uint32_t about;
};

using NodeId = std::uint32_t;

struct Node {
    std::uint32_t first, count; // of rules
    Resource resource;
};

struct Program {
    std::vector<Node> nodes; // the first is the whole
    std::vector<Rule> rules;
    std::vector<std::uint32_t> lists; // each is led by its size
    std::vector<std::uint32_t> names; // where each begins in name_text; one more for the end
    std::string name_text, literal_text;
    Tree literals; // of literal_text
    std::vector<Pattern> patterns;
    struct Anchor {
        Resource resource;
        std::uint32_t name;
        NodeId node;
    };
    std::vector<Anchor> anchors; // dynamic ones
    std::vector<std::string> unchecked;

    [[nodiscard]] std::span<Rule const> rules_of(NodeId node) const {
        return std::span(rules).subspan(nodes[node].first, nodes[node].count);
    }
    [[nodiscard]] std::span<std::uint32_t const> list(std::uint32_t about) const {
        return std::span(lists).subspan(about + 1, lists[about]);
    }
    [[nodiscard]] std::string_view name(std::uint32_t number) const {
        return std::string_view(name_text).substr(names[number], names[number + 1] - names[number]);
    }
    [[nodiscard]] bool is_never(NodeId node) const {
        return nodes[node].count == 1 && rules[nodes[node].first].op == Op::never;
    }
};

/// Bounded, see above. Errc::invalid with a sentence.
Result<std::unique_ptr<Program const>> compile(std::string_view json);

/// Errc::invalid if a schema applies itself to the value it is applied to.
Result<void> refuse_circles(Program const& program, std::span<Place const> places, Tree const& tree);

} // namespace pfar::pipeline::schemas
