// Strings end at their quotation mark or, in what is no JSON, at the end of the line: one stray mark does not change the lines after it.
#include "base/redact_json.hpp"

namespace pfar::base::redaction {
namespace {

constexpr std::string_view number = "0123456789+-.eE", blanks = " \t\r\n";

bool is_one_of(std::string_view set, char character) {
    return set.find(character) != std::string_view::npos;
}

/// What stands before a value in JSON; the beginning counts.
bool value_may_follow(std::string_view before) {
    auto const last = before.find_last_not_of(blanks);
    return last == std::string_view::npos || is_one_of("[:,{", before[last]) || before.find('\n', last) != before.npos;
}

bool value_may_precede(std::string_view after) {
    auto const next = after.find_first_not_of(blanks);
    return next == std::string_view::npos || is_one_of("]:,}", after[next]) ||
           after.substr(0, next).find('\n') != after.npos;
}

} // namespace

std::size_t JsonEdges::step() const {
    if (!in_string_ || json_[at_] != '\\') return 1;
    Element element;
    read_json(json_, at_, element);
    return element.taken != 0 ? element.taken : 1;
}

/// To the element that `place` is in, or begins with.
void JsonEdges::walk_to(std::size_t place) {
    while (at_ < json_.size()) {
        auto const size = step();
        if (at_ + size > place) return;
        if (size == 1 && json_[at_] == '"')
            in_string_ = !in_string_;
        else if (json_[at_] == '\n')
            in_string_ = false;
        at_ += size;
    }
}

/// To whole numbers.
Span JsonEdges::widened(Span span) const {
    if (!is_one_of(number, json_[span.begin]) || !is_one_of(number, json_[span.end - 1])) return span;
    while (span.begin > 0 && is_one_of(number, json_[span.begin - 1])) --span.begin;
    while (span.end < json_.size() && is_one_of(number, json_[span.end])) ++span.end;
    return span;
}

JsonEdges::Place JsonEdges::of(Span span) {
    walk_to(span.begin);
    span.begin = at_;
    bool const starts_outside = !in_string_;
    walk_to(span.end);
    bool const ends_outside = !in_string_;
    if (at_ < span.end) span.end = at_ + step();
    if (starts_outside && ends_outside) span = widened(span);
    bool const is_value =
        is_one_of("0123456789-{[\"", json_[span.begin]) && value_may_follow(json_.substr(0, span.begin));
    bool const opens = starts_outside && is_value;
    bool const closes = ends_outside && (!starts_outside || opens) && value_may_precede(json_.substr(span.end));
    return {span, opens, closes};
}

} // namespace pfar::base::redaction
