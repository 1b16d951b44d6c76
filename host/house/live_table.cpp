// Lines never wrap (the terminal is told so while they are drawn), so their number is how far up the cursor has to go to erase them.
#include "house/live_table.hpp"

#include "base/text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace pfar::house {
namespace {

constexpr std::array headings{"NAME", "STATE", "TOOLS", "PID", "RESTARTS", "REASON"};
constexpr std::array keys{"name", "state", "tools", "pid", "restarts", "reason"};
using Row = std::array<std::string, keys.size()>;

std::string cell(boost::json::object const& server, char const* key) {
    auto const* const value = server.if_contains(key);
    if (value == nullptr || value->is_null()) return "";
    if (value->is_string()) return base::printable(std::string_view(value->get_string()));
    auto text = boost::json::serialize(*value);
    return text == "0" && std::string_view(key) == "pid" ? "" : text;
}

std::vector<Row> rows_of(std::string_view list_json) {
    std::vector<Row> rows{{}};
    std::copy(headings.begin(), headings.end(), rows[0].begin());
    boost::system::error_code bad;
    auto const list = boost::json::parse(list_json, bad);
    if (bad || !list.is_array()) return rows;
    for (auto const& server : list.get_array()) {
        if (!server.is_object()) continue;
        auto& row = rows.emplace_back();
        for (std::size_t i = 0; i < keys.size(); ++i) row[i] = cell(server.get_object(), keys[i]);
    }
    return rows;
}

/// At most so many characters; a cut one ends in "...".
std::string cut(std::string const& text, std::size_t most) {
    std::size_t count = 0, keep = text.size();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;
        if (count == (most > 3 ? most - 3 : most)) keep = i;
        if (++count > most) return text.substr(0, keep) + (most > 3 ? "..." : "");
    }
    return text;
}

} // namespace

std::vector<std::string> table_lines(std::string_view list_json, std::size_t columns, std::size_t rows) {
    auto const all = rows_of(list_json);
    std::array<std::size_t, keys.size()> widths{};
    for (auto const& row : all)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::vector<std::string> lines;
    for (auto const& row : all) {
        if (lines.size() + 1 == rows && all.size() > rows) {
            lines.push_back(cut(fmt::format("... and {} more: pfar list", all.size() - lines.size()), columns));
            break;
        }
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
        lines.push_back(cut(line.substr(0, line.find_last_not_of(' ') + 1), columns));
    }
    return lines;
}

void LiveTable::finish() {
    std::scoped_lock const lock(mutex_);
    write(erased());
    lines_.clear();
}

std::string LiveTable::erased() const {
    return lines_.empty() ? "" : fmt::format("\r\x1b[{}A\x1b[J", lines_.size());
}

std::string LiveTable::drawn() const {
    std::string out = "\x1b[?7l";
    for (auto const& line : lines_) out += line + "\n";
    return out + "\x1b[?7h";
}

void LiveTable::show(std::string const& list_json) {
    winsize size{};
    if (::ioctl(terminal_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) size = {24, 80, 0, 0};
    auto const state = fmt::format("{}x{} {}", size.ws_col, size.ws_row, list_json);
    std::scoped_lock const lock(mutex_);
    if (state == shown_) return;
    shown_ = state;
    auto text = erased();
    lines_ = table_lines(list_json, size.ws_col, std::max<std::size_t>(size.ws_row, 4) - 2);
    write(text + drawn());
}

void LiveTable::log(std::string_view line) {
    std::scoped_lock const lock(mutex_);
    write(fmt::format("{}{}{}", erased(), line, lines_.empty() ? "" : drawn()));
}

void LiveTable::write(std::string_view text) const {
    while (!text.empty()) {
        auto const put = ::write(terminal_, text.data(), text.size());
        if (put < 0 && errno != EINTR) return;
        if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
    }
}

} // namespace pfar::house
