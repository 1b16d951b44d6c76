// Shares no code with what it checks.
#include "unit/base/redact_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace test {
namespace {

struct Cell {
    char byte;
    std::size_t begin, end;
    std::string digits; // of the URL-encoding that it was
};
using Cells = std::vector<Cell>;

struct Way {
    std::string bytes;
    std::size_t secret;
    bool base64 = false, left = false, right = false;
};

using Interval = std::tuple<std::size_t, std::size_t, std::size_t>; // begin, minus end, secret

bool hex(char c) {
    return std::string_view("0123456789abcdefABCDEF").find(c) != std::string_view::npos;
}

bool of_base64(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("+/-_").find(c) != std::string_view::npos;
}

std::string bytes_of(Cells const& cells) {
    std::string out;
    for (auto const& cell : cells) out += cell.byte;
    return out;
}

std::string percent(std::string const& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const is = text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) && hex(text[i + 2]);
        out += is ? static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)) : text[i];
        if (is) i += 2;
    }
    return out;
}

std::vector<Way> ways(Secrets const& secrets) {
    std::vector<Way> all;
    for (std::size_t s = 0; s < secrets.size(); ++s) {
        auto value = secrets[s].second;
        while (!value.empty() && (value.back() == '\n' || value.back() == '\r')) value.pop_back();
        if (value.empty()) continue;
        all.push_back({value, s});
        for (std::size_t before = 0; before < 3; ++before) {
            auto const whole = base64(std::string(before, 'x') + value);
            auto const first = (before * 8 + 5) / 6, last = (before + value.size()) * 8 / 6;
            if (last < first + 6) continue;
            auto core = whole.substr(first, last - first);
            bool const right = (before + value.size()) * 8 % 6 != 0;
            all.push_back({core, s, true, before != 0, right});
            std::replace(core.begin(), core.end(), '+', '-');
            std::replace(core.begin(), core.end(), '/', '_');
            all.push_back({core, s, true, before != 0, right});
        }
        auto plus = value;
        std::replace(plus.begin(), plus.end(), ' ', '+');
        all.push_back({plus, s});
        auto const decoded = percent(value);
        if (decoded.size() >= 8) all.push_back({decoded, s});
    }
    return all;
}

std::string utf8(unsigned long code) {
    std::string out;
    auto const tail = [&](unsigned shift) { out += static_cast<char>(0x80U | (code >> shift & 0x3fU)); };
    if (code < 0x80) return {static_cast<char>(code)};
    if (code < 0x800) return out += static_cast<char>(0xc0U | code >> 6U), tail(0), out;
    if (code < 0x10000) return out += static_cast<char>(0xe0U | code >> 12U), tail(6), tail(0), out;
    return out += static_cast<char>(0xf0U | code >> 18U), tail(12), tail(6), tail(0), out;
}

/// The code after \u at `at`, or none.
long unit(std::string const& text, std::size_t at) {
    if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return -1;
    for (std::size_t i = 2; i < 6; ++i)
        if (!hex(text[at + i])) return -1;
    return std::stol(text.substr(at + 2, 4), nullptr, 16);
}

Cells without_json(Cells const& cells) {
    auto const text = bytes_of(cells);
    Cells out;
    for (std::size_t i = 0; i < text.size();) {
        std::string made(1, text[i]);
        std::size_t taken = 1;
        auto const simple = i + 1 < text.size() ? std::string_view("\"\\/bfnrt").find(text[i + 1]) : std::string::npos;
        auto const high = unit(text, i), low = unit(text, i + 6);
        if (text[i] == '\\' && simple != std::string::npos)
            made = "\"\\/\b\f\n\r\t"[simple], taken = 2;
        else if (high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000)
            made = utf8(0x10000UL + static_cast<unsigned long>((high - 0xd800) * 1024 + low - 0xdc00)), taken = 12;
        else if (high >= 0)
            made = utf8(static_cast<unsigned long>(high)), taken = 6;
        for (auto const byte : made) out.push_back({byte, cells[i].begin, cells[i + taken - 1].end, ""});
        i += taken;
    }
    return out;
}

