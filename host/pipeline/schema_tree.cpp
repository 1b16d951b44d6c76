// The scanner says whether it is JSON; then the cells are laid out in a pass that need not ask again.
#include "pipeline/schema_tree.hpp"

#include "base/text.hpp"
#include "wire/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pfar::pipeline::schemas {
namespace {

class Layout {
public:
    Layout(std::string_view text, std::vector<Cell>& cells) : text_(text), cells_(cells) {}

    /// False: too many values.
    bool all() {
        cells_.reserve(std::min<std::size_t>(text_.size() / 6 + 2, 4096));
        while (at_ < text_.size()) {
            token();
            if (cells_.size() > most_values) return false;
        }
        return true;
    }

private:
    void token() {
        switch (text_[at_]) {
        case '{':
            return open(Kind::object);
        case '[':
            return open(Kind::array);
        case '}':
        case ']':
            return close();
        case '"':
            return string();
        case 't':
        case 'f':
            return word(Kind::boolean);
        case 'n':
            return word(Kind::null);
        case ' ':
        case '\t':
        case '\r':
        case '\n':
        case ',':
        case ':':
            ++at_;
            return;
        default:
            return word(Kind::number);
        }
    }

    void add(Kind kind, std::size_t begin, std::size_t size) {
        if (depth_ > 0) ++inside_[depth_ - 1].count;
        cells_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(size) & 0xfffffffU,
                          static_cast<unsigned>(kind) & 7U, 0, static_cast<Place>(cells_.size() + 1), 0});
    }

    void open(Kind kind) {
        add(kind, at_++, 0);
        inside_[depth_++] = {static_cast<Place>(cells_.size() - 1), 0};
    }

    void close() {
        auto const [place, count] = inside_[--depth_];
        auto& cell = cells_[place];
        cell.size = static_cast<std::uint32_t>(++at_ - cell.begin) & 0xfffffffU;
        cell.behind = static_cast<Place>(cells_.size());
        cell.count = cell.kind == static_cast<unsigned>(Kind::object) ? count / 2 : count;
    }

    void string() {
        auto const begin = at_ + 1;
        auto end = text_.find('"', begin);
        bool const escaped = text_.substr(begin, end - begin).find('\\') != std::string_view::npos;
        if (escaped)
            for (end = begin; text_[end] != '"'; ++end)
                if (text_[end] == '\\') ++end;
        add(Kind::string, begin, end - begin);
        cells_.back().escaped = escaped;
        at_ = end + 1;
    }

    void word(Kind kind) {
        auto const begin = at_;
        static constexpr std::string_view enders = ",]} \t\r\n";
        while (at_ < text_.size() && enders.find(text_[at_]) == std::string_view::npos) ++at_;
        add(kind, begin, at_ - begin);
    }

    struct Open {
        Place place;
        std::uint32_t count;
    };
    std::string_view text_;
    std::vector<Cell>& cells_;
    std::size_t at_ = 0;
    unsigned depth_ = 0;
    std::array<Open, wire::most_depth> inside_;
};

constexpr std::size_t few = 8;

/// True if that is plain to see: few keys, each written as what it says, and no two alike.
bool is_clearly_unique(Value object) {
    std::array<std::string_view, few> keys;
    std::size_t count = 0;
    if (object.count() > few) return false;
    for (auto const [key, value] : object.members()) {
        auto const name = key.written();
        if (key.escaped_bytes() > 0 || std::find(keys.begin(), keys.begin() + count, name) != keys.begin() + count)
            return false;
        keys[count++] = name;
    }
    return true;
}

/// The key that stands twice in an object.
std::optional<std::string> duplicate_in(Value object) {
    if (is_clearly_unique(object)) return {};
    std::vector<std::string> decoded;
    std::vector<std::string_view> keys;
    decoded.reserve(object.count()), keys.reserve(object.count());
    for (auto const [key, value] : object.members()) {
        decoded.emplace_back(); // no memory of its own unless the key has escapes
        keys.push_back(key.string(decoded.back()));
    }
    std::sort(keys.begin(), keys.end());
    auto const twice = std::adjacent_find(keys.begin(), keys.end());
    return twice == keys.end() ? std::nullopt : std::optional<std::string>(*twice);
}

/// A part of a pointer, escaped as pointers are, safe to show and not long.
std::string step(std::string_view key) {
    std::string out = "/";
    for (char const c : key.substr(0, 60)) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return base::printable(out) + (key.size() > 60 ? "..." : "");
}

} // namespace

Result<Tree> Tree::parse(std::string_view text, Duplicates duplicates) {
    Tree out;
    out.text_ = text;
    if (!wire::scan(text, {})) return fail(Errc::invalid, "it is no JSON, or nested deeper than 64 levels");
    if (!Layout(text, out.cells_).all())
        return fail(Errc::timeout, fmt::format("it has more than {} values, too many to be checked", most_values));
    if (duplicates == Duplicates::refuse) PFAR_CHECK(out.refuse_duplicates());
    return out;
}

Result<void> Tree::refuse_duplicates() const {
    for (Place place = 0; place < cells_.size(); ++place) {
        auto const value = at(place);
        if (!value.is(Kind::object) || value.count() < 2) continue;
        auto const twice = duplicate_in(value);
        if (!twice) continue;
        auto const where = pointer_to(place);
        return fail(Errc::invalid, fmt::format("{}the key \"{}\" stands there twice", where.empty() ? "" : where + ": ",
                                               base::printable(twice->substr(0, 60))));
    }
    return {};
}

std::string Tree::pointer_to(Place place) const {
    std::string out, kept;
    for (auto value = root(); value.place() != place;) {
        auto inner = value.first();
        std::size_t index = 0;
        for (; inner.behind().place() <= place; inner = inner.behind()) ++index;
        bool const keyed = value.is(Kind::object);
        if (keyed && index % 2 == 0) return out + step(inner.string(kept)); // the key itself
        out += keyed ? step(at(inner.place() - 1).string(kept)) : "/" + std::to_string(index);
        value = inner;
    }
    return out;
}

} // namespace pfar::pipeline::schemas
