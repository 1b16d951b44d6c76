// Words about what does not fit: for whoever sent it, often a model. Names and what the schema asks for are repeated, values never.
#pragma once

#include "pipeline/schema_tree.hpp"

namespace pfar::pipeline::schemas {

/// Safe to show, and cut between characters if it is long.
std::string shown(std::string_view text, std::size_t most = 60);

std::string_view kind_name(Value value);

/// What does not fit, and where: the first few.
class Findings {
public:
    explicit Findings(std::size_t most = 4) : most_(most) {}

    void add(Value where, std::string what);
    [[nodiscard]] bool full() const { return list_.size() >= most_; }
    [[nodiscard]] bool empty() const { return list_.empty(); }
    /// "/a: expected string, found null; /b/0: ..."
    [[nodiscard]] std::string text(Tree const& tree) const;
    /// The first, without its place.
    [[nodiscard]] std::string const& first() const { return list_.front().what; }

private:
    struct Finding {
        Place place;
        std::string what;
    };
    std::size_t most_;
    std::vector<Finding> list_;
};

} // namespace pfar::pipeline::schemas
