#include "flows/lua_pattern.hpp"

#include <cctype>
#include <type_traits>

namespace pfar::flows {
namespace {

static_assert(std::is_trivially_destructible_v<PatternMatcher>);

constexpr int deepest_match = 200; // a frame each; what the C stack bears in any thread
constexpr char escape = '%';

bool class_has(unsigned char c, unsigned char letter) {
    bool has = false;
    switch (std::tolower(letter)) {
    case 'a':
        has = std::isalpha(c) != 0;
        break;
    case 'c':
        has = std::iscntrl(c) != 0;
        break;
    case 'd':
        has = std::isdigit(c) != 0;
        break;
    case 'g':
        has = std::isgraph(c) != 0;
        break;
    case 'l':
        has = std::islower(c) != 0;
        break;
    case 'p':
        has = std::ispunct(c) != 0;
        break;
    case 's':
        has = std::isspace(c) != 0;
        break;
    case 'u':
        has = std::isupper(c) != 0;
        break;
    case 'w':
        has = std::isalnum(c) != 0;
        break;
    case 'x':
        has = std::isxdigit(c) != 0;
        break;
    case 'z': // of older versions, and still there
        has = c == 0;
        break;
    default:
        return letter == c;
    }
    return std::isupper(letter) != 0 ? !has : has;
}

} // namespace

std::size_t PatternMatcher::match_at(std::size_t at) {
    level_ = 0;
    depth_ = 0;
    return stopped() ? none : follow(at, 0);
}

char const* PatternMatcher::fault() {
    int open = 0, made = 0;
    for (std::size_t in = 0; in < pattern_.size() && !stopped();) {
        auto const two = pattern_.substr(in, 2);
        if (two[0] == '(') {
            if (++open, ++made > most_captures) wrong("too many captures");
            ++in;
        } else if (two[0] == ')') {
            if (--open < 0) wrong("invalid pattern capture");
            ++in;
        } else if (two == "%b") {
            if (in + 3 >= pattern_.size()) wrong("missing arguments to '%b'");
            in += 4;
        } else if (two == "%f") {
            in += 2;
            if (in >= pattern_.size() || pattern_[in] != '[') wrong("missing '[' after '%f' in pattern");
        } else {
            in = item_end(in);
        }
    }
    return open > 0 ? (wrong("unfinished capture"), mistake_) : mistake_;
}

bool PatternMatcher::step(std::uint64_t many) {
    if (*steps_ > many) {
        *steps_ -= many;
        return true;
    }
    *steps_ = 0;
    exhausted_ = true;
    return false;
}

std::size_t PatternMatcher::wrong(char const* words) {
    if (mistake_ == nullptr) mistake_ = words;
    return none;
}

std::size_t PatternMatcher::follow(std::size_t at, std::size_t in) {
    if (++depth_ > deepest_match) return wrong("pattern too complex");
    auto const end = walk(at, in);
    --depth_;
    return end;
}

std::size_t PatternMatcher::walk(std::size_t at, std::size_t in) {
    while (in < pattern_.size()) {
        if (!step()) return none;
        char const c = pattern_[in];
        if (c == '(') return open(at, in + 1);
        if (c == ')') return close(at, in + 1);
        if (c == '$' && in + 1 == pattern_.size()) return at == text_.size() ? at : none;
        if (auto const before = in; c == escape) {
            auto const end = special(at, in);
            if (end == none) return none;
            at = end;
            if (in != before) continue;
        }
        auto const after = item_end(in);
        if (after == none) return none;
        char const suffix = after < pattern_.size() ? pattern_[after] : '\0';
        if (suffix == '+' || suffix == '*' || suffix == '-') return suffixed(at, in, after);
        bool const fits = single(at, in, after);
        if (exhausted_) return none;
        if (suffix == '?') {
            if (fits)
                if (auto const end = follow(at + 1, after + 1); end != none || stopped()) return end;
            in = after + 1;
            continue;
        }
        if (!fits) return none;
        ++at;
        in = after;
    }
    return at;
}

std::size_t PatternMatcher::suffixed(std::size_t at, std::size_t in, std::size_t after) {
    char const suffix = pattern_[after];
    if (suffix == '-') return least(at, in, after);
    if (suffix == '*') return most(at, in, after);
    return single(at, in, after) ? most(at + 1, in, after) : none;
}

/// %b, %f and %1 move `in` behind them; other escapes leave it, and are items like any letter.
std::size_t PatternMatcher::special(std::size_t at, std::size_t& in) {
    if (in + 1 >= pattern_.size()) return at;
    char const kind = pattern_[in + 1];
    if (kind == 'b') {
        auto const end = balanced(at, in + 2);
        in += 4;
        return end;
    }
    if (kind == 'f') return frontier(at, in);
    if (std::isdigit(static_cast<unsigned char>(kind)) == 0) return at;
    in += 2;
    return repeated(at, kind);
}

std::size_t PatternMatcher::open(std::size_t at, std::size_t in) {
    if (level_ >= most_captures) return wrong("too many captures");
    bool const only_place = in < pattern_.size() && pattern_[in] == ')';
    captures_[level_++] = {at, only_place ? position : still_open};
    auto const end = follow(at, only_place ? in + 1 : in);
    if (end == none) --level_;
    return end;
}

std::size_t PatternMatcher::close(std::size_t at, std::size_t in) {
    int number = level_ - 1;
    while (number >= 0 && captures_[number].size != still_open) --number;
    if (number < 0) return wrong("invalid pattern capture");
    captures_[number].size = at - captures_[number].begin;
    auto const end = follow(at, in);
    if (end == none) captures_[number].size = still_open;
    return end;
}

std::size_t PatternMatcher::balanced(std::size_t at, std::size_t in) {
    if (in + 1 >= pattern_.size()) return wrong("missing arguments to '%b'");
    if (at >= text_.size() || text_[at] != pattern_[in]) return none;
    std::size_t depth = 1;
    for (auto here = at + 1; here < text_.size(); ++here) {
        if (!step()) return none;
        if (text_[here] == pattern_[in + 1]) {
            if (--depth == 0) return here + 1;
        } else if (text_[here] == pattern_[in]) {
            ++depth;
        }
    }
    return none;
}

std::size_t PatternMatcher::frontier(std::size_t at, std::size_t& in) {
    in += 2;
    if (in >= pattern_.size() || pattern_[in] != '[') return wrong("missing '[' after '%f' in pattern");
    auto const after = item_end(in);
    if (after == none) return none;
    auto const before = at == 0 ? '\0' : text_[at - 1];
    auto const here = at < text_.size() ? text_[at] : '\0';
    bool const fits = !in_set(static_cast<unsigned char>(before), in, after - 1) &&
                      in_set(static_cast<unsigned char>(here), in, after - 1);
    in = after;
    return fits && !exhausted_ ? at : none;
}

std::size_t PatternMatcher::repeated(std::size_t at, char digit) {
    int const number = digit - '1';
    if (number < 0 || number >= level_ || captures_[number].size == still_open)
        return wrong("invalid capture index in pattern");
    // A place has no text; Lua compares a length that no text has.
    if (captures_[number].size == position) return none;
    auto const again = text_.substr(captures_[number].begin, captures_[number].size);
    if (!step(again.size() / 16 + 1)) return none;
    return text_.substr(at, again.size()) == again ? at + again.size() : none;
}

std::size_t PatternMatcher::most(std::size_t at, std::size_t in, std::size_t after) {
    std::size_t many = 0;
    while (step() && single(at + many, in, after)) ++many;
    for (;; --many) {
        if (stopped() || !step()) return none;
        if (auto const end = follow(at + many, after + 1); end != none || many == 0) return end;
    }
}

std::size_t PatternMatcher::least(std::size_t at, std::size_t in, std::size_t after) {
    for (;; ++at) {
        if (!step()) return none;
        if (auto const end = follow(at, after + 1); end != none || stopped()) return end;
        if (!single(at, in, after)) return none;
    }
}

std::size_t PatternMatcher::item_end(std::size_t in) {
    char const c = pattern_[in++];
    if (c == escape) return in < pattern_.size() ? in + 1 : wrong("malformed pattern (ends with '%')");
    if (c != '[') return in;
    if (in < pattern_.size() && pattern_[in] == '^') ++in;
    for (bool first = true;; first = false) { // a ] that comes first is one of the set
        if (!step() || in >= pattern_.size()) return exhausted_ ? none : wrong("malformed pattern (missing ']')");
        char const one = pattern_[in];
        if (one == ']' && !first) return in + 1;
        in += one == escape && in + 1 < pattern_.size() ? 2 : 1;
    }
}

bool PatternMatcher::single(std::size_t at, std::size_t in, std::size_t after) {
    if (at >= text_.size()) return false;
    auto const c = static_cast<unsigned char>(text_[at]);
    switch (pattern_[in]) {
    case '.':
        return true;
    case escape:
        return class_has(c, static_cast<unsigned char>(pattern_[in + 1]));
    case '[':
        return in_set(c, in, after - 1);
    default:
        return static_cast<unsigned char>(pattern_[in]) == c;
    }
}

/// `in` is the [, `last` the ] of the set.
bool PatternMatcher::in_set(unsigned char c, std::size_t in, std::size_t last) {
    auto const at = [this](std::size_t where) { return static_cast<unsigned char>(pattern_[where]); };
    bool const wanted = at(in + 1) != '^';
    for (in += wanted ? 1 : 2; in < last; ++in) {
        if (!step()) return false;
        if (at(in) == escape) {
            if (class_has(c, at(++in))) return wanted;
        } else if (at(in + 1) == '-' && in + 2 < last) {
            if (at(in) <= c && c <= at(in + 2)) return wanted;
            in += 2;
        } else if (at(in) == c) {
            return wanted;
        }
    }
    return !wanted;
}

} // namespace pfar::flows
