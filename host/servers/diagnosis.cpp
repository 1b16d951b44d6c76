#include "servers/diagnosis.hpp"

#include "base/text.hpp"
#include "config/launcher.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pfar::servers {
namespace {

constexpr std::size_t looked_at = 64U << 10U, most_path = 1024, most_told = 5;

struct Sign {
    std::string_view word; // lower case
    std::string_view meaning;
};
constexpr std::string_view no_right =
    "an operation was denied, perhaps by the sandbox: what it may see is listed by pfar plan";
constexpr std::string_view no_network = "a connection was refused, perhaps because the sandbox has no way there";
constexpr std::string_view no_memory = "it ran out of memory, perhaps at memory_limit under [sandbox] in its file";
constexpr std::array<Sign, 14> signs{{{"eacces", no_right},
                                      {"eperm", no_right},
                                      {"erofs", no_right},
                                      {"permission denied", no_right},
                                      {"operation not permitted", no_right},
                                      {"read-only file system", no_right},
                                      {"econnrefused", no_network},
                                      {"connection refused", no_network},
                                      {"enotfound", no_network},
                                      {"eai_again", no_network},
                                      {"name or service not known", no_network},
                                      {"network is unreachable", no_network},
                                      {"enomem", no_memory},
                                      {"cannot allocate memory", no_memory}}};

/// The beginning of a JSON text with its commonest escapes undone, so that words and paths stand in it as they are.
std::string unescaped(std::string_view json) {
    json = json.substr(0, looked_at);
    std::string out;
    for (std::size_t at = 0; at < json.size(); ++at) {
        bool const escape = json[at] == '\\' && at + 1 < json.size();
        if (escape) ++at;
        out += escape && std::string_view("nrt").find(json[at]) != std::string_view::npos ? ' ' : json[at];
    }
    return out;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text;
}

bool is_of_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// As a word of its own: a FileNotFoundError is no ENOTFOUND.
bool has_word(std::string_view text, std::string_view word) {
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        auto const end = at + word.size();
        if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end]))) return true;
    }
    return false;
}

/// "/a/b" of "open /a/b: no such file".
std::string_view path_at(std::string_view text) {
    auto path = text.substr(0, most_path);
    path = path.substr(0, path.find_first_of("'\"`\\\n,)<> "));
    while (std::string_view(".:;]}").find(path.back()) != std::string_view::npos) path.remove_suffix(1);
    return path;
}

bool may_be_granted(std::string_view path) {
    return path.size() > 1 && !path.starts_with("/proc/") && !path.starts_with("/sys/") && !path.starts_with("/dev/");
}

/// The first absolute path in it that exists outside.
std::string path_outside(std::string_view text) {
    std::size_t tries = 0;
    for (std::size_t at = 0; (at = text.find('/', at)) != std::string_view::npos && tries < 20; ++at) {
        if (at > 0 && std::string_view(" '\"`:=(").find(text[at - 1]) == std::string_view::npos) continue;
        auto const path = path_at(text.substr(at));
        std::error_code error;
        if (!may_be_granted(path)) continue;
        ++tries;
        if (std::filesystem::exists(path, error) && !error) return std::string(path);
    }
    return "";
}

/// What was refused while it ran.
std::string blocked_words(Symptoms const& symptoms) {
    std::string out;
    std::size_t told = 0;
    for (auto const& blocked : symptoms.blocked) {
        if (blocked.last < symptoms.asked || blocked.domain.empty() || ++told > most_told) continue;
        out += fmt::format("; meanwhile it was kept from {}{}", base::printable(blocked.domain),
                           !blocked.remedy.empty() ? fmt::format(": to allow it, run: {}", blocked.remedy)
                           : blocked.why.empty()   ? ""
                                                   : ": " + blocked.why);
    }
    return told > most_told ? out + fmt::format("; and from {} more", told - most_told) : out;
}

std::string meaning_of(std::string_view json, std::string const& table) {
    auto const original = unescaped(json);
    auto const said = lower(original);
    bool const missing = has_word(said, "enoent") || has_word(said, "no such file");
    if (auto const path = missing ? path_outside(original) : ""; !path.empty())
        return fmt::format(
            "; {} exists, but not inside the sandbox: to show it, add it to {} fs of the server's file (a guess)",
            base::printable(path), table);
    for (auto const& sign : signs)
        if (has_word(said, sign.word)) return fmt::format("; {} (a guess)", sign.meaning);
    return "";
}

} // namespace

bool says_error(std::string_view result) {
    return wire::member_of(result, "isError") == "true";
}

std::string diagnose(Symptoms const& symptoms) {
    auto const blocked = blocked_words(symptoms);
    auto const meaning = symptoms.said.empty() ? "" : meaning_of(symptoms.said, symptoms.table);
    return blocked.empty() ? meaning : blocked;
}

std::string npx_words(config::ServerSpec const& spec, std::string_view said) {
    auto const& args = spec.server.args;
    bool const by_script = !args.empty() && std::filesystem::path(args.front()).filename() == "npx-cli.js";
    if (!by_script && std::filesystem::path(spec.server.command).filename() != "npx") return "";
    auto const fetched = config::fetched_package("npx", {args.begin() + (by_script ? 1 : 0), args.end()});
    bool const full = said.find("ENOSPC") != std::string_view::npos;
    return fmt::format("; npx fetches its package at every start, so allowed_domains needs the package registry{}; "
                       "faster, and pinned: pfar connect {}",
                       full ? fmt::format(" and tmp_size, under [sandbox], more than {}m", spec.sandbox.tmp_size >> 20U)
                            : "",
                       fetched ? "npm:" + base::printable(fetched->package) : "PACKAGE");
}

std::string with_hint(std::string_view payload, std::string_view hint, bool is_error_object) {
    auto const words = fmt::format("[pfar] {}", hint.starts_with("; ") ? hint.substr(2) : hint);
    if (is_error_object) {
        auto const message = wire::member_of(payload, "message");
        if (message.empty()) return std::string(payload);
        auto const at = static_cast<std::size_t>(message.data() - payload.data());
        std::string out(payload);
        if (!message.starts_with('"')) return out.replace(at, message.size(), wire::quoted(words));
        return out.replace(at + message.size() - 1, 1, wire::quoted(" " + words).substr(1));
    }
    auto const content = wire::member_of(payload, "content");
    if (!content.starts_with('[')) return std::string(payload);
    auto const end = static_cast<std::size_t>(content.data() - payload.data()) + content.size() - 1;
    bool const first = content.find_first_not_of(" \t\r\n", 1) == content.size() - 1;
    std::string out(payload);
    return out.insert(end, fmt::format(R"({}{{"type":"text","text":{}}})", first ? "" : ",", wire::quoted(words)));
}

} // namespace pfar::servers
