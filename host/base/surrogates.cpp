#include "base/surrogates.hpp"

#include <algorithm>
#include <charconv>

namespace pfar::base {
namespace {

constexpr std::size_t escape_size = 6; // \uXXXX

/// What the escape at the beginning stands for; 0 if it is none.
unsigned unit_at(std::string_view text) {
    unsigned unit = 0;
    if (text.size() < escape_size || !text.starts_with("\\u")) return 0;
    auto const [end, error] = std::from_chars(text.data() + 2, text.data() + escape_size, unit, 16);
    return error == std::errc() && end == text.data() + escape_size ? unit : 0;
}

bool is_first(unsigned unit) {
    return unit >= 0xD800 && unit < 0xDC00;
}
bool is_second(unsigned unit) {
    return unit >= 0xDC00 && unit < 0xE000;
}

/// Most texts have none.
bool may_have_halves(std::string_view json) {
    return json.find("\\ud") != std::string_view::npos || json.find("\\uD") != std::string_view::npos;
}

} // namespace

std::optional<std::string> with_whole_pairs(std::string_view json) {
    if (!may_have_halves(json)) return {};
    std::string out;
    bool mended = false;
    for (std::size_t at = 0; at < json.size();) {
        auto const next = std::min(json.find('\\', at), json.size());
        out.append(json, at, next - at);
        auto const rest = json.substr(next);
        auto const unit = unit_at(rest);
        bool const pair = is_first(unit) && is_second(unit_at(rest.substr(escape_size)));
        bool const half = !pair && (is_first(unit) || is_second(unit));
        auto const size = pair   ? 2 * escape_size
                          : half ? escape_size
                                 : std::size_t{2}; // another escape: it and what it escapes
        out += half ? std::string_view("\\ufffd") : rest.substr(0, size);
        mended = mended || half;
        at = next + size;
    }
    if (!mended) return {};
    return out;
}

} // namespace pfar::base
