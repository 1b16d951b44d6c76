// A template that would put a secret where others can read it is refused: every process of the machine sees argv, and a server
// file is plain text. The names say what is secret; a value cannot be judged, because there is none yet.
#include "template_rules.hpp"

#include "placeholders.hpp"

#include <algorithm>
#include <cctype>

namespace pfar::registry_known {

namespace {

/// "--apiKey" and "API_KEY" -> "api", "key".
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words{""};
    bool was_lower = false;
    for (char const c : name) {
        bool const is_upper = c >= 'A' && c <= 'Z', is_lower = c >= 'a' && c <= 'z';
        bool const is_part = is_upper || is_lower || (c >= '0' && c <= '9');
        if ((!is_part || (is_upper && was_lower)) && !words.back().empty()) words.emplace_back();
        if (is_part) words.back() += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
        was_lower = is_lower;
    }
    if (words.size() > 1 && words.back().empty()) words.pop_back();
    return words;
}

bool is_word_of(std::string const& word, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// By its last word: a token is secret, a token's file is not. A key alone is, a project's key is not.
bool says_secret(std::string_view name) {
    auto const words = words_of(name);
    auto const& last = words.back();
    if (is_word_of(last, {"token", "secret", "password", "passwd", "passphrase", "pass", "pwd", "apikey", "pat",
                          "bearer", "credential", "credentials", "dsn"}))
        return true;
    if (last != "key") return false;
    return words.size() == 1 ||
           is_word_of(words[words.size() - 2], {"api", "access", "account", "app", "auth", "license", "private",
                                                "secret", "service", "signing"});
}

bool is_path_text(std::string_view value) {
    return value.starts_with("${auth.files}") || value.starts_with("${HOME}") || value.starts_with('/');
}

/// Nothing, a path or a URL: a URL with a password in it is found by has_login().
bool is_place_text(std::string_view value) {
    return value.empty() || is_path_text(value) || value.find("://") != std::string_view::npos;
}

bool has_login(std::string_view text) {
    auto const scheme = text.find("://");
    if (scheme == std::string_view::npos) return false;
    auto const authority = text.substr(scheme + 3, text.find_first_of("/?#", scheme + 3) - scheme - 3);
    auto const at = authority.rfind('@');
    return at != std::string_view::npos && filled(authority.substr(0, at), "x").find(':') != std::string::npos;
}

/// $TOKEN, as a shell would fill it in.
bool has_shell_variable(std::string_view text, std::string const& name) {
    for (auto at = text.find("$" + name); at != std::string_view::npos; at = text.find("$" + name, at + 1)) {
        auto const behind = text.substr(at + 1 + name.size());
        if (behind.empty() || (std::isalnum(static_cast<unsigned char>(behind[0])) == 0 && behind[0] != '_'))
            return true;
    }
    return false;
}

/// The text names the secret, or a credential's variable.
bool names_secret(KnownServer const& server, std::string const& text) {
    if (std::any_of(server.credentials.begin(), server.credentials.end(),
                    [&](auto const& need) { return has_shell_variable(text, need.variable); }))
        return true;
    auto const names = placeholders(text).value_or(std::vector<std::string>{});
    return std::any_of(names.begin(), names.end(), [&](std::string const& name) {
        return name == "secret" || std::any_of(server.credentials.begin(), server.credentials.end(),
                                               [&](auto const& need) { return need.variable == name; });
    });
}

/// Beginnings that only tokens have.
bool is_known_token(std::string_view text) {
    for (std::string_view const beginning : {"ghp_", "gho_", "github_pat_", "ntn_", "sk-", "xoxb-", "xoxp-", "AKIA",
                                             "glpat-", "AIza", "npm_", "hf_", "shpat_", "lin_api_", "eyJ"})
        if (text.size() >= 16 && text.starts_with(beginning)) return true;
    return false;
}

/// "Authorization: Bearer x", "X-Api-Key: x"
bool is_login_header(std::string_view arg) {
    auto const colon = arg.find(':');
    if (colon == std::string_view::npos || arg.find("://") == colon ||
        arg.find_first_not_of(" \t", colon + 1) == arg.npos)
        return false;
    auto const words = words_of(arg.substr(0, colon));
    return is_word_of(words.back(), {"authorization", "cookie"}) || says_secret(arg.substr(0, colon));
}

/// "--token", and what follows it; "--token=x" and "TOKEN=x".
bool gives_secret(std::vector<std::string> const& args, std::size_t i) {
    auto const& arg = args[i];
    if (is_known_token(arg) || is_login_header(arg)) return true;
    auto const equals = arg.find('=');
    if (equals != std::string::npos) return says_secret(arg.substr(0, equals)) && !is_path_text(arg.substr(equals + 1));
    if (!arg.starts_with('-') || !says_secret(arg)) return false;
    return i + 1 < args.size() && !args[i + 1].starts_with('-') && !is_path_text(args[i + 1]);
}

void judge_named_secrets(KnownServer const& server, Complaints& out) {
    auto const judge = [&](std::string const& text, char const* key, std::optional<std::size_t> item) {
        if (names_secret(server, text))
            out.push_back(
                {key, item, "has a secret in it, which others could read there; only a credential's own value may"});
    };
    for (std::size_t i = 0; i < server.args.size(); ++i) judge(server.args[i], "args", i);
    for (auto const& [name, value] : server.environment) judge(value, "environment", std::nullopt);
    for (std::size_t i = 0; i < server.domains.size(); ++i) judge(server.domains[i], "domains", i);
    for (std::size_t i = 0; i < server.allow_private.size(); ++i) judge(server.allow_private[i], "allow_private", i);
    for (std::size_t i = 0; i < server.grants.size(); ++i) judge(server.grants[i].path, "grants", i);
}

} // namespace

void judge_secrecy(KnownServer const& server, Complaints& out) {
    judge_named_secrets(server, out);
    for (std::size_t i = 0; i < server.args.size(); ++i)
        if (gives_secret(server.args, i) || has_login(server.args[i]))
            out.push_back(
                {"args", i, "would put a secret on the command line, which everybody can read; make it a credential"});
    for (auto const& [name, value] : server.environment)
        if ((says_secret(name) && !is_place_text(value)) || has_login(value))
            out.push_back(
                {"environment", {}, "sets " + name + ", which is a secret by its name or form; make it a credential"});
    for (std::size_t i = 0; i < server.parameters.size(); ++i)
        if (says_secret(server.parameters[i].name))
            out.push_back(
                {"parameters", i, "asks for " + server.parameters[i].name + " in the open; make it a credential"});
}

} // namespace pfar::registry_known
