// Where a redaction may be put in JSON so that it stays JSON: no escape is cut in two, and what is no string becomes one.
#pragma once

#include "base/redact_view.hpp"

namespace pfar::base::redaction {

class JsonEdges {
public:
    explicit JsonEdges(std::string_view json) : json_(json) {}

    struct Place {
        Span span;
        bool opens, closes; // a quotation mark is needed before it, after it
    };
    /// Spans are asked for in order. Linear in all calls together.
    [[nodiscard]] Place of(Span span);

private:
    void walk_to(std::size_t place);
    [[nodiscard]] std::size_t step() const;
    [[nodiscard]] Span widened(Span span) const;

    std::string_view json_;
    std::size_t at_ = 0; // an element begins here
    bool in_string_ = false;
};

} // namespace pfar::base::redaction
