// Views of a text: the bytes that a reader sees who undoes JSON escapes, URL-encoding or line breaks within base64, each with the place
// in the text that it came from.
//
// A view is made in pieces, only around what there is to undo: everything else has been seen in the text itself. A piece never grows with
// the text, only with the longest secret. Escapes are undone from left to right and are never guessed at: what is none stays as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::base::redaction {

struct Span {
    std::size_t begin, end;
};

/// What one escape stands for. Filled in place: put together elsewhere and copied, it would be the slowest part of undoing.
struct Element {
    std::uint32_t taken = 0; // bytes of the text; 0: no escape begins here
    std::uint32_t bytes = 0; // what it stands for, the first byte lowest
    std::uint8_t made = 0;   // how many those are
    bool unfinished = false; // the text ends before that is decided
};

enum class Escape { json, percent, wrapped };

/// All of them take an empty element.
/// At a backslash: as in a JSON string; a pair of surrogates is one element.
void read_json(std::string_view text, std::size_t at, Element& element);
/// At a percent sign.
void read_percent(std::string_view text, std::size_t at, Element& element);
/// At a line break: it and blanks after it, if what stands before it looks like a line of base64.
void read_wrap(std::string_view text, std::size_t at, Element& element);

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
