// Names are taken apart into words first: MAX_TOKENS and AUTHOR are nobody's secret, API_KEY is.
#include "config/secret_look.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace pfar::config {
namespace {

using Words = std::vector<std::string>;

bool is_upper(char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0;
}

std::string upper(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::toupper(c); });
    return out;
}

/// "githubApi_key" -> GITHUB API KEY
Words words_of(std::string_view name) {
    Words words(1);
    for (std::size_t i = 0; i < name.size(); ++i) {
        bool const letter = std::isalnum(static_cast<unsigned char>(name[i])) != 0;
        bool const hump = letter && i > 0 && is_upper(name[i]) && !is_upper(name[i - 1]);
        if ((!letter || hump) && !words.back().empty()) words.emplace_back();
        if (letter) words.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(name[i])));
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

template <std::size_t N> bool is_one_of(std::array<char const*, N> const& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// What is about a credential without being one: TOKEN_LIMIT, KEY_FILE.
bool only_speaks_of_it(Words const& words) {
    constexpr std::array about{"PATH",   "FILE",   "DIR",     "DIRECTORY", "LIMIT",  "LENGTH",   "SIZE",    "COUNT",
                               "NAME",   "ID",     "TYPE",    "MODE",      "METHOD", "HOST",     "PORT",    "TTL",
                               "HEADER", "PREFIX", "TIMEOUT", "SOCK",      "SOCKET", "ENABLED",  "SCOPE",   "SCOPES",
                               "FORMAT", "USER",   "VERSION", "USERNAME",  "EMAIL",  "PROVIDER", "EXPIRES", "REGION"};
    return is_one_of(about, words.back());
}

enum class Name : std::uint8_t { plain, weak, strong };

Name judge_word(std::string const& word) {
    constexpr std::array strong{"PASS",   "PASSWD",     "PASSPHRASE",  "PWD",
                                "APIKEY", "CREDENTIAL", "CREDENTIALS", "MNEMONIC"};
    constexpr std::array weak{"KEY",    "AUTH",      "PAT",        "DSN",   "AUTHORIZATION",
                              "BEARER", "ACCESSKEY", "PRIVATEKEY", "COOKIE"};
    if (is_one_of(strong, word) || word.ends_with("TOKEN") || word.ends_with("PASSWORD") || word.ends_with("SECRET"))
        return Name::strong;
    return is_one_of(weak, word) ? Name::weak : Name::plain;
}

Name judge_name(std::string_view name) {
    auto const words = words_of(name);
    if (words.empty() || only_speaks_of_it(words)) return Name::plain;
    auto out = Name::plain;
    for (auto const& word : words) out = std::max(out, judge_word(word));
    return out;
}

/// true, none, 42: said where a feature is turned on or off, not to open a door.
bool is_setting(std::string_view value) {
    constexpr std::array words{"TRUE", "FALSE", "YES",     "NO",       "ON",    "OFF",
                               "NONE", "AUTO",  "ENABLED", "DISABLED", "BASIC", "BEARER"};
    return value.empty() || is_one_of(words, upper(value));
}

bool is_path(std::string_view value) {
    constexpr std::array endings{".json", ".pem", ".key", ".p12", ".crt", ".txt", ".toml", ".yaml", ".yml", ".env"};
    bool const begins = value.starts_with('/') || value.starts_with("~/") || value.starts_with("./");
    return begins && std::any_of(endings.begin(), endings.end(), [&](auto end) { return value.ends_with(end); });
}

bool has_known_beginning(std::string_view value) {
    constexpr std::array beginnings{
        "ghp_",    "gho_",  "ghu_",  "ghs_",  "ghr_",  "github_pat_", "ntn_",   "secret_",  "sk-",      "sk_live_",
        "sk_test", "rk_",   "xoxb-", "xoxp-", "xoxa-", "xoxe",        "xapp-",  "AKIA",     "ASIA",     "glpat-",
        "AIza",    "ya29.", "npm_",  "pypi-", "hf_",   "dop_v1",      "SG.",    "shpat_",   "lin_api_", "figd_",
        "tvly-",   "ATATT", "patat", "pplx-", "gsk_",  "r8_",         "whsec_", "dckr_pat", "eyJ"};
    auto const begins = [&](char const* beginning) { return value.starts_with(beginning); };
    bool const one_word = value.find_first_of(" \t\n/") == std::string_view::npos;
    return value.find("-----BEGIN") != std::string_view::npos ||
           (value.size() >= 16 && one_word && std::any_of(beginnings.begin(), beginnings.end(), begins));
}

double bits_per_character(std::string_view text) {
    std::array<std::size_t, 256> counts{};
    for (unsigned char c : text) ++counts[c];
    double bits = 0;
    for (auto const count : counts) {
        if (count == 0) continue;
        auto const share = static_cast<double>(count) / static_cast<double>(text.size());
        bits -= share * std::log2(share);
    }
    return bits;
}

/// Letters of both cases and digits as no person writes them, or many hexadecimal digits.
bool looks_random(std::string_view value) {
    bool lower = false, capital = false, digit = false, hex = true;
    for (unsigned char c : value) {
        if (std::isalnum(c) == 0 && std::string_view("+/=_-").find(static_cast<char>(c)) == std::string_view::npos)
            return false;
        lower = lower || std::islower(c) != 0, capital = capital || std::isupper(c) != 0;
        digit = digit || std::isdigit(c) != 0, hex = hex && std::isxdigit(c) != 0;
    }
    if (value.starts_with('/')) return false;
    if (hex) return value.size() >= 32 && digit && lower != capital;
    return value.size() >= 24 && lower && capital && digit && bits_per_character(value) >= 3.8;
}

/// "https://hooks.example/T0/B0/random": the address is the key.
bool is_secret_address(std::string_view rest) {
    while (!rest.empty()) {
        auto const piece = rest.substr(0, rest.find_first_of("/?&=#"));
        if (piece.size() >= 20 && (looks_random(piece) || has_known_beginning(piece))) return true;
        rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
    }
    return false;
}

bool is_address(std::string_view value) {
    auto const scheme = value.find("://");
    return scheme != std::string_view::npos && scheme > 0 && scheme < 16;
}

/// user:password of an address; empty if there is none.
std::string_view user_part(std::string_view value) {
    if (!is_address(value)) return {};
    auto rest = value.substr(value.find("://") + 3);
    auto const end = rest.substr(0, rest.find_first_of("/?#")).rfind('@');
    return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

bool has_password(std::string_view value) {
    auto const user = user_part(value);
    auto const colon = user.find(':');
    return colon != std::string_view::npos && colon + 1 < user.size();
}

/// `?password=...` and the like.
bool has_secret_query(std::string_view value) {
    for (auto at = value.find_first_of("?&;"); at != std::string_view::npos; at = value.find_first_of("?&;", at + 1)) {
        auto const pair = value.substr(at + 1, value.find_first_of("&;#", at + 1) - at - 1);
        auto const equals = pair.find('=');
        if (equals == std::string_view::npos || equals + 1 >= pair.size()) continue;
        if (judge_name(pair.substr(0, equals)) != Name::plain && !is_setting(pair.substr(equals + 1))) return true;
    }
    return false;
}

bool is_secret_value(std::string_view value) {
    if (is_address(value))
        return has_password(value) || has_secret_query(value) || is_secret_address(value.substr(value.find("://") + 3));
    bool const header = value.starts_with("Bearer ") || value.starts_with("Basic ") || value.starts_with("token ");
    return (header && value.size() > 14) || has_known_beginning(value) || has_secret_query(value);
}

bool ends_with_id(std::string_view variable) {
    auto const words = words_of(variable);
    return !words.empty() && (words.back() == "ID" || words.back() == "UUID" || words.back() == "HASH");
}

bool is_secret(std::string_view variable, std::string_view value) {
    if (is_secret_value(value)) return true;
    bool const says_more = value.find_first_of(" {\"") != value.npos; // headers, JSON
    if (says_more && tells_secret(value)) return true;
    if (is_setting(value) || is_path(value)) return false;
    auto const name = judge_name(variable);
    auto const dsn = words_of(variable);
    if (is_address(value)) return !dsn.empty() && dsn.back() == "DSN" && !user_part(value).empty();
    if (name == Name::strong || (name == Name::weak && value.size() >= 8)) return true;
    return !ends_with_id(variable) && looks_random(value);
}

/// "xxxx", "****", "....", behind the beginning of a token too.
bool is_filling(std::string_view value) {
    auto const last = value.empty() ? '\0' : value.back();
    if (std::string_view("xX*.").find(last) == std::string_view::npos) return false;
    auto const from = value.find_last_not_of(last);
    auto const length = from == std::string_view::npos ? value.size() : value.size() - from - 1;
    return length >= 3 && (length == value.size() || length >= 4 || last == '.');
}

/// --api-key VALUE: how the flag is called.
std::string_view flag_name(std::string_view word) {
    if (!word.starts_with('-')) return {};
    return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

bool has_secret(std::string_view before, std::string_view word) {
    auto const equals = word.find('=');
    if (equals != std::string_view::npos && !is_address(word.substr(0, equals))) {
        auto const name = word.starts_with('-') ? flag_name(word.substr(0, equals)) : word.substr(0, equals);
        if (look_of(name, word.substr(equals + 1)) != Look::plain && !word.substr(equals + 1).empty()) return true;
    }
    if (word.starts_with('-')) return false;
    auto const colon = word.find(':'); // "Authorization: Bearer ..."
    if (colon != std::string_view::npos && !is_address(word) && judge_name(word.substr(0, colon)) != Name::plain &&
        word.size() > colon + 9)
        return true;
    auto const flag = flag_name(before);
    bool const after_flag = !flag.empty() && flag.find('=') == std::string_view::npos;
    if (after_flag && judge_name(flag) != Name::plain) return look_of(flag, word) != Look::plain;
    return is_secret_value(word) ||
           (word.size() >= 32 && looks_random(word) && word.find('/') == word.npos &&
            !std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isxdigit(c) != 0; }));
}

/// Without what nobody sees: it would hide the beginning of a token.
std::string seen_text(std::string_view text) {
    constexpr std::array unseen{"\xc2\xad",     "\xe2\x80\x8b", "\xe2\x80\x8c", "\xe2\x80\x8d",
                                "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x81\xa0", "\xef\xbb\xbf"};
    std::string out(text);
    for (std::string_view const one : unseen)
        for (auto at = out.find(one); at != out.npos; at = out.find(one, at)) out.erase(at, one.size());
    return out;
}

std::vector<std::string> split_at(std::string_view text, std::string_view separators) {
    std::vector<std::string> out;
    while (!text.empty()) {
        auto const end = std::min(text.find_first_of(separators), text.size());
        if (end > 0) out.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

constexpr std::string_view between_words = " \t\r\n\"'`,;()<>{}[]|", within_words = "=:";

bool has_digit(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// "password hunter2", "token: 8f14e45f", "Bearer x1y2z3": what comes behind such a word is one, unless it only goes on speaking of it.
bool is_told(std::string const& word, std::string const& next) {
    constexpr std::array passwords{"PASSWORD", "PASSWD", "PASSPHRASE", "PWD", "PASSCODE"};
    constexpr std::array tokens{"TOKEN", "SECRET", "KEY",        "APIKEY", "BEARER",
                                "BASIC", "PAT",    "CREDENTIAL", "PASS",   "PW"};
    constexpr std::array goes_on{"FOR", "OF", "TO", "FROM", "WITH",    "IN",   "ON",
                                 "AND", "OR", "AT", "BY",   "MANAGER", "VAULT"};
    auto const big = upper(word), behind = upper(next);
    if (is_one_of(goes_on, behind)) return false;
    if (is_one_of(passwords, big)) return next.size() >= 4;
    return is_one_of(tokens, big) && (next.size() >= 16 || (next.size() >= 6 && has_digit(next)));
}

bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

/// 8-4-4-4-12
bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
    }
    return true;
}

/// Glued to something else: "notion:ntn_...", "npm:ghp_...".
bool has_token_in(std::string_view word) {
    auto const pieces = split_at(word, ":=/@,#?&");
    return std::any_of(pieces.begin(), pieces.end(), [](auto const& piece) { return has_known_beginning(piece); });
}

/// user:password@host
bool is_login(std::string_view word) {
    auto const at = word.rfind('@'), colon = word.find(':');
    return colon != word.npos && at != word.npos && colon > 0 && colon + 1 < at && at + 1 < word.size() &&
           word.find('/') == word.npos && !word.starts_with("npm:") && !word.starts_with("pypi:");
}

bool is_random_word(std::string_view word) {
    if (is_uuid(word) || (word.size() >= 32 && is_hex(word) && has_digit(word))) return true;
    if (word.size() < 20 || word.find('.') != word.npos || word.starts_with('@')) return false;
    bool const whole = word.size() >= 38; // an AWS key, the second half of a bot's token
    bool lower = false, capital = false;
    for (unsigned char c : word) {
        if (std::isalnum(c) == 0 && std::string_view("+/_-").find(static_cast<char>(c)) == std::string_view::npos)
            return false;
        lower = lower || std::islower(c) != 0, capital = capital || std::isupper(c) != 0;
    }
    if (word.find('/') != word.npos && (!whole || word.starts_with('/') || !has_digit(word))) return false;
    return lower && capital && has_digit(word) && bits_per_character(word) >= 3.5;
}

} // namespace

bool names_secret(std::string_view name) {
    return judge_name(name) != Name::plain;
}

bool tells_secret(std::string_view text) {
    auto const words = split_at(seen_text(text), between_words);
    if (secret_argument(words)) return true;
    std::vector<std::string> said; // "password:hunter2" and "password is hunter2" alike
    for (auto const& word : words) {
        auto pieces = word.find("://") == word.npos ? split_at(word, within_words) : std::vector{word};
        for (auto& piece : pieces)
            if (auto const big = upper(piece); big != "IS" && big != "ARE" && big != "->")
                said.push_back(std::move(piece));
    }
    for (std::size_t i = 1; i < said.size(); ++i)
        if (is_told(said[i - 1], said[i])) return true;
    return false;
}

bool shows_secret(std::string_view text) {
    if (tells_secret(text)) return true;
    for (auto const& word : split_at(seen_text(text), between_words)) {
        if (is_address(word)) continue; // tells_secret() has looked at it
        if (has_token_in(word) || is_login(word)) return true;
        if (word.starts_with("npm:") || word.starts_with("pypi:")) continue;
        for (auto const& piece : split_at(word, within_words))
            if (is_random_word(piece)) return true;
    }
    return false;
}

bool is_placeholder(std::string_view value) {
    auto const big = upper(value);
    constexpr std::array inside{"YOUR_",     "YOUR-",       "YOUR ",    "CHANGEME",
                                "CHANGE_ME", "PLACEHOLDER", "KEY_HERE", "TOKEN_HERE"};
    constexpr std::array beginnings{"YOUR",    "REPLACE_", "REPLACE-", "INSERT_",
                                    "INSERT-", "ENTER_",   "PASTE_",   "MY_API_KEY"};
    for (auto const* const words : inside)
        if (big.find(words) != std::string::npos) return true;
    for (auto const* const words : beginnings)
        if (big.starts_with(words) && value.find_first_of(" \t") == value.npos) return true;
    auto const open = value.find('<');
    bool const in_brackets = open != std::string_view::npos && value.find('>', open) != std::string_view::npos;
    bool const filled_in = value.find("${") != std::string_view::npos || value.find("{{") != std::string_view::npos;
    bool const windows = value.size() > 2 && value.front() == '%' && value.back() == '%';
    bool const shell =
        value.size() > 1 && value.front() == '$' &&
        std::all_of(value.begin() + 1, value.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }) &&
        std::isdigit(static_cast<unsigned char>(value[1])) == 0;
    return in_brackets || filled_in || windows || shell || is_filling(value);
}

Look look_of(std::string_view variable, std::string_view value) {
    if (value.empty()) return judge_name(variable) == Name::strong ? Look::placeholder : Look::plain;
    if (is_placeholder(value)) return Look::placeholder;
    return is_secret(variable, value) ? Look::secret : Look::plain;
}

std::optional<Login> login_in(std::string_view value) {
    if (!has_password(value) || has_secret_query(value)) return {};
    auto const user = user_part(value);
    auto const password = user.substr(user.find(':') + 1);
    auto const at = static_cast<std::size_t>(password.data() - value.data());
    Login const login{value.substr(0, at), password, value.substr(at + password.size())};
    bool const simple = login.before.find("${") == login.before.npos && login.behind.find("${") == login.behind.npos &&
                        login.password.find('@') == login.password.npos;
    if (!simple || is_placeholder(login.before) || is_placeholder(login.behind)) return {};
    return is_secret_address(login.behind) ? std::nullopt : std::optional(login);
}

std::optional<std::size_t> secret_argument(std::vector<std::string> const& args) {
    for (std::size_t i = 0; i < args.size(); ++i)
        if (has_secret(i > 0 ? args[i - 1] : "", args[i])) return i;
    return {};
}

} // namespace pfar::config
