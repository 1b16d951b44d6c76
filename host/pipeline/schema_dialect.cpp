// From ECMA-262's regular expressions to RE2's, one element at a time.
#include "pipeline/schema_pattern.hpp"

#include <charconv>
#include <fmt/format.h>

namespace pfar::pipeline::schemas {
namespace {

// What ECMA-262 calls white space and line ends, as members of a class; and everything else.
constexpr std::string_view space =
    R"(\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";
constexpr std::string_view no_space =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e})"
    R"(\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Translation {
public:
    explicit Translation(std::string_view ecma) : rest_(ecma) {}

    std::string all() {
        while (!rest_.empty()) element();
        return std::move(out_);
    }

private:
    bool take(std::string_view what) { return rest_.starts_with(what) && (rest_.remove_prefix(what.size()), true); }

    void element() {
        if (rest_.size() > 1 && rest_[0] == '\\') return escape();
        if (inside_) return member();
        if (take("[^]")) return void(out_ += R"([\x{0}-\x{10ffff}])");
        if (take("[]")) return void(out_ += R"([^\x{0}-\x{10ffff}])");
        if (take(".")) return void(out_ += R"([^\n\r\x{2028}\x{2029}])");
        if (rest_.starts_with("(?<") && rest_.size() > 3 && rest_[3] != '=' && rest_[3] != '!') return named_group();
        inside_ = rest_[0] == '[';
        copy(inside_ && rest_.starts_with("[^") ? 2 : 1);
    }

    void member() { // of a class
        if (take("[")) return void(out_ += "\\[");
        inside_ = rest_[0] != ']';
        copy(1);
    }

    void named_group() {
        auto const end = rest_.find('>');
        if (end == std::string_view::npos) return copy(rest_.size());
        rest_.remove_prefix(end + 1);
        out_ += "(?:";
    }

    void escape() {
        if (take("\\s")) return put_class(space, false);
        if (take("\\S")) return put_class(inside_ ? no_space : space, !inside_);
        if (take("\\u")) return unicode();
        if (inside_ && take("\\b")) return void(out_ += "\\x08");
        if (rest_.size() > 2 && rest_[1] == 'c' && is_letter(rest_[2])) return control();
        copy(2);
    }

    void put_class(std::string_view members, bool negated) {
        out_ += inside_ ? std::string(members) : fmt::format("[{}{}]", negated ? "^" : "", members);
    }

    void control() {
        out_ += fmt::format("\\x{:02x}", static_cast<unsigned>(rest_[2]) % 32);
        rest_.remove_prefix(3);
    }

    void unicode() { // "\u" is gone
        auto code = rest_.starts_with('{') ? braced() : four_digits();
        bool const high = code >= 0xd800 && code < 0xdc00;
        if (auto const low = high && take("\\u") ? four_digits() : none; low >= 0xdc00 && low < 0xe000)
            code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
        out_ += fmt::format("\\x{{{:x}}}", code >= 0xd800 && code < 0xe000 ? none : code);
    }

    unsigned braced() {
        auto const end = std::min(rest_.find('}'), rest_.size());
        return hexadecimal(end + 1, rest_.substr(1, end - 1));
    }
    unsigned four_digits() { return rest_.size() < 4 ? hexadecimal(0, "") : hexadecimal(4, rest_.substr(0, 4)); }

    unsigned hexadecimal(std::size_t size, std::string_view digits) {
        unsigned out = 0;
        auto const [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
        rest_.remove_prefix(std::min(rest_.size(), size));
        return error == std::errc() && stop == digits.data() + digits.size() ? out : none;
    }

    void copy(std::size_t bytes) {
        out_ += rest_.substr(0, bytes);
        rest_.remove_prefix(std::min(bytes, rest_.size()));
    }

    static constexpr unsigned none = 0x110000; // RE2 refuses it

    std::string_view rest_;
    std::string out_;
    bool inside_ = false; // a class
};

} // namespace

std::string for_re2(std::string_view ecma) {
    return Translation(ecma).all();
}

} // namespace pfar::pipeline::schemas
