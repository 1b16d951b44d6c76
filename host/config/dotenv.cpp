#include "config/dotenv.hpp"

#include "config/values.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace pfar::config {
namespace {

constexpr std::string_view blank = " \t\r";

std::string_view trimmed(std::string_view text) {
    auto const begin = text.find_first_not_of(blank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

char unescaped(char c) {
    return c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
}

bool is_escape(char c) {
    return std::string_view("nrt\"\\$").find(c) != std::string_view::npos;
}

/// An unescaped $NAME or ${NAME}.
bool names_variables(std::string_view text) {
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
        auto const next = static_cast<unsigned char>(text[at + 1]);
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '$' && (std::isalpha(next) != 0 || next == '_' || next == '{' || next == '('))
            return true;
    }
    return false;
}

class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    Dotenv read() {
        while (!rest_.empty()) line();
        return std::move(out_);
    }

private:
    void line() {
        auto const at = number_;
        auto const whole = trimmed(rest_.substr(0, rest_.find('\n')));
        if (whole.empty() || whole.front() == '#') return next_line();
        rest_.remove_prefix(static_cast<std::size_t>(whole.data() - rest_.data()));
        if (rest_.starts_with("export ")) rest_.remove_prefix(7);
        auto const equals = rest_.substr(0, rest_.find('\n')).find('=');
        auto const name = equals == std::string_view::npos ? std::string_view() : trimmed(rest_.substr(0, equals));
        if (!parse_variable(name)) return out_.unread.push_back(at), next_line();
        rest_.remove_prefix(equals + 1);
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
        expands_ = false;
        auto found = value();
        if (!found) return out_.unread.push_back(at), next_line();
        if (std::erase_if(out_.values, [&](auto const& other) { return other.name == name; }) > 0)
            out_.repeated.emplace_back(name);
        out_.values.push_back({std::string(name), std::move(*found), at, expands_});
    }

    void next_line() {
        auto const end = rest_.find('\n');
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        ++number_;
    }

    std::optional<Secret> value() {
        if (rest_.starts_with('\'') || rest_.starts_with('"')) return quoted(rest_.front());
        auto text = rest_.substr(0, rest_.find('\n'));
        if (text.starts_with('#')) text = {};
        text = trimmed(text.substr(0, std::min(text.find(" #"), text.find("\t#"))));
        Secret found(text);
        expands_ = names_variables(text);
        next_line();
        return found;
    }

    /// Up to the closing quote, behind which nothing but a comment may stand.
    std::optional<Secret> quoted(char quote) {
        bool const escapes = quote == '"';
        std::size_t end = 1;
        while (end < rest_.size() && rest_[end] != quote) end += escapes && rest_[end] == '\\' ? 2 : 1;
        if (end >= rest_.size()) return {};
        auto const inside = rest_.substr(1, end - 1);
        auto const behind = trimmed(rest_.substr(end + 1, rest_.find('\n', end) - end - 1));
        if (!behind.empty() && behind.front() != '#') return {};
        auto found = escapes ? decoded(inside) : Secret(inside);
        expands_ = escapes && names_variables(inside);
        number_ += static_cast<std::size_t>(std::count(inside.begin(), inside.end(), '\n'));
        rest_.remove_prefix(end);
        next_line();
        return found;
    }

    static Secret decoded(std::string_view text) {
        std::size_t size = 0;
        auto const whole = Secret::filled(text.size(), [&](char* to) {
            for (std::size_t i = 0; i < text.size(); ++i) {
                bool const escape = text[i] == '\\' && i + 1 < text.size() && is_escape(text[i + 1]);
                to[size++] = escape ? unescaped(text[++i]) : text[i];
            }
        });
        return Secret(whole.reveal().substr(0, size));
    }

    std::string_view rest_;
    std::size_t number_ = 1;
    bool expands_ = false; // the last value
    Dotenv out_;
};

} // namespace

Dotenv read_dotenv(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return Reader(text).read();
}

std::string entry_for(std::string_view variable) {
    std::string entry;
    std::transform(variable.begin(), variable.end(), std::back_inserter(entry), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-' ? static_cast<char>(std::tolower(c)) : '_';
    });
    return entry.substr(0, 64);
}

} // namespace pfar::config