Cells without_percent(Cells const& cells) {
    Cells out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        bool const is =
            cells[i].byte == '%' && i + 2 < cells.size() && hex(cells[i + 1].byte) && hex(cells[i + 2].byte);
        if (!is) {
            out.push_back(cells[i]);
            continue;
        }
        std::string const digits{cells[i + 1].byte, cells[i + 2].byte};
        out.push_back({static_cast<char>(std::stoi(digits, nullptr, 16)), cells[i].begin, cells[i + 2].end, digits});
        i += 2;
    }
    return out;
}

Cells without_breaks(Cells const& cells) {
    Cells out;
    for (std::size_t i = 0; i < cells.size();) {
        auto next = i;
        if (cells[next].byte == '\r') ++next;
        bool wraps = i >= 16 && next < cells.size() && cells[next].byte == '\n';
        for (std::size_t k = 1; wraps && k <= 16; ++k) wraps = of_base64(cells[i - k].byte);
        if (!wraps) {
            out.push_back(cells[i++]);
            continue;
        }
        for (i = next + 1; i < cells.size() && i <= next + 16 && (cells[i].byte == ' ' || cells[i].byte == '\t');) ++i;
    }
    return out;
}

void match(Cells const& cells, std::string const& text, Way const& way, std::vector<Interval>& found) {
    for (std::size_t at = 0; at < cells.size(); ++at) {
        for (std::size_t back = 0; back <= cells[at].digits.size(); ++back) { // within the digits of an escape
            auto const digits = cells[at].digits.substr(cells[at].digits.size() - back);
            auto const rest = back == 0 ? at : at + 1;
            if (way.bytes.size() <= back || !way.bytes.starts_with(digits)) continue;
            if (text.compare(rest, way.bytes.size() - back, way.bytes, back) != 0) continue;
            auto next = rest + way.bytes.size() - back;
            auto begin = cells[at].begin, end = cells[next - 1].end;
            if (back != 0 && cells[at].end - begin == 3) begin = cells[at].end - back;
            if (way.left && back == 0 && at > 0 && of_base64(cells[at - 1].byte) && cells[at - 1].end == begin)
                begin = cells[at - 1].begin;
            for (int i = 0; i < 3 && way.right && next < cells.size() && cells[next].begin == end; ++i, ++next) {
                if (i == 0 ? !of_base64(cells[next].byte) : cells[next].byte != '=') break;
                end = cells[next].end;
            }
            found.emplace_back(begin, ~end, way.secret);
        }
    }
}

/// The view with the chosen steps undone; empty if one of them changes nothing, for then it is another view too.
Cells viewed(Cells cells, unsigned chosen) {
    constexpr Cells (*steps[])(Cells const&) = {without_json, without_json, without_json, without_percent,
                                                without_breaks};
    for (unsigned step = 0; step < 5; ++step) {
        if ((chosen >> step & 1U) == 0) continue;
        auto next = steps[step](cells);
        if (next.size() == cells.size()) return {};
        cells = std::move(next);
    }
    return cells;
}

std::vector<Interval> found_in(std::string_view text, Secrets const& secrets) {
    Cells raw;
    for (std::size_t i = 0; i < text.size(); ++i) raw.push_back({text[i], i, i + 1, ""});
    std::vector<Interval> found;
    auto const all = ways(secrets);
    for (unsigned chosen = 0; chosen < 32; ++chosen) {
        bool const unwrapped = (chosen & 16U) != 0;
        auto cells = viewed(raw, chosen);
        if (unwrapped)
            for (auto& cell : cells) cell.digits.clear();
        auto const bytes = bytes_of(cells);
        for (auto const& way : all)
            if (way.base64 || !unwrapped) match(cells, bytes, way, found);
    }
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace

std::string slowly_redacted(std::string_view text, Secrets const& secrets) {
    std::string out;
    std::size_t done = 0;
    for (auto const& [begin, end, secret] : found_in(text, secrets)) {
        if (begin >= done)
            out += fmt::format("{}[redacted:{}]", text.substr(done, begin - done), secrets[secret].first);
        done = std::max(done, ~end);
    }
    return out += text.substr(done);
}

bool has_leak(std::string_view text, Secrets const& secrets) {
    for (std::size_t at = 0; at <= text.size();) {
        auto const label = std::min(text.find("[redacted:", at), text.size());
        if (!found_in(text.substr(at, label - at), secrets).empty()) return true;
        at = label == text.size() ? label + 1 : std::min(text.find(']', label), text.size() - 1) + 1;
    }
    return false;
}

} // namespace test
