// Checker: looks at one value with one program, and pays for every look.
//
// An answer is yes, no or unknown: where a pattern cannot be checked, "not" and "oneOf" around it must not turn that into a no. And is the least
// of two, or the greatest. What is unknown in the end is let through.
#pragma once

#include "pipeline/schema_program.hpp"
#include "pipeline/schema_words.hpp"

namespace pfar::pipeline::schemas {

enum class Fit : std::uint8_t { no, unknown, yes };

/// Which elements or members of the value at hand some schema has had a say about, for unevaluatedItems and unevaluatedProperties.
class Evaluated {
public:
    explicit Evaluated(std::size_t count) : marks_(count, false) {}
    void mark(std::size_t index) { marks_[index] = true; }
    void mark_all() { marks_.assign(marks_.size(), true); }
    void merge(Evaluated const& other) {
        for (std::size_t i = 0; i < marks_.size(); ++i) marks_[i] = marks_[i] || other.marks_[i];
    }
    [[nodiscard]] bool has(std::size_t index) const { return marks_[index]; }

private:
    std::vector<bool> marks_;
};

class Checker {
public:
    /// `findings`: null if only the answer is of interest.
    Checker(Program const& program, Budget& budget, Findings* findings)
        : program_(program), budget_(budget), findings_(findings) {}

    /// If the budget is spent afterwards, the answer means nothing. `outer`: null if nobody asks.
    Fit fit(NodeId node, Value value, Evaluated* outer);

private:
    class Visit;
    class Quiet;
    using List = std::span<std::uint32_t const>;

    Fit apply(Rule rule, Value value, Evaluated* evaluated);
    Fit by_kind(Rule rule, Value value, Evaluated* evaluated);
    Fit type(unsigned bits, Value value);
    Fit literal(Rule rule, Value value);
    Fit number(Rule rule, Value value);
    Fit string(Rule rule, Value value);
    Fit array(Rule rule, Value value, Evaluated* evaluated);
    Fit object(Rule rule, Value value, Evaluated* evaluated);
    Fit size(std::uint32_t bound, bool low, Value value);

    [[nodiscard]] bool has_property(Value object, std::uint32_t name);
    Fit required(List names, Value object);
    Fit dependent_required(List names, Value object);
    Fit property_names(NodeId node, Value object);
    Fit members(List list, Value object, Evaluated* evaluated);
    Fit member(List list, Member member, bool& known);
    Fit unknown_property(Member member, List names);
    Fit dependent_schemas(List list, Value object, Evaluated* evaluated);
    Fit unevaluated_properties(NodeId node, Value object, Evaluated& evaluated);

    Fit items(List list, Value array, Evaluated* evaluated);
    Fit contains(List list, Value array, Evaluated* evaluated);
    Fit unevaluated_items(NodeId node, Value array, Evaluated& evaluated);
    Fit unique(Value array);

    Fit dynamic(List list, Value value, Evaluated* evaluated);
    Fit all_of(List nodes, Value value, Evaluated* evaluated);
    Fit any_of(List nodes, Value value, Evaluated* evaluated);
    Fit one_of(List nodes, Value value, Evaluated* evaluated);
    Fit negation(NodeId node, Value value);
    Fit condition(List list, Value value, Evaluated* evaluated);
    /// Without a word, and marking only if it fits.
    Fit attempt(NodeId node, Value value, Evaluated* evaluated);
    std::string alternatives(List nodes, Value value);

    /// No, and in words if somebody listens.
    template <class Words> Fit no(Value value, Words const& words) {
        if (findings_ != nullptr && !findings_->full()) findings_->add(value, words());
        return Fit::no;
    }
    /// Nothing more is to be learned.
    [[nodiscard]] bool settled(Fit fit) const {
        return budget_.spent() || (fit == Fit::no && (findings_ == nullptr || findings_->full()));
    }

    Program const& program_;
    Budget& budget_;
    Findings* findings_;
    std::vector<Resource> scope_; // those that led here, for $dynamicRef
    unsigned depth_ = 0;
    bool explaining_ = false;
};

/// One more within the others.
class Checker::Visit {
public:
    Visit(Checker& checker, Resource resource)
        : checker_(checker),
          entered_(!checker.program_.anchors.empty() && (checker.scope_.empty() || checker.scope_.back() != resource)) {
        ++checker_.depth_;
        if (entered_) checker_.scope_.push_back(resource);
    }
    ~Visit() {
        --checker_.depth_;
        if (entered_) checker_.scope_.pop_back();
    }
    Visit(Visit const&) = delete;
    Visit& operator=(Visit const&) = delete;

private:
    Checker& checker_;
    bool entered_;
};

/// While somebody else listens, or nobody.
class Checker::Quiet {
public:
    explicit Quiet(Checker& checker, Findings* other = nullptr)
        : checker_(checker), before_(std::exchange(checker.findings_, other)) {}
    ~Quiet() { checker_.findings_ = before_; }
    Quiet(Quiet const&) = delete;
    Quiet& operator=(Quiet const&) = delete;

private:
    Checker& checker_;
    Findings* before_;
};

} // namespace pfar::pipeline::schemas
