// A word's rank is where it was found; a server's rank is the sum, and one missing word takes it out.
#include "template_search.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>

namespace pfar::registry_known {

namespace {

std::string lower(std::string text) {
    for (auto& letter : text)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return text;
}

bool occurs(std::string const& word, std::string const& text) {
    return lower(text).find(word) != std::string::npos;
}

std::optional<int> rank(KnownServer const& server, std::string const& word) {
    if (word == server.name) return 0;
    if (occurs(word, server.name)) return 1;
    for (auto const& alias : server.aliases)
        if (occurs(word, alias)) return 2;
    if (occurs(word, server.title) || occurs(word, server.description)) return 3;
    return std::nullopt;
}

std::optional<int> rank(KnownServer const& server, std::vector<std::string> const& words) {
    int sum = 0;
    for (auto const& word : words) {
        auto const found = rank(server, word);
        if (!found) return std::nullopt;
        sum += *found;
    }
    return sum;
}

} // namespace

std::string folded(std::string_view name) {
    std::string out;
    for (char const letter : lower(std::string(name))) {
        bool const is_gap = letter == ' ' || letter == '\t' || letter == '_' || letter == '-';
        if (!is_gap) out += letter;
        if (is_gap && !out.empty() && out.back() != '-') out += '-';
    }
    if (out.ends_with('-')) out.pop_back();
    return out;
}

bool is_called(KnownServer const& server, std::string const& folded_name) {
    return folded(server.name) == folded_name ||
           std::any_of(server.aliases.begin(), server.aliases.end(),
                       [&](std::string const& alias) { return folded(alias) == folded_name; });
}

std::vector<KnownServer> matching(std::vector<KnownServer> const& servers, std::string const& words) {
    std::istringstream stream(lower(words));
    std::vector<std::string> const wanted{std::istream_iterator<std::string>(stream), {}};
    if (wanted.empty()) return {};
    auto const name = folded(words);

    std::vector<std::pair<int, KnownServer>> ranked;
    for (auto const& server : servers)
        if (auto const found = rank(server, wanted)) ranked.emplace_back(is_called(server, name) ? -1 : *found, server);
    std::stable_sort(ranked.begin(), ranked.end(), [](auto const& a, auto const& b) { return a.first < b.first; });

    std::vector<KnownServer> found;
    for (auto& [order, server] : ranked) found.push_back(std::move(server));
    return found;
}

} // namespace pfar::registry_known
