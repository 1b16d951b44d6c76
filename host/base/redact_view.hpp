// Views of a text: the bytes that a reader sees who undoes JSON escapes, URL-encoding or line breaks within base64, each with the place
// in the text that it came from.
//
// A view is made in pieces, only around what there is to undo: everything else has been seen in the text itself. A piece never grows with
// the text, only with the longest secret. Escapes are undone from left to right; what is none stays as it is.
#pragma once

#include "base/redact_escapes.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pfar::base::redaction {

struct Span {
    std::size_t begin, end;
};

class Pieces;

class View {
public:
    /// The text itself, or a part of it that begins at `offset`. `open`: more may follow.
    View(std::string_view bytes, std::size_t offset, bool open) : bytes_(bytes), offset_(offset), open_(open) {}

    /// Two hexadecimal digits that were taken for an escape: a secret may begin with them.
    struct Digits {
        std::size_t next; // the place in the view after the escape
        char const* digits;
    };

    [[nodiscard]] std::string_view bytes() const { return bytes_; }
    [[nodiscard]] bool open() const { return open_; }
    [[nodiscard]] std::vector<Digits> const& digits() const { return digits_; }
    /// Where in the text the byte at `at` came from.
    [[nodiscard]] Span origin(std::size_t at) const;

private:
    friend class Pieces;
    /// Bytes of the view, each from `length` bytes of the parent that begin `stride` after those of the one before.
    struct Run {
        std::size_t view, begin;
        std::uint32_t stride, length;
    };
    [[nodiscard]] std::size_t run_of(std::size_t at) const;

    std::string_view bytes_;
    std::size_t offset_;
    bool open_;
    Pieces const* maker_ = nullptr; // null: the text itself
    std::vector<Digits> digits_;
    mutable std::vector<Run> runs_;  // made when they are asked for; a view belongs to one thread
    mutable std::size_t cursor_ = 0; // where the last one was found
};

} // namespace pfar::base::redaction
