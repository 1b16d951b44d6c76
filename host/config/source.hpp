// Source: the text of one configuration file, and which of its lines may be shown.
//
// A message quotes the offending line, and a line may hold a secret that somebody pasted in the wrong place. What is safe is decided
// from a list of keys whose values are never secrets; everything else is shown without its value. The question also arises for text
// that is not valid TOML, so it is answered from the text alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::config {

/// True for the names under which credentials usually go: GITHUB_TOKEN, api_key, DB_PASSWORD.
bool looks_secret(std::string_view name);

class Source {
public:
    /// Linear in the text.
    explicit Source(std::string text);

    [[nodiscard]] std::string const& text() const { return text_; }
    [[nodiscard]] std::uint32_t lines() const { return static_cast<std::uint32_t>(starts_.size()); }
    /// Without its line end; empty beyond the last.
    [[nodiscard]] std::string_view line(std::uint32_t number) const;
    /// True if the values on this line may be repeated in a message.
    [[nodiscard]] bool may_quote(std::uint32_t number) const;
    /// The line for people: escaped, and without its values where they may not be repeated.
    [[nodiscard]] std::string shown(std::uint32_t number) const;
    /// Takes the content of some lines away and keeps their numbers, so that the rest can be read.
    [[nodiscard]] Source without(std::uint32_t first, std::uint32_t last) const;

private:
    /// What was seen of a line; whether its keys are harmless is only asked when it is to be shown.
    struct Seen {
        bool hidden;                  // empty, a comment, a header, or part of [auth] or [env]
        bool in_list;                 // a list is open when it begins
        std::size_t key_at, key_size; // the key that such a list belongs to
    };

    std::string text_;
    std::vector<std::size_t> starts_;
    std::vector<Seen> seen_;
};

} // namespace pfar::config
