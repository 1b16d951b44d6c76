// The pieces of a view: what one kind of escape hides in a text, or in another view, made one after the other in the same memory.
#pragma once

#include "base/redact_view.hpp"

namespace pfar::base::redaction {

class Pieces {
public:
    /// A match that touches an escape begins and ends within `reach` bytes of it. `parent` must outlive the pieces.
    Pieces(View const& parent, Escape escape, std::size_t reach);
    /// The next piece, valid until the one after it; null if there is none.
    View const* next();

private:
    struct Event {
        std::size_t at; // the end of the parent if there is none
        Element element;
    };
    [[nodiscard]] Event event_from(std::size_t at) const;
    [[nodiscard]] std::size_t candidate_from(std::size_t at) const;
    [[nodiscard]] bool reaches_end() const;
    void begin_at(std::size_t at);
    bool fill();
    void copy(std::size_t count);
    void undo();
    void pass(std::size_t made);

    View const& parent_;
    Escape escape_;
    std::size_t reach_, limit_;
    std::size_t at_ = 0;      // in the parent
    std::size_t quiet_ = 0;   // the end of the last escape in this piece
    std::size_t restart_ = 0; // where the next piece begins if this one gets full
    bool full_ = false;
    Event event_{};
    std::string bytes_;
    std::size_t size_ = 0;
    View view_;
};

} // namespace pfar::base::redaction
