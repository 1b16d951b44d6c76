// Source: the text of one configuration file, and which of its lines may be shown.
//
// A message quotes the offending line. A line of [auth], or one that sets something named like a credential, may hold a
// secret that somebody pasted by mistake, so its value is never quoted.
#pragma once

#include <pfar/result.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::config {

/// True for the names under which credentials usually go: GITHUB_TOKEN, api_key, DB_PASSWORD.
bool looks_secret(std::string_view name);

class Source {
public:
    explicit Source(std::string text);

    [[nodiscard]] std::string const& text() const { return text_; }
    [[nodiscard]] std::uint32_t lines() const { return static_cast<std::uint32_t>(starts_.size()); }
    /// Without its line end; empty beyond the last.
    [[nodiscard]] std::string_view line(std::uint32_t number) const;
    /// The same for people: escaped, and with the value left out where it may be a secret.
    [[nodiscard]] std::string shown(std::uint32_t number) const;
    [[nodiscard]] bool may_hold_secret(std::uint32_t number) const;
    /// Takes a line's content away and keeps its number, so that the rest can be read.
    [[nodiscard]] Source without(std::uint32_t first, std::uint32_t last) const;

private:
    std::string text_;
    std::vector<std::size_t> starts_;
};

} // namespace pfar::config
