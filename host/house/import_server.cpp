// Everything that `pfar add` knows of configurations counts here too: settle_server() judges, add_servers() writes, all or nothing.
#include "house/import_server.hpp"

#include "base/text.hpp"
#include "config/launcher.hpp"
#include "config/secret_look.hpp"
#include "house/add_server.hpp"
#include "house/client_env_file.hpp"
#include "house/client_words.hpp"
#include "house/import_grants.hpp"
#include "house/import_secrets.hpp"
#include "house/imported_before.hpp"
#include "house/install.hpp"
#include "house/registries.hpp"
#include "house/vault_bell.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <tuple>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

template <std::size_t N> bool is_one_of(std::array<char const*, N> const& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

class Importing {
public:
    Importing(FlowSetting const& setting, ImportWish wish, FlowJournal& journal)
        : setting_(setting), wish_(std::move(wish)), verbs_(setting, journal), journal_(journal),
          secrets_(setting, journal, spec_.name) {
        spec_.name = free_import_name(setting.house, wish_.name);
        places_ = setting.house.places;
        if (wish_.project) places_.directory = *wish_.project;
        had_secret_ = has_plain_secret(wish_.wanted);
    }

    Result<void> run() {
        PFAR_CHECK(refuse_early());
        PFAR_CHECK(fill_words());
        take_env_file(wish_.wanted, places_, setting_.talk);
        leave_out_empty();
        if (auto const fetched = config::fetched_package(wish_.wanted.command, wish_.wanted.args))
            PFAR_CHECK(take_package(*fetched));
        if (spec_.allowed_domains.empty() && !known_) PFAR_CHECK(ask_domains());
        PFAR_CHECK(ask_grants({verbs_, setting_, places_}, wish_.wanted, spec_));
        PFAR_TRY(settled, settle());
        PFAR_CHECK(secrets_.ask_all(settled.secrets));
        PFAR_CHECK(write(std::move(settled)));
        return start();
    }

    [[nodiscard]] std::string const& name() const { return spec_.name; }
    [[nodiscard]] bool had_secret() const { return had_secret_; }
    FlowVerbs& verbs() { return verbs_; }

private:
    [[nodiscard]] ClientWords client_words(
        std::function<Result<std::string>(config::ClientInput const&)> ask_input) const {
        return {wish_.inputs, std::move(ask_input), [](std::string const& name) { return std::getenv(name.c_str()); },
                places_.user_home, wish_.project};
    }

    /// Before anything is asked, or installed: what settle_server() would not take in the end.
    Result<void> refuse_early() {
        auto const& [command, args] = std::tie(wish_.wanted.command, wish_.wanted.args);
        if (!config::fetched_package(command, args)) PFAR_CHECK(config::refuse_launcher(spec_.name, command, args));
        return refuse_client_arguments(spec_.name, args, client_words({}));
    }

    Result<void> fill_words() {
        auto const ask_input = [this](config::ClientInput const& input) -> Result<std::string> {
            json::object wish{{"name", input.id},
                              {"prompt", input.description.empty() ? input.id : input.description},
                              {"default", input.fallback}};
            if (!input.options.empty()) wish["choices"] = json::array(input.options.begin(), input.options.end());
            PFAR_TRY(answer, verbs_.run("ask", {wish}));
            return std::string(answer.value.as_string());
        };
        PFAR_CHECK(fill_client_words(wish_.wanted, client_words(ask_input)));
        secrets_.note_hidden(wish_.wanted, wish_.inputs);
        return {};
    }

    /// What is optional may be empty there.
    void leave_out_empty() {
        std::erase_if(wish_.wanted.env, [&](auto const& one) {
            bool const is_empty = one.second.size() == 0 && config::look_of(one.first, "") != config::Look::plain;
            if (is_empty)
                setting_.talk.say(fmt::format("{} is empty there, and left out.", base::printable(one.first)));
            return is_empty;
        });
    }

    /// What the registry knows of the package counts: where it has to go, how confidential it is.
    void take_template(Package const& package) {
        for (auto const& server : known_of(setting_.house, package)) {
            known_ = true;
            for (auto const& domain : server.domains)
                if (auto const rule = config::parse_domain(domain))
                    spec_.allowed_domains.push_back(*rule);
                else
                    known_ = false; // it depends on what its client would have asked
            take_environment(server);
            for (auto const& [word, label] : base::label_words)
                if (word == server.label) spec_.label = label;
            for (auto const& [word, taint] : base::taint_words)
                if (word == server.taint) spec_.taint = taint;
            for (auto const& tool : server.reads) spec_.tools[tool].semantics = base::Semantics::read;
            spec_.description = server.description;
            return;
        }
    }

    /// What the server needs in a sandbox, unless its client says something else: where it may keep its file, for one.
    void take_environment(KnownServer const& server) {
        for (auto const& [variable, value] : server.environment) {
            auto text = value;
            if (auto const at = text.find("${HOME}"); at != text.npos) text.replace(at, 7, "/state");
            if (text.find("${") == text.npos) spec_.env_set.emplace(variable, text);
        }
    }

    Result<void> take_package(config::Fetched const& fetched) {
        json::object package{{fetched.python ? "pypi" : "npm", fetched.package}};
        if (!fetched.version.empty()) package["version"] = fetched.version;
        if (!fetched.entry.empty()) package["entry"] = fetched.entry;
        take_template({fetched.python ? Package::Source::pypi : Package::Source::npm, fetched.package, "", ""});
        setting_.talk.say(fmt::format("{} fetches {} at every start; it is installed once now, pinned.",
                                      base::printable(wish_.wanted.command), base::printable(fetched.package)));
        PFAR_TRY(installed, verbs_.run("install", {package, json::object{{"server", spec_.name}}}));
        auto const& facts = installed.value.as_object();
        wish_.wanted.command = std::string(facts.at("command").as_string());
        wish_.wanted.args.clear();
        for (auto const& argument : facts.at("args").as_array()) wish_.wanted.args.emplace_back(argument.as_string());
        wish_.wanted.args.insert(wish_.wanted.args.end(), fetched.args.begin(), fetched.args.end());
        return {};
    }

    Result<void> ask_domains() {
        for (int tries = 0; tries < 3; ++tries) {
            PFAR_TRY(typed, ask_line(setting_.talk, flows::Question::Kind::text, "domains",
                                     "Which domains may it reach? Names with spaces between them; empty: none", ""));
            constexpr std::array nothing{"-", "no", "n", "none", "nothing"};
            constexpr std::array agreement{"yes", "y"};
            std::istringstream words(is_one_of(nothing, typed) ? std::string() : typed);
            std::vector<config::DomainRule> rules;
            std::string wrong;
            for (std::string word; words >> word;) {
                auto const rule = config::parse_domain(word);
                if (!rule)
                    wrong = rule.error().what;
                else if (is_one_of(agreement, word))
                    wrong = "what is needed is names such as api.example.com";
                else
                    rules.push_back(*rule);
            }
            if (wrong.empty()) return spec_.allowed_domains = std::move(rules), Result<void>();
            setting_.talk.say(wrong + ".");
        }
        return fail(Errc::unavailable, "there was no answer that fits");
    }

    Result<NewServer> settle() {
        Adding const adding{places_, setting_.search_path, wish_.project, false, true}; // check_length() asks
        PFAR_TRY(out, settle_server(std::move(wish_.wanted), spec_, adding));
        for (auto const& note : out.notes) setting_.talk.say(fmt::format("  {}", note));
        return out;
    }

    Result<void> write(NewServer settled) {
        PFAR_CHECK(journal_.claim(spec_.name));
        PFAR_CHECK(verbs_.put_state_aside(spec_.name));
        PFAR_CHECK(secrets_.make_room(settled.secrets));
        AddWish add;
        add.servers.push_back(std::move(settled));
        PFAR_CHECK(journal_.changes_file(fs::path("mcp") / (spec_.name + ".toml")));
        PFAR_TRY(added, add_servers(setting_.house, add, setting_.vault));
        for (auto const& entry : added.set) {
            PFAR_TRY(vault, setting_.vault());
            PFAR_CHECK(journal_.has_set(entry, *vault));
        }
        for (auto const& entry : added.set) {
            setting_.talk.say(fmt::format("  {} is in the vault now.", entry));
            setting_.record.add({"vault", {{"action", "set"}, {"entry", entry}, {"outcome", "ok"}, {"by", "import"}}});
        }
        return added.set.empty() ? Result<void>() : ring_vault_bell(setting_.house.places.home);
    }

    Result<void> start() {
        PFAR_TRY(started, verbs_.run("spawn", {json::value(spec_.name)}));
        if (!started.value.is_array()) {
            setting_.talk.say(fmt::format("It does not start: {}.", started.why));
            PFAR_TRY(keep, agrees(setting_.talk, "keep", "Keep it anyway?"));
            if (keep) return {};
            return fail(Errc::unavailable, started.why);
        }
        auto const count = started.value.get_array().size();
        setting_.talk.say(fmt::format("{} is imported: {} tool{}.", spec_.name, count, count == 1 ? "" : "s"));
        return {};
    }

    FlowSetting const& setting_;
    ImportWish wish_;
    FlowVerbs verbs_;
    FlowJournal& journal_;
    config::ServerSpec spec_;
    config::Places places_; // relative paths begin with its project
    ImportSecrets secrets_;
    bool known_ = false;      // the registry knows where it has to go
    bool had_secret_ = false; // in its client's file, plainly
};

} // namespace

Result<Imported> import_server(FlowSetting const& setting, ImportWish wish) {
    PFAR_TRY(journal, FlowJournal::open(setting.house, fmt::format("import {}", base::printable(wish.name))));
    Importing work(setting, std::move(wish), journal);
    auto done = work.run();
    if (done) done = journal.commit();
    if (!done) {
        auto const said = ended_badly(setting, journal, work.verbs(), done.error());
        return Imported{"", said.kind == Said::Kind::cancelled};
    }
    clear_away(setting, journal);
    return Imported{work.name(), false, work.had_secret()};
}

} // namespace pfar::house
