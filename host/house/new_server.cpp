// What cannot be run is refused before it is looked for: npx need not be installed to hear that it is not taken.
#include "house/new_server.hpp"

#include "base/paths.hpp"
#include "base/text.hpp"
#include "config/address_domain.hpp"
#include "config/dotenv.hpp"
#include "config/launcher.hpp"
#include "config/secret_look.hpp"
#include "config/write_server.hpp"
#include "servers/find_command.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
using config::Look;

class Settling {
public:
    Settling(config::ClientServer wanted, config::ServerSpec spec, Adding const& adding)
        : wanted_(std::move(wanted)), adding_(adding) {
        out_.spec = std::move(spec);
    }

    Result<NewServer> settle() {
        PFAR_CHECK(check_bytes());
        PFAR_CHECK(config::refuse_launcher(name(), wanted_.command, wanted_.args));
        PFAR_CHECK(refuse_secret_arguments());
        PFAR_CHECK(settle_cwd());
        PFAR_CHECK(settle_command());
        PFAR_CHECK(settle_args());
        for (auto& [variable, value] : wanted_.env) PFAR_CHECK(settle_variable(variable, std::move(value)));
        if (out_.spec.description.empty()) out_.spec.description = wanted_.description;
        out_.spec.autostart = out_.spec.autostart && !wanted_.disabled;
        for (auto& sentence : wanted_.left_out) out_.notes.push_back(std::move(sentence));
        return std::move(out_);
    }

private:
    [[nodiscard]] std::string const& name() const { return out_.spec.name; }
    [[nodiscard]] Error wrong(Errc code, std::string const& what) const {
        return fail(code, fmt::format("{}: {}", name(), what));
    }

    /// TOML has only UTF-8, and an argument has no NUL.
    [[nodiscard]] Result<void> check_bytes() const {
        auto const is_text = [](std::string_view text) {
            return text.find('\0') == std::string_view::npos && base::is_utf8(text);
        };
        bool good = is_text(wanted_.command) && is_text(wanted_.cwd) && is_text(wanted_.description) &&
                    is_text(out_.spec.description);
        for (auto const& argument : wanted_.args) good = good && is_text(argument);
        for (auto const& [variable, value] : wanted_.env) good = good && is_text(value.reveal());
        if (good) return {};
        return wrong(Errc::invalid,
                     "its command, arguments or variables have a NUL byte or are not UTF-8; write them as text");
    }

    [[nodiscard]] Result<void> refuse_secret_arguments() const {
        auto const found = config::secret_argument(wanted_.args);
        if (!found) return {};
        return wrong(
            Errc::refused,
            fmt::format(
                "argument {} looks like a credential, and every program on this machine can see a command line; "
                "give it to the server by an environment variable that it reads: pfar add {} --secret VARIABLE "
                "-- COMMAND; if it is none, leave it out and write it with pfar edit",
                *found + 1, name()));
    }

    /// A client's ${userHome} and ${workspaceFolder}; what others stand for only the client knows.
    Result<std::string> filled(std::string text, std::string_view what) const {
        auto const replace = [&](std::string_view variable, std::string const& by) {
            for (auto at = text.find(variable); at != text.npos; at = text.find(variable, at + by.size()))
                text.replace(at, variable.size(), by);
        };
        if (adding_.from_argv) return config::plain_text(text, true);
        for (auto const* const variable : {"${userHome}", "${HOME}", "${env:HOME}"})
            replace(variable, adding_.places.user_home.native());
        if (adding_.project) replace("${workspaceFolder}", adding_.project->native());
        for (auto const* const variable : {"${pathSeparator}", "${/}"}) replace(variable, "/");
        for (auto at = text.find("${"); at != text.npos; at = text.find("${", at + 2)) {
            auto const rest = std::string_view(text).substr(at);
            if (config::is_known_variable(rest)) continue;
            return wrong(Errc::invalid,
                         fmt::format("its {} has {}, which its client fills in; write what it stands for{}", what,
                                     base::printable(rest.substr(0, std::min<std::size_t>(rest.find('}') + 1, 40))),
                                     rest.starts_with("${workspaceFolder}") ? ", or say --project" : ""));
        }
        return text;
    }

    /// Where relative paths begin.
    [[nodiscard]] fs::path directory() const { return out_.spec.server.cwd.value_or(adding_.places.directory); }

    [[nodiscard]] fs::path absolute(std::string const& path) const {
        if (path == "~" || path.starts_with("~/"))
            return adding_.places.user_home / path.substr(std::min<std::size_t>(2, path.size()));
        return (directory() / path).lexically_normal();
    }

    Result<void> settle_cwd() {
        if (wanted_.cwd.empty()) return {};
        PFAR_TRY(text, filled(wanted_.cwd, "cwd"));
        out_.spec.server.cwd = absolute(text);
        return {};
    }

    Result<void> settle_command() {
        PFAR_TRY(text, filled(wanted_.command, "command"));
        bool const is_path = text.find('/') != text.npos;
        auto const command = is_path ? absolute(text).native() : text;
        auto const found = servers::find_command(command, adding_.search_path, adding_.places.user_home);
        if (!found) return wrong(found.error().code, found.error().what);
        out_.spec.server.command = config::plain_text(found->native(), false);
        auto const& args = wanted_.args;
        if (found->filename() == "uv" && !args.empty() && args[0] == "run")
            out_.notes.emplace_back("uv run installs what is missing when it starts, which a sandbox does not let it; "
                                    "better add the Python of the project: .venv/bin/python");
        return {};
    }

