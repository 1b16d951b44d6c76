// Compiler: from a schema's text to a Program. Each schema in it becomes a node when something first leads there; a list of those that are still to be
// compiled takes the place of recursion.
#pragma once

#include "pipeline/schema_program.hpp"

#include <map>

namespace pfar::pipeline::schemas {

class Compiler {
public:
    Compiler(Tree const& tree, Index index, Dialect dialect);
    Result<std::unique_ptr<Program const>> run();

private:
    // A keyword's value becomes rules of the node at hand. The Op is the one its line in the table of keywords has.
    using Handler = Result<void> (Compiler::*)(Op op, Value value);
    struct Keyword;
    static Keyword const* keyword(std::string_view name);

    Result<void> type(Op op, Value value);
    Result<void> literal(Op op, Value value);
    Result<void> enumeration(Op op, Value value);
    Result<void> number(Op op, Value value);
    Result<void> multiple_of(Op op, Value value);
    Result<void> count(Op op, Value value);
    Result<void> pattern(Op op, Value value);
    Result<void> format(Op op, Value value);
    Result<void> required(Op op, Value value);
    Result<void> unique_items(Op op, Value value);
    Result<void> recursive_reference(Op op, Value value);

    Result<void> schema(Op op, Value value);
    Result<void> schema_list(Op op, Value value);
    Result<void> reference(Op op, Value value);
    Result<void> dependencies(Op op, Value value);
    Result<void> condition(Op op, Value value);
    Result<void> contains(Op op, Value value);
    Result<void> items(Op op, Value value);
    Result<void> members(Op op, Value value);

    Result<void> node_rules(Value schema);
    void add_dynamic_anchors();
    Result<void> place_literals();
    void shrink();
    /// The node of the schema that stands there; Errc::invalid if none may.
    Result<NodeId> node(Value schema);
    /// That of the sibling keyword, or `none`.
    Result<NodeId> sibling(std::string_view keyword);
    Result<std::vector<std::uint32_t>> nodes_of(Value array);
    std::uint32_t pattern_number(std::string_view ecma);
    Result<Pattern> compiled_pattern(std::string_view ecma);
    Result<std::vector<std::uint32_t>> names_of(Value array);
    std::uint32_t name(std::string_view text);
    void add(Op op, std::uint32_t about) { rules_.push_back({op, about}); }
    void add_list(Op op, std::vector<std::uint32_t> const& list);
    void note(std::string what);
    [[nodiscard]] bool has(Op op) const;
    [[nodiscard]] Error wrong(Value value, std::string_view expected) const;

    Tree const& tree_;
    Index index_;
    Dialect dialect_;
    std::unique_ptr<Program> out_ = std::make_unique<Program>();
    std::vector<NodeId> node_at_; // by place
    std::vector<Place> places_;   // by node
    std::vector<Value> literals_; // rules refer to them by number until they are placed
    std::map<std::string, std::uint32_t, std::less<>> name_numbers_, pattern_numbers_;
    std::size_t pattern_weight_ = 0;
    Value schema_;            // the one at hand
    std::vector<Rule> rules_; // and its rules
};

} // namespace pfar::pipeline::schemas
