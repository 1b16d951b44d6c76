// Tree: a JSON text as flat cells that point into it, 16 bytes a value.
//
// Nothing is decoded before it is asked for: most strings have no escapes, and numbers keep all their digits.
#pragma once

#include "pipeline/schema.hpp"

#include <cstdint>
#include <optional>

namespace pfar::pipeline::schemas {

enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

/// Of a value, or of a key, in its tree. The root's is 0; what is within a value comes right behind it.
using Place = std::uint32_t;

inline constexpr std::size_t most_values = 1'000'000; // keys are values here

struct Cell {
    std::uint32_t begin; // in the text; of a string: within its quotation marks
    std::uint32_t size : 28, kind : 3, escaped : 1;
    Place behind;        // the first that is not within it
    std::uint32_t count; // of elements or members
};
static_assert(sizeof(Cell) == 16);

class Value;

class Tree {
public:
    /// Views into `text`, which has to outlive it. Errc::invalid: no JSON, too deep, or a key twice; Errc::timeout: too many values.
    static Result<Tree> parse(std::string_view text, Duplicates duplicates);

    [[nodiscard]] Value root() const;
    [[nodiscard]] Value at(Place place) const;
    [[nodiscard]] std::size_t size() const { return cells_.size(); }
    /// "/a/0", safe to show; empty for the root.
    [[nodiscard]] std::string pointer_to(Place place) const;

private:
    friend class Value;
    [[nodiscard]] Result<void> refuse_duplicates() const;

    std::string_view text_;
    std::vector<Cell> cells_;
};

struct Member;
template <class T> class Range;

/// Valid as long as its tree.
class Value {
public:
    Value(Tree const& tree, Place place) : tree_(&tree), place_(place) {}

    [[nodiscard]] Place place() const { return place_; }
    [[nodiscard]] Kind kind() const { return static_cast<Kind>(cell().kind); }
    [[nodiscard]] bool is(Kind kind) const { return this->kind() == kind; }
    [[nodiscard]] bool is_true() const { return is(Kind::boolean) && written().front() == 't'; }
    [[nodiscard]] std::size_t count() const { return cell().count; }
    /// The text it was read from; of a string without its quotation marks.
    [[nodiscard]] std::string_view written() const { return tree_->text_.substr(cell().begin, cell().size); }
    /// What the string says. `kept` has it if it had to be decoded. Half a pair of surrogates becomes three bytes of its own.
    [[nodiscard]] std::string_view string(std::string& kept) const;
    /// How many bytes have to be decoded for that.
    [[nodiscard]] std::size_t escaped_bytes() const { return cell().escaped != 0 ? cell().size : 0; }
    /// False: it is too short or too long to say something of that many bytes.
    [[nodiscard]] bool may_say(std::size_t bytes) const {
        return cell().escaped == 0 ? bytes == cell().size : bytes < cell().size && bytes * 6 >= cell().size;
    }
    [[nodiscard]] std::string text() const;
    [[nodiscard]] Value behind() const { return {*tree_, cell().behind}; }
    [[nodiscard]] Value first() const { return {*tree_, place_ + 1}; }

    [[nodiscard]] Range<Value> elements() const;
    [[nodiscard]] Range<Member> members() const;
    /// The member of that name; none if there is none, or this is no object.
    [[nodiscard]] std::optional<Value> find(std::string_view name) const;

private:
    [[nodiscard]] Cell const& cell() const { return tree_->cells_[place_]; }

    Tree const* tree_;
    Place place_;
};

struct Member {
    Value key, value;
};

/// Elements of an array (Value), or members of an object (Member).
template <class T> class Range {
public:
    explicit Range(Value of) : begin_(of.first()), end_(of.count() == 0 ? of.first() : of.behind()) {}

    class Iterator {
    public:
        explicit Iterator(Value at) : at_(at) {}
        T operator*() const {
            if constexpr (std::is_same_v<T, Member>)
                return {at_, at_.first()};
            else
                return at_;
        }
        Iterator& operator++() {
            if constexpr (std::is_same_v<T, Member>) at_ = at_.first();
            at_ = at_.behind();
            return *this;
        }
        bool operator!=(Iterator const& other) const { return at_.place() != other.at_.place(); }

    private:
        Value at_;
    };
    [[nodiscard]] Iterator begin() const { return Iterator(begin_); }
    [[nodiscard]] Iterator end() const { return Iterator(end_); }

private:
    Value begin_, end_;
};

inline Value Tree::root() const {
    return {*this, 0};
}
inline Value Tree::at(Place place) const {
    return {*this, place};
}
inline Range<Value> Value::elements() const {
    return Range<Value>(*this);
}
inline Range<Member> Value::members() const {
    return Range<Member>(*this);
}

} // namespace pfar::pipeline::schemas
