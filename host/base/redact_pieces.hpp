// The pieces of a view: what one kind of escape hides in a text, or in another view, made one after the other in the same memory.
#pragma once

#include "base/redact_dividers.hpp"
#include "base/redact_view.hpp"

namespace pfar::base::redaction {

class Pieces {
public:
    /// A match that touches an escape begins and ends within `reach` bytes of it, when all is undone that is undone after this kind;
    /// that are at most `overlap` bytes here. `parent` and `dividers` must outlive the pieces.
    struct Task {
        Escape escape;
        std::size_t reach, overlap;
        Dividers const* dividers; // null: everything is undone
    };
    Pieces(View const& parent, Task const& task);
    Pieces(Pieces const&) = delete;
    Pieces& operator=(Pieces const&) = delete;
    ~Pieces() = default;

    /// The next piece, valid until the one after it; null if there is none.
    View const* next();

    /// Of a byte of the last piece: where in the text it came from.
    [[nodiscard]] Span origin(std::size_t at) const;

private:
    struct Event {
        std::size_t at; // the end of the parent if there is none
        Element element;
        bool divides; // no match goes across it
    };
    void seek(std::size_t at, Event& event) const;
    void seek_next(std::size_t at);
    void pass_dividers();
    void pass_clear_ones();
    [[nodiscard]] bool divides_clearly(std::size_t at) const;
    [[nodiscard]] bool divides() const;
    [[nodiscard]] bool is_calm() const;
    [[nodiscard]] std::size_t candidate_from(std::size_t at) const;
    [[nodiscard]] std::size_t left_of(std::size_t place, std::size_t least) const;
    [[nodiscard]] std::size_t right_of(std::size_t place, std::size_t most) const;
    [[nodiscard]] std::size_t slack(std::size_t begin, std::size_t end) const;
    bool fill();
    void copy(std::size_t count);
    void undo();
    void map() const;

    View const& parent_;
    Escape escape_;
    std::size_t reach_, overlap_, limit_;
    Dividers const* dividers_;
    std::size_t first_ = 0, at_ = 0; // in the parent: where the piece begins, and how far it is
    std::size_t quiet_ = 0;          // the end of the last escape in it
    std::size_t live_ = 0;           // the end of the last one that had to be undone
    std::size_t restart_ = 0;        // where the next one begins if this one gets full
    std::size_t edge_ = 0; // the end of the last escape that was seen; nothing is known of what stands before it
    bool divided_ = false; // that one was a divider
    bool full_ = false;
    Event event_{};
    std::string bytes_;
    std::size_t size_ = 0;
    View view_;
};

} // namespace pfar::base::redaction
