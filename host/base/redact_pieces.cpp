// A piece is at most four times as long as a match can be; if there is more to undo, the next one begins one match before its end.
#include "base/redact_pieces.hpp"

#include <algorithm>
#include <cstring>

namespace pfar::base::redaction {
namespace {

constexpr std::size_t least_limit = 1U << 15U;

std::size_t find(std::string_view text, char character, std::size_t from) {
    if (from >= text.size()) return text.size();
    auto const* const found = std::memchr(text.data() + from, character, text.size() - from);
    return found == nullptr ? text.size() : static_cast<std::size_t>(static_cast<char const*>(found) - text.data());
}

Element read(Escape escape, std::string_view text, std::size_t at) {
    switch (escape) {
    case Escape::json:
        return read_json(text, at);
    case Escape::percent:
        return read_percent(text, at);
    case Escape::wrapped:
        break;
    }
    return read_wrap(text, at);
}

} // namespace

Pieces::Pieces(View const& parent, Escape escape, std::size_t reach)
    : parent_(parent), escape_(escape), reach_(reach), limit_(std::max(least_limit, 4 * reach)), view_({}, 0, false) {}

std::size_t Pieces::candidate_from(std::size_t at) const {
    auto const text = parent_.bytes();
    if (escape_ != Escape::wrapped) return find(text, escape_ == Escape::json ? '\\' : '%', at);
    auto const place = find(text, '\n', at);
    if (place > at && text[place - 1] == '\r') return place - 1; // also the last byte of all, which \n may follow
    return place;
}

Pieces::Event Pieces::event_from(std::size_t at) const {
    auto const text = parent_.bytes();
    for (at = candidate_from(at); at < text.size(); at = candidate_from(at + 1)) {
        auto element = read(escape_, text, at);
        element.unfinished = element.unfinished && parent_.open();
        if (element.taken != 0 || element.unfinished) return {at, element};
    }
    return {text.size(), {}};
}

View const* Pieces::next() {
    auto const end = parent_.bytes().size();
    if (!full_ && event_.element.unfinished && at_ == event_.at) return nullptr; // the last piece ended there
    if (full_) {
        event_ = event_from(restart_);
        begin_at(restart_);
    } else {
        event_ = event_from(at_);
        if (event_.at == end) return nullptr;
        begin_at(std::max(quiet_, event_.at - std::min(event_.at, reach_)));
    }
    full_ = !fill();
    view_.bytes_ = std::string_view(bytes_).substr(0, size_);
    view_.open_ = !full_ && parent_.open() && reaches_end();
    return &view_;
}

bool Pieces::reaches_end() const {
    return at_ == parent_.bytes().size() || (at_ == event_.at && event_.element.unfinished);
}

void Pieces::begin_at(std::size_t at) {
    if (bytes_.empty()) bytes_.resize(std::min(limit_, parent_.bytes().size()) + sizeof(Element::bytes));
    at_ = quiet_ = at;
    size_ = 0;
    view_.runs_.clear();
    view_.digits_.clear();
    view_.cursor_ = 0;
}

/// False if the piece is full before there is nothing left to undo nearby.
bool Pieces::fill() {
    for (;;) {
        auto const until = std::min(event_.at, quiet_ + reach_);
        copy(std::min(until - at_, limit_ - std::min(limit_, size_)));
        if (size_ >= limit_) return false;
        if (at_ < event_.at || at_ == parent_.bytes().size() || event_.element.unfinished) return true;
        undo();
        quiet_ = at_;
        event_ = event_from(at_);
    }
}

void Pieces::copy(std::size_t count) {
    if (count == 0) return;
    std::memcpy(bytes_.data() + size_, parent_.bytes().data() + at_, count);
    if (parent_.runs_.empty()) view_.add_run({size_, parent_.offset_ + at_, 1, 1});
    for (std::size_t done = 0; !parent_.runs_.empty() && done < count;) {
        auto const index = parent_.run_of(at_ + done);
        auto const& run = parent_.runs_[index];
        auto const end = index + 1 < parent_.runs_.size() ? parent_.runs_[index + 1].view : parent_.bytes().size();
        view_.add_run({size_ + done, parent_.origin(at_ + done).begin, run.stride, run.length});
        done = std::min(count, end - at_);
    }
    auto const before = at_;
    at_ += count;
    if (size_ <= limit_ - reach_) restart_ = before + std::min(count, limit_ - reach_ - size_);
    size_ += count;
}

void Pieces::undo() {
    auto const& element = event_.element;
    if (size_ <= limit_ - reach_) restart_ = at_;
    auto const begin = parent_.origin(at_).begin, end = parent_.origin(at_ + element.taken - 1).end;
    auto const length = static_cast<std::uint8_t>(end - begin);
    if (element.made != 0) view_.add_run({size_, begin, element.made == 1 ? length : std::uint8_t{0}, length});
    std::memcpy(bytes_.data() + size_, element.bytes, sizeof element.bytes);
    size_ += element.made;
    if (escape_ == Escape::percent)
        view_.digits_.push_back({size_, {parent_.bytes()[at_ + 1], parent_.bytes()[at_ + 2]}});
    at_ += element.taken;
}

} // namespace pfar::base::redaction
