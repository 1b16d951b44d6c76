// A schema that applies itself to the very value it is applied to never comes to an end. Whatever is left when all nodes that lead nowhere
// have been taken away, again and again, does.
#include "pipeline/schema_program.hpp"

#include <fmt/format.h>

#include <functional>

namespace pfar::pipeline::schemas {
namespace {

/// Tells of the nodes that look at the same value.
void each_at_the_same_value(Program const& program, NodeId node, std::function<void(NodeId)> const& tell) {
    for (auto const [op, about] : program.rules_of(node)) {
        if (op == Op::ref || op == Op::negation) tell(about);
        bool const listed = op == Op::all_of || op == Op::any_of || op == Op::one_of || op == Op::condition;
        if (listed)
            for (auto const inner : program.list(about)) inner == none ? void() : tell(inner);
        if (op == Op::dependent_schemas)
            for (std::size_t i = 1; i < program.list(about).size(); i += 2) tell(program.list(about)[i]);
    }
}

} // namespace

Result<void> refuse_circles(Program const& program, std::span<Place const> places, Tree const& tree) {
    auto const count = program.nodes.size();
    std::vector<std::size_t> left(count, 0); // how many each leads to
    std::vector<std::vector<NodeId>> led_from(count);
    std::vector<NodeId> done;
    for (NodeId node = 0; node < count; ++node) {
        each_at_the_same_value(program, node, [&](NodeId to) { ++left[node], led_from[to].push_back(node); });
        if (left[node] == 0) done.push_back(node);
    }
    for (std::size_t i = 0; i < done.size(); ++i)
        for (auto const from : led_from[done[i]])
            if (--left[from] == 0) done.push_back(from);
    for (NodeId node = 0; node < count; ++node)
        if (left[node] != 0)
            return fail(Errc::invalid,
                        fmt::format("{}: it leads back to itself, in a circle", where(tree, places[node])));
    return {};
}

} // namespace pfar::pipeline::schemas
