#include "pipeline/names.hpp"

#include "base/digest.hpp"

#include <algorithm>
#include <map>

namespace pfar::pipeline {
namespace {

constexpr std::size_t hash_size = 6;

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

std::string natural(std::string_view server, std::string_view name) {
    std::string out(server);
    out += "__";
    for (char const c : name) out += is_plain(c) ? c : '_';
    return out;
}

std::string hashed(std::string const& natural, std::string_view server, std::string_view name) {
    auto const whole = base::sha256(std::string(server) + "." + std::string(name));
    return natural.substr(0, most_name - hash_size - 1) + "_" + whole.substr(0, hash_size);
}

} // namespace

std::vector<std::string> public_names(std::string_view server, std::vector<std::string> const& names) {
    std::vector<std::string> out;
    std::map<std::string, int, std::less<>> count;
    for (auto const& name : names) ++count[out.emplace_back(natural(server, name))];
    for (std::size_t i = 0; i < names.size(); ++i) {
        bool const exact = std::string_view(out[i]).substr(server.size() + 2) == names[i];
        if (out[i].size() > most_name || (count.at(out[i]) > 1 && !exact)) out[i] = hashed(out[i], server, names[i]);
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
