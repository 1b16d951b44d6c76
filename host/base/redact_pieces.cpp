// A piece is at most eight times as long as a match can be; if there is more to undo, the next one begins one match before its end.
#include "base/redact_pieces.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace pfar::base::redaction {
namespace {

constexpr std::size_t least_limit = 1U << 15U;
constexpr std::size_t stride = 16; // so much is copied at once, whether it is needed or not
constexpr std::size_t wrap = 18;   // a line break and blanks, for 16 bytes at least

#ifdef __SSE2__
/// A bit for each of the 16 bytes there that is `character`, the first one lowest.
unsigned places_of(char character, char const* at) {
    auto const bytes = _mm_loadu_si128(reinterpret_cast<__m128i const*>(at));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(character))));
}

/// Among the 16 bytes before, and no escape behind it. So it is nearly always where a line ends.
bool has_space_before(char const* at) {
    return places_of(' ', at - 16) > (places_of('\\', at - 16) | places_of('%', at - 16));
}

std::uint64_t backslashes(char const* at) {
    std::uint64_t out = 0;
    for (unsigned i = 0; i < 64; i += 16) out |= std::uint64_t{places_of('\\', at + i)} << i;
    return out;
}
#endif

std::size_t find(std::string_view text, char character, std::size_t from) {
    if (from >= text.size() || text[from] == character) return std::min(from, text.size()); // often one after the other
#ifdef __SSE2__
    if (text.size() - from >= 16) // often near: a call would take longer
        if (auto const places = places_of(character, text.data() + from); places != 0)
            return from + static_cast<std::size_t>(std::countr_zero(places));
#endif
    auto const* const found = std::memchr(text.data() + from, character, text.size() - from);
    return found == nullptr ? text.size() : static_cast<std::size_t>(static_cast<char const*>(found) - text.data());
}

bool is_blank(char character) {
    return character == ' ' || character == '\t' || character == '\r' || character == '\n';
}

void read(Escape escape, std::string_view text, std::size_t at, Element& element) {
    element.taken = element.bytes = element.made = 0;
    switch (escape) {
    case Escape::json:
        return read_json(text, at, element);
    case Escape::percent:
        return read_percent(text, at, element);
    case Escape::wrapped:
        return read_wrap(text, at, element);
    }
}

} // namespace

Pieces::Pieces(View const& parent, Task const& task)
    : parent_(parent), escape_(task.escape), reach_(task.reach), overlap_(task.overlap),
      limit_(std::max(least_limit, 8 * task.overlap)), dividers_(task.dividers), view_({}, 0, false) {
    view_.maker_ = this;
}

std::size_t Pieces::candidate_from(std::size_t at) const {
    auto const text = parent_.bytes();
    if (escape_ != Escape::wrapped) return find(text, escape_ == Escape::json ? '\\' : '%', at);
    auto const place = find(text, '\n', at);
    if (place > at && text[place - 1] == '\r') return place - 1; // also the last byte of all, which \n may follow
    return place;
}

void Pieces::seek(std::size_t at, Event& event) const {
    auto const text = parent_.bytes();
    auto& element = event.element;
    element.unfinished = false;
    for (at = candidate_from(at); at < text.size(); at = candidate_from(at + 1)) {
        read(escape_, text, at, element);
        if (!parent_.open()) element.unfinished = false;
        if (element.taken != 0 || element.unfinished) break;
    }
    event.at = at;
}

void Pieces::seek_next(std::size_t at) {
    seek(at, event_);
    bool const whole = event_.element.taken != 0 && !event_.element.unfinished;
    event_.divides = dividers_ != nullptr && event_.at < parent_.bytes().size() && whole && divides();
}

void Pieces::pass_dividers() {
    while (event_.divides) {
        edge_ = event_.at + event_.element.taken;
        divided_ = true;
        pass_clear_ones();
        seek_next(edge_);
    }
}

/// Most of a long text's escapes are passed here, where nothing is written down of them.
void Pieces::pass_clear_ones() {
#ifdef __SSE2__
    auto const text = parent_.bytes();
    for (auto at = edge_; at + 64 < text.size();) { // one more: the letter behind the last
        auto step = 64U;
        for (auto places = backslashes(text.data() + at); places != 0;) {
            auto const place = static_cast<unsigned>(std::countr_zero(places));
            if (!divides_clearly(at + place)) return;
            edge_ = at + place + 2;
            if (place + 2 >= 64) step = place + 2;
            places = place + 2 >= 64 ? 0 : places & ~std::uint64_t{0} << (place + 2);
        }
        at += step;
    }
#endif
}

#ifdef __SSE2__
bool Pieces::divides_clearly(std::size_t at) const {
    using Role = Dividers::Role;
    auto const* const place = parent_.bytes().data() + at;
    auto const role = dividers_->role_of(place[1]);
    return role == Role::divides || (role == Role::line_break && at >= 16 && has_space_before(place));
}
#endif

bool Pieces::divides() const {
    using Role = Dividers::Role;
    auto const role = dividers_->role_of(event_.element);
    if (role == Role::divides || role == Role::undone) return role == Role::divides;
    auto const place = event_.at;
    if (role == Role::blank && place > edge_ && is_blank(parent_.bytes()[place - 1]))
        return false; // of a wrapped line's indent?
    return is_calm();
}

