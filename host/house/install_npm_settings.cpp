#include "house/install_npm_settings.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "house/install_outside.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {
namespace {

namespace json = boost::json;

constexpr std::size_t most_npmrc = 1U << 20U;
constexpr std::size_t most_authorities = 3U << 20U;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    auto const first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string_view unquoted(std::string_view text) {
    bool const quoted = text.size() > 1 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
    return quoted ? text.substr(1, text.size() - 2) : text;
}

/// ${NAME} is the variable, or stays as it is if there is none; ${NAME?} is empty then.
std::string replaced(std::string_view text, std::map<std::string, std::string> const& environment) {
    std::string out;
    while (!text.empty()) {
        auto const begin = text.find("${");
        auto const end = begin == text.npos ? text.npos : text.find('}', begin);
        if (end == text.npos) return out.append(text);
        std::string name(text.substr(begin + 2, end - begin - 2));
        bool const optional = name.ends_with('?');
        if (optional) name.pop_back();
        auto const found = environment.find(name);
        out.append(text.substr(0, begin));
        if (found != environment.end())
            out.append(found->second);
        else if (!optional)
            out.append(text.substr(begin, end + 1 - begin));
        text.remove_prefix(end + 1);
    }
    return out;
}

std::string json_text(json::object const& all, std::string_view key) {
    auto const* const found = all.if_contains(key);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

/// A text, or a list of them.
std::vector<std::string> json_texts(json::object const& all, std::string_view key) {
    std::vector<std::string> out;
    auto const* const found = all.if_contains(key);
    if (found != nullptr && found->is_string()) out.emplace_back(found->get_string());
    if (found != nullptr && found->is_array())
        for (auto const& one : found->get_array())
            if (one.is_string()) out.emplace_back(one.get_string());
    std::erase_if(out, [](auto const& text) { return text.empty(); });
    return out;
}

Result<std::string> authorities_of(json::object const& all) {
    std::string out;
    for (auto const& one : json_texts(all, "ca")) out += one + "\n";
    auto const file = json_text(all, "cafile");
    if (!out.empty() || file.empty()) return out;
    auto text = base::read_file(file, most_authorities);
    if (!text) return fail(text.error().code, fmt::format("npm's cafile: {}", text.error().what));
    return text;
}

/// npm leaves the variables to what it uses for HTTP.
std::string proxy_variable(servers::OwnerFacts const& owner, char const* lower, char const* upper) {
    auto const value = variable_of(owner, lower);
    return value.empty() ? variable_of(owner, upper) : value;
}

void add_proxies(NpmSettings& out, json::object const& all, servers::OwnerFacts const& owner) {
    out.https_proxy = json_text(all, "https-proxy");
    out.proxy = json_text(all, "proxy");
    if (out.https_proxy.empty()) out.https_proxy = out.proxy;
    if (out.https_proxy.empty()) out.https_proxy = proxy_variable(owner, "https_proxy", "HTTPS_PROXY");
    if (out.proxy.empty()) out.proxy = proxy_variable(owner, "http_proxy", "HTTP_PROXY");
    auto exceptions = json_texts(all, "noproxy");
    if (exceptions.empty()) exceptions.push_back(proxy_variable(owner, "no_proxy", "NO_PROXY"));
    for (std::string_view rest : exceptions)
        while (!rest.empty()) {
            auto const one = rest.substr(0, rest.find(','));
            if (!trimmed(one).empty()) out.no_proxy.emplace_back(trimmed(one));
            rest.remove_prefix(std::min(rest.size(), one.size() + 1));
        }
}

/// What npm was told, in its own words, by who wins: the environment, the user's file, the file for all.
using NpmWords = std::vector<std::pair<std::string, Secret>>;

void add_word(NpmWords& words, std::string key, std::string_view value) {
    bool const known = std::any_of(words.begin(), words.end(), [&](auto const& one) { return one.first == key; });
    if (!known) words.emplace_back(std::move(key), Secret(value));
}

void add_variables(NpmWords& words, servers::OwnerFacts const& owner) {
    constexpr std::string_view prefix = "npm_config_";
    auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    for (auto const& [name, value] : owner.environment) {
        std::string small = name;
        std::transform(small.begin(), small.end(), small.begin(), lower);
        if (!small.starts_with(prefix)) continue;
        auto key = name.substr(prefix.size());
        if (!key.starts_with("//")) {
            key = small.substr(prefix.size());
            std::replace(key.begin() + (key.empty() ? 0 : 1), key.end(), '_', '-');
        }
        add_word(words, std::move(key), value);
    }
}

/// Lines of an npmrc: key = value.
void add_lines(NpmWords& words, std::string_view text, servers::OwnerFacts const& owner) {
    while (!text.empty()) {
        auto const line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        auto const begin = trimmed(line);
        auto const equals = line.find('=');
        if (begin.empty() || begin[0] == ';' || begin[0] == '#' || equals == std::string_view::npos) continue;
        add_word(words, replaced(trimmed(line.substr(0, equals)), owner.environment),
                 replaced(unquoted(trimmed(line.substr(equals + 1))), owner.environment));
    }
}

Result<NpmWords> words_to_npm(json::object const& all, servers::OwnerFacts const& owner) {
    NpmWords out;
    add_variables(out, owner);
    for (auto const* const key : {"userconfig", "globalconfig"}) {
        auto const file = json_text(all, key);
        if (!file.starts_with('/')) continue;
        auto text = base::read_file(file, most_npmrc);
        if (text)
            add_lines(out, *text, owner);
        else if (text.error().code != Errc::not_found)
            return fail(text.error().code, fmt::format("npm's {}: {}", key, text.error().what));
    }
    return out;
}

/// What npm does not tell because there is a login in it.
void add_untold(json::object& all, NpmWords const& words) {
    for (auto const& [key, value] : words) {
        bool const wanted = key == "registry" || key == "proxy" || key == "https-proxy" ||
                            (key.starts_with('@') && key.ends_with(":registry"));
        if (wanted && !all.contains(key)) all[key] = value.reveal();
    }
}

} // namespace

Result<NpmSettings> read_npm_settings(servers::OwnerFacts const& owner, std::filesystem::path const& npm) {
    PFAR_TRY(ended, ask_outside(owner, {npm.native(), "config", "ls", "-l", "--json", "--logs-max=0"},
                                std::chrono::seconds(30)));
    boost::system::error_code error;
    auto answer = json::parse(ended.output, error);
    if (ended.status != 0 || error || !answer.is_object())
        return fail(Errc::unavailable,
                    fmt::format("{} does not tell its settings; run: npm config ls -l", base::printable(npm.native())));
    auto& all = answer.get_object();
    PFAR_TRY(words, words_to_npm(all, owner));
    add_untold(all, words);
    NpmSettings out;
    out.registry = json_text(all, "registry");
    for (auto const& [key, value] : all)
        if (std::string_view const name = key;
            name.starts_with('@') && name.ends_with(":registry") && value.is_string())
            out.scopes.emplace(name.substr(0, name.find(':')), value.get_string());
    auto const* const strict = all.if_contains("strict-ssl");
    out.strict_ssl = strict == nullptr || !strict->is_bool() || strict->get_bool();
    PFAR_TRY(authorities, authorities_of(all));
    out.authorities = std::move(authorities);
    add_proxies(out, all, owner);
    for (auto& [key, value] : words)
        if (key.starts_with("//")) out.logins.emplace_back(key, std::move(value));
    return out;
}

} // namespace pfar::house