    /// A server does not start where its owner stands, so what is a file there is written in full.
    Result<void> settle_args() {
        for (auto const& given : wanted_.args) {
            PFAR_TRY(text, filled(given, "arguments"));
            std::error_code error;
            bool const relative = !text.empty() && text[0] != '-' && text[0] != '/' && text[0] != '~';
            auto const path = relative && text.size() < 4096 ? absolute(text) : fs::path(text);
            bool const named = text.find('/') != text.npos || text.find('.') != text.npos;
            if (relative && named && !out_.spec.server.cwd && fs::exists(path, error)) {
                out_.notes.push_back(
                    fmt::format("{} is written as {}", base::printable(given), base::printable(path.native())));
                text = config::plain_text(path.native(), false);
            }
            note_unseen(text);
            out_.spec.server.args.push_back(std::move(text));
        }
        return {};
    }

    /// A directory that it is told of and cannot see.
    void note_unseen(std::string const& text) {
        std::error_code error;
        if (!text.starts_with('/') || text.size() >= 4096 || !fs::is_directory(text, error)) return;
        auto const path = fs::path(text).lexically_normal();
        auto const covers = [&](fs::path const& granted) { return base::lies_in(path, granted); };
        auto const& spec = out_.spec;
        bool seen = !spec.access &&
                    ((spec.server.cwd && covers(*spec.server.cwd)) || (adding_.project && covers(*adding_.project)));
        if (spec.access)
            for (auto const& grant : spec.access->files) seen = seen || covers(grant.path);
        if (!seen)
            out_.notes.push_back(fmt::format(
                "it is given {0} and cannot see it; [access] in its file lets it, or pfar add with --read or --write",
                base::printable(text)));
    }

    Result<void> settle_variable(std::string const& variable, Secret value) {
        if (auto const valid = config::parse_variable(variable); !valid)
            return wrong(Errc::invalid, fmt::format("{}; {}", valid.error().what, valid.error().expected));
        if (!adding_.from_argv && value.reveal().find("${") != std::string_view::npos)
            if (auto const text = filled(std::string(value.reveal()), "env")) value = Secret(*text);
        note_domain(variable, value.reveal());
        auto const look = config::look_of(variable, value.reveal());
        bool const means_it =
            adding_.from_argv && look == Look::placeholder && config::look_of(variable, "") == Look::plain;
        if (look == Look::plain || means_it) return settle_plain(variable, std::string(value.reveal()));
        if (adding_.from_argv && look == Look::secret)
            return wrong(Errc::refused,
                         fmt::format("the value of {0} looks like a credential, and secrets are never taken from "
                                     "the command line; say --secret {0} and give it when asked, or on stdin",
                                     variable));
        auto entry = entry_for(name(), variable);
        if (auto const login = config::login_in(value.reveal()))
            if (config::is_placeholder(login->password) || login->password.size() >= 8) {
                add_auth(variable,
                         {{false, std::string(login->before)}, {true, entry}, {false, std::string(login->behind)}});
                return add_secret(variable, std::move(entry), Secret(login->password));
            }
        add_auth(variable, {{true, entry}});
        return add_secret(variable, std::move(entry), std::move(value));
    }

    /// Where it will want to go.
    void note_domain(std::string const& variable, std::string_view value) {
        auto const rule = config::domain_in(value);
        auto const& allowed = out_.spec.allowed_domains;
        if (!rule || std::any_of(allowed.begin(), allowed.end(), [&](auto const& wide) { return covers(wide, *rule); }))
            return;
        out_.notes.push_back(fmt::format("{} leads to {}, which it does not reach; pfar allow {} {} lets it", variable,
                                         to_text(*rule), name(), to_text(*rule)));
    }

    Result<void> settle_plain(std::string const& variable, std::string const& text) {
        out_.spec.env_set.insert_or_assign(variable, config::plain_text(text, adding_.from_argv));
        return {};
    }

    void add_auth(std::string const& variable, std::vector<config::AuthPiece> pieces) {
        std::erase_if(pieces, [](auto const& piece) { return piece.text.empty(); });
        out_.spec.auth.push_back({variable, std::move(pieces)});
    }

    Result<void> add_secret(std::string const& variable, std::string entry, Secret value) {
        bool const known = value.size() > 0 && !config::is_placeholder(value.reveal());
        if (!known) return out_.secrets.push_back({variable, std::move(entry), {}}), Result<void>();
        auto const fits = check_value(variable, value, adding_.short_allowed);
        if (!fits) return wrong(fits.error().code, fits.error().what);
        out_.secrets.push_back({variable, std::move(entry), std::move(value)});
        return {};
    }

    config::ClientServer wanted_;
    Adding const& adding_;
    NewServer out_;
};

} // namespace

Result<NewServer> settle_server(config::ClientServer wanted, config::ServerSpec spec, Adding const& adding) {
    return Settling(std::move(wanted), std::move(spec), adding).settle();
}

std::string entry_for(std::string const& server, std::string const& variable) {
    auto prefix = config::entry_for(server);
    std::replace(prefix.begin(), prefix.end(), '-', '_');
    auto const entry = config::entry_for(variable);
    return entry == prefix || entry.starts_with(prefix + "_") ? entry
                                                              : fmt::format("{}_{}", prefix, entry).substr(0, 64);
}

Result<void> check_value(std::string const& variable, Secret const& value, bool short_allowed) {
    if (value.size() == 0)
        return fail(Errc::invalid, fmt::format("the value of {} is empty; nothing was changed", variable));
    if (value.size() > (64U << 10U))
        return fail(Errc::invalid, fmt::format("the value of {} is longer than 64 KiB; nothing was changed", variable));
    if (value.size() >= 8 || short_allowed) return {};
    return fail(Errc::invalid,
                fmt::format("the value of {} has less than 8 bytes: too short to be redacted without harming "
                            "other text; say --short if it has to be; nothing was changed",
                            variable));
}

} // namespace pfar::house
