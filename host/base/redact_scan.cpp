// Looking for the spellings: places that pass the bitmap, then 8 bytes, then the fingerprint of the whole.
#include "base/redact_matcher.hpp"

#include <algorithm>
#include <bit>

namespace pfar::base::redaction {

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

class Matcher::Scan {
public:
    Scan(Matcher const& matcher, View const& view, Findings& found)
        : matcher_(matcher), view_(view), found_(found), text_(view.bytes()), prefixes_(text_, matcher.base_) {}

    void run() {
        if (!matcher_.entries_.empty()) sample();
        if (!matcher_.short_.empty())
            for (std::size_t at = 0; at < text_.size(); ++at) match_short({at});
        for (auto const& [next, digits] : view_.digits()) {
            consider({next, 1, {digits[1]}});
            consider({next, 2, {digits[0], digits[1]}});
        }
        found_.work += 2 * view_.digits().size();
        if (view_.open())
            for (auto at = text_.size() - std::min<std::size_t>(text_.size(), 7); at < text_.size(); ++at)
                hold_if_begun({at});
        found_.work += text_.size() + prefixes_.work();
    }

private:
    /// A place in the view, and hexadecimal digits before it that the view has as one byte.
    struct Start {
        std::size_t at;
        std::size_t count = 0;
        char before[2] = {};
    };

    template <class Word> [[nodiscard]] Word load(std::size_t at) const {
        Word word;
        std::memcpy(&word, text_.data() + at, sizeof word);
        return word;
    }

    /// Any 8 bytes contain one of the places that are looked at, with the 3 bytes after it.
    void sample() {
        for (std::size_t at = 4; at + 4 <= text_.size(); at += 5) {
            if (!matcher_.may_begin_near(load<std::uint32_t>(at))) continue;
            for (auto place = at - 4; place <= at && place + 8 <= text_.size(); ++place) {
                ++found_.work;
                if (auto const* const entry = matcher_.find(load<std::uint64_t>(place))) compare(entry, {place});
            }
        }
    }

    [[nodiscard]] std::size_t available(Start const& start) const { return start.count + text_.size() - start.at; }

    /// The first 8 bytes from there, or as many as there are.
    [[nodiscard]] std::uint64_t window(Start const& start) const {
        if (start.at + 8 <= text_.size()) {
            auto word = load<std::uint64_t>(start.at);
            for (auto i = start.count; i > 0; --i) word = word << 8U | static_cast<unsigned char>(start.before[i - 1]);
            return word;
        }
        char bytes[8] = {};
        std::copy_n(start.before, start.count, bytes);
        auto const rest = text_.substr(start.at, 8 - start.count);
        std::copy(rest.begin(), rest.end(), bytes + start.count);
        return std::bit_cast<std::uint64_t>(bytes);
    }

    void consider(Start const& start) {
        if (!matcher_.short_.empty()) match_short(start);
        if (available(start) < 8) return hold_if_begun(start);
        auto const opening = window(start);
        if (matcher_.entries_.empty() || !matcher_.may_begin_near(static_cast<std::uint32_t>(opening))) return;
        if (auto const* const entry = matcher_.find(opening)) compare(entry, start);
    }

    [[nodiscard]] Residue fingerprint(Start const& start, std::size_t length, Residue shift) {
        auto const end = start.at + length - start.count;
        Residue before = 0;
        for (std::size_t i = 0; i < start.count; ++i) {
            before = extended(before, matcher_.base_, start.before[i]);
            shift = times(shift, matcher_.inverse_);
        }
        return minus(prefixes_.until(end), times(minus(prefixes_.until(start.at), before), shift));
    }

    /// All that begin with the same 8 bytes: a shorter one may have neighbours that the longest has not.
    void compare(Entry const* entry, Start const& start) {
        auto const* const end = matcher_.entries_.data() + matcher_.entries_.size();
        auto const room = available(start);
        prefixes_.reach(start.at, start.at + std::min(entry->length, room) - start.count);
        for (auto const opening = entry->opening; entry != end && entry->opening == opening; ++entry) {
            ++found_.work;
            if (entry->length > room) {
                if (view_.open() && may_become(*entry, start, room)) hold(start);
            } else if (fingerprint(start, entry->length, entry->shift) == entry->whole) {
                report(*entry, start);
            }
        }
    }

    [[nodiscard]] bool may_become(Entry const& entry, Start const& start, std::size_t room) {
        auto const& lengths = matcher_.lengths_;
        auto const known =
            static_cast<std::size_t>(std::upper_bound(lengths.begin(), lengths.end(), room) - lengths.begin()) - 1;
        return fingerprint(start, lengths[known], matcher_.shifts_[known]) ==
               matcher_.prefixes_[entry.prefixes + known];
    }

    static std::uint64_t cut(std::uint64_t word, std::size_t bytes) {
        return bytes >= 8 ? word : word & ((std::uint64_t{1} << 8 * bytes) - 1);
    }

    void match_short(Start const& start) {
        auto const bytes = window(start);
        auto const room = available(start);
        for (auto const& entry : matcher_.short_)
            if (entry.length <= room && entry.length > start.count && cut(bytes, entry.length) == entry.opening)
                report(entry, start);
        found_.work += matcher_.short_.size();
    }

    /// Where there are fewer than 8 bytes left.
    void hold_if_begun(Start const& start) {
        if (!view_.open()) return;
        if (matcher_.begins(window(start), available(start))) hold(start);
        found_.work += matcher_.short_.size();
    }

    [[nodiscard]] static std::size_t first_of(Start const& start) { return start.at - (start.count != 0 ? 1 : 0); }

    void hold(Start const& start) { found_.hold(view_.origin(first_of(start)).begin); }

    /// With the neighbours that carry bits of it, if they stand right beside it in the text.
    void report(Entry const& entry, Start const& start) {
        auto const first = first_of(start);
        auto end = start.at + entry.length - start.count;
        Span span{view_.origin(first).begin, view_.origin(end - 1).end};
        auto const escape = view_.origin(first);
        if (start.count != 0 && escape.end - escape.begin == 3)
            span.begin = escape.end - start.count; // the digits only
        if (entry.left && start.count == 0 && first > 0 && is_base64(text_[first - 1])) {
            auto const neighbour = view_.origin(first - 1);
            if (neighbour.end == span.begin) span.begin = neighbour.begin;
        }
        for (int taken = 0; entry.right && taken < 3; ++taken, ++end) {
            if (end == text_.size()) {
                if (view_.open()) hold(start);
                break;
            }
            bool const belongs = taken == 0 ? is_base64(text_[end]) : text_[end] == '=';
            if (!belongs || view_.origin(end).begin != span.end) break;
            span.end = view_.origin(end).end;
        }
        found_.add(span, entry.secret);
    }

    Matcher const& matcher_;
    View const& view_;
    Findings& found_;
    std::string_view text_;
    Prefixes prefixes_;
};

void Matcher::scan(View const& view, Findings& found) const {
    if (longest_ != 0) Scan(*this, view, found).run();
}

} // namespace pfar::base::redaction
