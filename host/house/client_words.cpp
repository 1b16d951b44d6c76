#include "house/client_words.hpp"

#include "config/expand.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace pfar::house {
namespace {

using config::ClientInput;

class Filling {
public:
    explicit Filling(ClientWords const& words) : words_(words) {}

    Result<std::string> text(std::string_view given) {
        std::string out;
        while (!given.empty()) {
            auto const begin = std::min(given.find("${"), given.size());
            out += given.substr(0, begin);
            given.remove_prefix(begin);
            auto const end = given.find('}');
            if (end == std::string_view::npos) return out + std::string(given);
            auto const whole = given.substr(0, end + 1);
            given.remove_prefix(whole.size());
            PFAR_TRY(value, config::is_known_variable(whole) ? Result<std::optional<std::string>>(std::nullopt)
                                                             : one(std::string(whole.substr(2, whole.size() - 3))));
            out += value ? *value : std::string(whole);
        }
        return out;
    }

private:
    /// What stands between the braces; none: nobody here knows.
    Result<std::optional<std::string>> one(std::string const& name) {
        using Value = std::optional<std::string>;
        if (name.starts_with("input:")) return input(name.substr(6));
        auto rest = name.starts_with("env:") ? name.substr(4) : name;
        auto const dash = rest.find(":-");
        auto const variable = rest.substr(0, dash);
        if (variable.empty() || variable.find_first_of(":. /") != variable.npos) return Value();
        if (char const* const value = words_.variable(variable)) return Value(value);
        return dash == rest.npos ? Value() : Value(rest.substr(dash + 2));
    }

    Result<std::optional<std::string>> input(std::string const& id) {
        using Value = std::optional<std::string>;
        auto const known = std::find_if(words_.inputs.begin(), words_.inputs.end(),
                                        [&](ClientInput const& one) { return one.id == id; });
        if (known == words_.inputs.end() || known->hidden) return Value();
        if (auto const given = given_.find(id); given != given_.end()) return Value(given->second);
        PFAR_TRY(answer, words_.ask(*known));
        return Value(given_[id] = answer);
    }

    ClientWords const& words_;
    std::map<std::string, std::string> given_; // asked once, however often it stands there
};

} // namespace

Result<void> fill_client_words(config::ClientServer& server, ClientWords const& words) {
    Filling filling(words);
    for (auto* const text : {&server.command, &server.cwd}) {
        PFAR_TRY(filled, filling.text(*text));
        *text = std::move(filled);
    }
    for (auto& argument : server.args) {
        PFAR_TRY(filled, filling.text(argument));
        argument = std::move(filled);
    }
    for (auto& [name, value] : server.env) {
        if (value.reveal().find("${") == std::string_view::npos) continue;
        PFAR_TRY(filled, filling.text(value.reveal()));
        value = Secret(filled);
    }
    return {};
}

} // namespace pfar::house
