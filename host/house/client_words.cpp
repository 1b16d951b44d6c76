#include "house/client_words.hpp"

#include "base/text.hpp"
#include "config/secret_look.hpp"
#include "config/write_server.hpp"

#include <fmt/format.h>

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
        if (name == "userHome") return Value(words_.user_home.native());
        if (name == "workspaceFolder" && words_.project) return Value(words_.project->native());
        if (name == "pathSeparator" || name == "/") return Value("/");
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
    for (auto* const text : {&server.command, &server.cwd, &server.env_file}) {
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

Result<std::string> fill_client_text(std::string_view text, ClientWords const& words) {
    return Filling(words).text(text);
}

std::string_view unfilled_word(std::string_view text) {
    for (auto at = text.find("${"); at != text.npos; at = text.find("${", at + 2)) {
        auto const rest = text.substr(at);
        auto const end = rest.find('}');
        if (!config::is_known_variable(rest))
            return base::whole_text(end == rest.npos ? rest : rest.substr(0, end + 1), 40);
    }
    return {};
}

Result<void> refuse_client_arguments(std::string const& name, std::vector<std::string> args, ClientWords words) {
    words.ask = [](ClientInput const& input) -> Result<std::string> {
        return input.fallback.empty() ? "value" : input.fallback;
    };
    auto const credential = [&](std::size_t number) {
        return fail(Errc::refused,
                    fmt::format("{}: argument {} looks like a credential, and every program on this machine can see a "
                                "command line; if the server can have it from an environment variable, write it into "
                                "env there and import it again, and it goes to the vault; if it is none, leave it out "
                                "there and write it with pfar edit",
                                name, number + 1));
    };
    for (std::size_t i = 0; i < args.size(); ++i) {
        PFAR_TRY(filled, fill_client_text(args[i], words));
        args[i] = std::move(filled);
        auto const left = unfilled_word(args[i]);
        if (left.starts_with("${input:")) return credential(i);
        if (!left.empty())
            return fail(Errc::invalid, fmt::format("{}: argument {} has {}, which its client fills in; write there "
                                                   "what it stands for, and import it again",
                                                   name, i + 1, base::printable(left)));
    }
    auto const found = config::secret_argument(args);
    return found ? Result<void>(credential(*found)) : Result<void>();
}

} // namespace pfar::house
