// Listing: what a server offers: its tools, resources, templates and prompts, each as the JSON that it sent.
#pragma once

#include "servers/session.hpp"

#include <string>
#include <vector>

namespace pfar::servers {

struct Tool {
    std::string name, description;
    bool says_read_only = false; // its own word: readOnlyHint
    std::string json;            // all of it

    friend bool operator==(Tool const&, Tool const&) = default;
};

struct Listing {
    ServerFacts facts;
    std::vector<Tool> tools;
    std::vector<std::string> resources, templates, prompts; // JSON
};

/// All pages of everything that it offers. What is bounded: 2,000 entries and 8 MiB of a kind, 200 pages, and timeouts.start for them. A tool without a name, or of a name that
/// was there before, is left out and told as trouble. [the session's thread]
boost::asio::awaitable<Result<Listing>> discover(std::shared_ptr<Session> session,
                                                 std::function<void(std::string const&)> trouble);

/// A tool from its JSON; none if it has no usable name.
std::optional<Tool> tool_of(std::string_view json);

/// As a file in cache/: `key` says what it was made from. Reading gives none if it is another's, or broken. [may block]
Result<void> keep_listing(std::filesystem::path const& file, std::string const& key, Listing const& listing);
std::optional<Listing> read_listing(std::filesystem::path const& file, std::string const& key);

} // namespace pfar::servers
