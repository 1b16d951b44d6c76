// A piece is at most eight times as long as a match can be; if there is more to undo, the next one begins one match before its end.
#include "base/redact_pieces.hpp"

#include <algorithm>
#include <cstring>

namespace pfar::base::redaction {
namespace {

constexpr std::size_t least_limit = 1U << 15U;
constexpr std::size_t stride = 16; // so much is copied at once, whether it is needed or not
constexpr std::size_t wrap = 18;   // a line break and blanks, for 16 bytes at least

std::size_t find(std::string_view text, char character, std::size_t from) {
    if (from >= text.size() || text[from] == character) return std::min(from, text.size()); // often one after the other
    auto const* const found = std::memchr(text.data() + from, character, text.size() - from);
    return found == nullptr ? text.size() : static_cast<std::size_t>(static_cast<char const*>(found) - text.data());
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

Pieces::Pieces(View const& parent, Escape escape, std::size_t reach, std::size_t overlap)
    : parent_(parent), escape_(escape), reach_(reach), overlap_(overlap), limit_(std::max(least_limit, 8 * overlap)),
      view_({}, 0, false) {
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
    seek(full_ ? restart_ : at_, event_);
    if (!full_ && event_.at == end) return nullptr;
    first_ = at_ = full_ ? restart_ : left_of(event_.at, quiet_);
    quiet_ = full_ ? at_ : event_.at;
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
        if (at_ < event_.at || at_ == parent_.bytes().size() || event_.element.unfinished) return true;
        undo();
        quiet_ = at_;
        seek(at_, event_);
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
