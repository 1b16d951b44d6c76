// Writes a value back as TOML, for messages that give the lines to write.
#include "config/document.hpp"

#include <fmt/format.h>

namespace pfar::config {
namespace {

std::string toml_quoted(std::string_view text) {
    std::string out = "\"";
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out.append(1, '\\').append(1, c);
        else if (byte < 0x20 || byte == 0x7f)
            out += fmt::format("\\u{:04x}", byte);
        else
            out += c;
    }
    return out + '"';
}

struct Writer {
    std::string operator()(std::string const& text) const { return toml_quoted(text); }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(DateOrTime /*value*/) const { return "..."; }
    std::string operator()(Array const& items) const {
        std::string out;
        for (auto const& item : items) out += (out.empty() ? "" : ", ") + to_toml(item);
        return "[" + out + "]";
    }
    std::string operator()(Table const& entries) const {
        std::string out;
        for (auto const& entry : entries)
            out += (out.empty() ? "" : ", ") + key_text(entry.key) + " = " + to_toml(entry.value);
        return "{ " + out + " }";
    }
};

} // namespace

std::string key_text(std::string const& key) {
    constexpr auto bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return !key.empty() && key.find_first_not_of(bare) == std::string::npos ? key : toml_quoted(key);
}

std::string to_toml(Node const& node) {
    return std::visit(Writer{}, node.value);
}

} // namespace pfar::config