/// Before the escape stands, after a few characters of base64, something else that is no escape: no line ends here as base64 is wrapped.
bool Pieces::is_calm() const {
    auto const text = parent_.bytes();
#ifdef __SSE2__
    if (event_.at >= 16 && has_space_before(text.data() + event_.at)) return true;
#endif
    auto const least = event_.at - std::min(event_.at - edge_, wrapped_line);
    auto place = event_.at;
    while (place > least && is_base64(text[place - 1])) --place;
    if (event_.at - place == wrapped_line) return false;
    if (place == edge_) return divided_;
    return text[place - 1] != '\\' && text[place - 1] != '%';
}

std::size_t Pieces::slack(std::size_t begin, std::size_t end) const {
    auto const part = parent_.bytes().substr(begin, end - begin);
    auto const count = [&](char character) {
        return static_cast<std::size_t>(std::count(part.begin(), part.end(), character));
    };
    if (escape_ == Escape::wrapped) return 0;
    return wrap * count('\n') + (escape_ == Escape::json ? 2 * count('%') : 0);
}

std::size_t Pieces::left_of(std::size_t place, std::size_t least) const {
    for (auto need = reach_; need > 0 && place > least;) {
        auto const step = std::min(need, place - least);
        place -= step;
        need = slack(place, place + step);
    }
    return place;
}

std::size_t Pieces::right_of(std::size_t place, std::size_t most) const {
    if (most - place <= reach_) return most;
    for (auto need = reach_; need > 0 && place < most;) {
        auto const step = std::min(need, most - place);
        need = slack(place, place + step);
        place += step;
    }
    return place;
}

View const* Pieces::next() {
    auto const end = parent_.bytes().size();
    if (!full_ && event_.element.unfinished && at_ == event_.at) return nullptr; // the last piece ended there
    if (full_) edge_ = restart_, divided_ = false;
    seek_next(full_ ? restart_ : at_);
    if (!full_) pass_dividers();
    if (!full_ && event_.at == end) return nullptr;
    first_ = at_ = full_ ? restart_ : left_of(event_.at, std::max(quiet_, edge_));
    quiet_ = full_ ? at_ : event_.at;
    live_ = quiet_;
    if (bytes_.empty()) bytes_.resize(std::min(limit_, end) + stride);
    size_ = view_.cursor_ = 0;
    view_.runs_.clear();
    view_.digits_.clear();
    full_ = !fill();
    bool const at_end = at_ == end || (at_ == event_.at && event_.element.unfinished);
    view_.bytes_ = std::string_view(bytes_).substr(0, size_);
    view_.open_ = !full_ && parent_.open() && at_end;
    return &view_;
}

/// False if the piece is full before there is nothing left to undo nearby. The one loop that sees every escape, so all of it is in one
/// function for the compiler.
[[gnu::flatten]] bool Pieces::fill() {
    for (;;) {
        auto const until = right_of(quiet_, event_.at);
        copy(std::min(until - at_, limit_ - std::min(limit_, size_)));
        if (size_ >= limit_) return false;
        bool const over = at_ < event_.at || at_ == parent_.bytes().size();
        bool const apart =
            event_.divides && at_ - live_ >= reach_; // if not, a piece would be shorter than what it costs
        if (over || apart || event_.element.unfinished) return true;
        undo();
        quiet_ = edge_ = at_;
        divided_ = event_.divides;
        if (!divided_) live_ = at_;
        seek_next(at_);
    }
}

void Pieces::copy(std::size_t count) {
    auto* const to = bytes_.data() + size_;
    auto const* const from = parent_.bytes().data() + at_;
    if (count <= stride && at_ + stride <= parent_.bytes().size())
        std::memcpy(to, from, stride);
    else
        std::memcpy(to, from, count);
    if (size_ <= limit_ - overlap_) restart_ = at_ + std::min(count, limit_ - overlap_ - size_);
    at_ += count;
    size_ += count;
}

void Pieces::undo() {
    auto const& element = event_.element;
    if (size_ <= limit_ - overlap_) restart_ = at_;
    std::memcpy(bytes_.data() + size_, &element.bytes, sizeof element.bytes);
    size_ += element.made;
    if (escape_ == Escape::percent) view_.digits_.push_back({size_, parent_.bytes().data() + at_ + 1});
    at_ += element.taken;
}

/// Undoes the same again; only what has a match in it needs that.
void Pieces::map() const {
    Event event{};
    auto at = first_;
    for (std::size_t size = 0; size < size_;) {
        seek(at, event);
        auto const count = std::min(event.at - at, size_ - size);
        if (count != 0) view_.runs_.push_back({size, at, 1, 1});
        size += count;
        at += count;
        if (size == size_) return;
        auto const& [taken, bytes, made, unfinished] = event.element;
        if (made != 0) view_.runs_.push_back({size, at, made == 1 ? taken : 0, taken});
        size += made;
        at += taken;
    }
}

Span Pieces::origin(std::size_t at) const {
    if (view_.runs_.empty()) map();
    auto const& run = view_.runs_[view_.run_of(at)];
    auto const begin = run.begin + (at - run.view) * run.stride;
    return {parent_.origin(begin).begin, parent_.origin(begin + run.length - 1).end};
}

} // namespace pfar::base::redaction
