#include "pipeline/names.hpp"

#include "base/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace pfar::pipeline {
namespace {

constexpr std::size_t hash_size = 6;

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// One line for each character that is not allowed, however many bytes it has.
std::string natural(std::string_view server, std::string_view name) {
    std::string out(server);
    out += "__";
    for (char const c : name) {
        bool const continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
        if (!continues) out += is_plain(c) ? c : '_';
    }
    return out;
}

/// Of its own name, or, if somebody else has that, of a further one.
std::string hashed(std::string const& natural, std::string const& whole, unsigned further) {
    auto const digest = base::sha256(further == 0 ? whole : whole + " " + std::to_string(further));
    return natural.substr(0, most_name - hash_size - 1) + "_" + digest.substr(0, hash_size);
}

} // namespace

std::vector<std::string> public_names(std::string_view server, std::vector<std::string> const& names) {
    std::vector<std::string> out;
    std::map<std::string, int, std::less<>> count;
    std::set<std::string> taken;
    for (auto const& name : names) ++count[out.emplace_back(natural(server, name))];
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < names.size(); ++i) { // those that can be called as they are come first
        bool const exact = std::string_view(out[i]).substr(server.size() + 2) == names[i];
        bool const own = out[i].size() <= most_name && (count.at(out[i]) == 1 || exact);
        if (!own || !taken.insert(out[i]).second) others.push_back(i);
    }
    for (auto const i : others) {
        auto const whole = fmt::format("{}.{}", server, names[i]);
        std::string name;
        for (unsigned further = 0; name.empty() || !taken.insert(name).second; ++further)
            name = hashed(out[i], whole, further);
        out[i] = std::move(name);
    }
    return out;
}

Split split_name(std::string_view name) {
    auto const line = name.find("__"), dot = name.find('.');
    auto const at = std::min(line, dot);
    if (at == std::string_view::npos) return {};
    return {name.substr(0, at), name.substr(at + (dot == at ? 1 : 2)), dot == at};
}

} // namespace pfar::pipeline
