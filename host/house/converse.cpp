#include "house/converse.hpp"

#include "base/text.hpp"
#include "config/secret_look.hpp"
#include "flows/runner.hpp"
#include "house/install.hpp"
#include "house/registries.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <set>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using Kind = Said::Kind;

constexpr std::size_t most_phrase = 1000;

/// The owner's own comes before the shipped one.
fs::path script_path(House const& house, std::string const& name) {
    std::error_code error;
    auto const own = house.places.home / "scripts" / name;
    return fs::exists(own, error) ? own : house.layout.share / "scripts" / name;
}

bool has_script(House const& house, std::string const& name) {
    std::error_code error;
    return fs::exists(script_path(house, name), error);
}

/// A service may have a flow of its own, which may hand over to the one for all.
std::string first_flow(House const& house, std::string const& flow, json::object const& input) {
    static std::set<std::string_view> const no_services{"choose", "connect", "disconnect", "list", "rotate"};
    auto const* const service = input.if_contains("service");
    if (flow != "connect" || service == nullptr || !service->is_string()) return flow;
    auto const known = find_known(house, std::string(service->get_string()));
    auto const name = known ? known->name : std::string(service->get_string()); // however it is spelt
    bool const plain = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
    if (!plain || name.empty() || no_services.contains(name)) return flow;
    return has_script(house, fmt::format("flows/{}.lua", name)) ? name : flow;
}

flows::Flow flow_of(House const& house, std::string const& file, json::object input) {
    flows::Flow out;
    out.name = fs::path(file).stem();
    out.libraries = {script_path(house, "prelude.lua"), script_path(house, "lib/connecting.lua")};
    out.script = script_path(house, file);
    out.input = std::move(input);
    out.verbs = FlowVerbs::names();
    return out;
}

/// Which flow a phrase means, and with what. It cannot change anything: it has no verbs.
Result<json::object> understood(House const& house, Phrase const& phrase) {
    json::object input{{"text", phrase.text}, {"is_command", phrase.is_command}};
    if (!phrase.words.empty()) input["words"] = json::array(phrase.words.begin(), phrase.words.end());
    flows::Flow flow = flow_of(house, "phrases.lua", std::move(input));
    flow.verbs.clear(), flow.libraries.pop_back();
    struct : flows::Verbs {
        Result<flows::Done> run(std::string_view, std::vector<json::value>) override {
            return fail(Errc::invalid, "phrases.lua has no verbs");
        }
    } none;
    PFAR_TRY(meant, flows::run_flow(flow, none));
    if (!meant.is_object()) return fail(Errc::invalid, "phrases.lua did not say which flow it is");
    return meant.get_object();
}

/// A flow, and those that it hands over to: return flow("rotate", {...}).
Result<void> run_chain(House const& house, FlowVerbs& verbs, std::string flow, json::object input) {
    constexpr int most_flows = 8;
    flow = first_flow(house, flow, input);
    for (int number = 0; number < most_flows; ++number) {
        if (flow.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") != std::string::npos)
            return fail(Errc::invalid, fmt::format("{} is no flow's name", base::printable(flow)));
        PFAR_TRY(result, flows::run_flow(flow_of(house, fmt::format("flows/{}.lua", flow), std::move(input)), verbs));
        auto const* const next = result.is_object() ? result.get_object().if_contains("next") : nullptr;
        if (next == nullptr || !next->is_string()) return {};
        flow = std::string(next->get_string());
        auto* const with = result.get_object().if_contains("input");
        input = with != nullptr && with->is_object() ? std::move(with->get_object()) : json::object();
    }
    return fail(Errc::invalid, fmt::format("{} hands over to other flows without end", flow));
}

/// Those of its new entries that are in the vault by now.
std::vector<std::string> kept_entries(FlowSetting const& setting, FlowJournal const& journal) {
    auto out = journal.new_entries();
    if (out.empty()) return out;
    auto const vault = setting.vault();
    std::erase_if(out, [&](auto const& entry) {
        auto const there = vault ? (*vault)->has(entry) : Result<bool>(false);
        return !there || !*there;
    });
    return out;
}

/// What was done is on record, so what is not so any more has to be.
void record_undone(FlowSetting const& setting, std::vector<std::string> const& entries) {
    for (auto const& entry : entries)
        setting.record.add({"vault", {{"action", "remove"}, {"entry", entry}, {"outcome", "ok"}, {"by", "undo"}}});
    setting.record.add({"config", {{"action", "undo"}, {"by", "connect"}}});
}

/// The person decides whether what was stored stays; where nobody can be asked, nothing does.
bool wants_to_keep(FlowSetting const& setting, std::vector<std::string> const& entries) {
    if (entries.empty()) return false;
    flows::Question question;
    question.kind = flows::Question::Kind::yes_no;
    question.name = "keep_credential";
    question.fallback = "no";
    question.prompt = fmt::format("Keep {} in the vault?", base::listed({entries.begin(), entries.end()}));
    auto const reply = setting.talk.ask(question);
    return reply && (reply->text == "yes" || reply->text == "y");
}

/// A mistake in a template of the owner's is one, whatever the registry calls it.
Error called_by_its_name(House const& house, Error why) {
    auto const own = (house.places.home / "templates").native();
    if (why.what.find(own) == std::string::npos) return why;
    for (auto const& trouble : registry_troubles(house))
        if (trouble.what == why.what) why.code = Errc::invalid;
    return why;
}

} // namespace

Said ended_badly(FlowSetting const& setting, FlowJournal& journal, FlowVerbs& verbs, Error const& why) {
    bool const gave_up = is_cancelled(why);
    bool const changed = !journal.empty();
    setting.talk.say(gave_up ? "Cancelled."
                             : fmt::format("It did not work: {}{}", why.what, why.what.ends_with('?') ? "" : "."));
    auto const stored = kept_entries(setting, journal);
    bool const keep = !gave_up && verbs.trusts_credentials() && wants_to_keep(setting, stored);
    verbs.rest();
    auto const undone = journal.undo(
        setting.vault, [&verbs] { verbs.settle(); }, keep);
    if (!undone)
        setting.talk.say(fmt::format("Not everything could be undone: {}.", undone.error().what));
    else if (changed)
        setting.talk.say(keep ? "Everything else was undone." : "Everything was undone; nothing is left behind.");
    if (undone && changed) record_undone(setting, keep ? std::vector<std::string>() : stored);
    return {gave_up ? Kind::cancelled : Kind::failed, why.what, why.code};
}

void clear_away(FlowSetting const& setting, FlowJournal& journal) {
    auto const forgotten = journal.forgotten();
    if (auto const cleared = journal.clear(setting.vault); !cleared)
        return setting.talk.say(
            fmt::format("What was there before could not be cleared away yet, the next conversation "
                        "tries again: {}.",
                        cleared.error().what));
    for (auto const& entry : forgotten)
        setting.record.add({"vault", {{"action", "remove"}, {"entry", entry}, {"outcome", "ok"}, {"by", "connect"}}});
}

void clear_conversations(FlowSetting const& setting) {
    clear_stagings(setting.house.places.home);
    auto const settle = [&setting] {
        if (auto host = setting.host()) wait_for_files(*host, setting.house.places.home);
    };
    auto const disable = [&setting](std::string const& server) {
        auto const& home = setting.house.places.home;
        if (auto host = setting.host()) disable_again(*host, home, server);
    };
    for (auto const& left : FlowJournal::recover(setting.house, setting.vault, settle, disable))
        if (left.undone)
            setting.talk.say(fmt::format("An earlier conversation ({}) was cut off; what it had begun was undone.",
                                         base::printable(left.about)));
        else if (left.was_done)
            setting.talk.say(fmt::format("What an earlier conversation ({}) was to clear away is still there: {}.",
                                         base::printable(left.about), left.undone.error().what));
        else
            setting.talk.say(fmt::format("An earlier conversation ({}) was cut off and could not be undone yet: {}.",
                                         base::printable(left.about), left.undone.error().what));
}

Result<Said> run_one(FlowSetting const& setting, std::string const& flow, json::object input) {
    auto const* const service = input.if_contains("service");
    auto const about = service != nullptr && service->is_string()
                           ? fmt::format("{} {}", flow, std::string(service->get_string()))
                           : flow;
    PFAR_TRY(journal, FlowJournal::open(setting.house, about));
    FlowVerbs verbs(setting, journal);
    auto const result = run_chain(setting.house, verbs, flow, std::move(input));
    if (!result) return ended_badly(setting, journal, verbs, called_by_its_name(setting.house, result.error()));
    if (auto const committed = journal.commit(); !committed)
        return ended_badly(setting, journal, verbs, committed.error());
    clear_away(setting, journal);
    return Said{Kind::done, verbs.report()};
}

Result<Said> converse(FlowSetting const& setting, Phrase const& phrase) {
    if (phrase.text.size() > most_phrase || !base::is_utf8(phrase.text)) {
        setting.talk.say("That is too long, or no text. Say for example: connect notion");
        return Said{Kind::nothing, ""};
    }
    if (config::shows_secret(phrase.text)) {
        setting.talk.say(
            "That looks like it has a credential in it. Nothing was kept or sent. Say only what to connect; the "
            "credential is asked for afterwards, and not shown.");
        return Said{Kind::nothing, ""};
    }
    PFAR_TRY(meant, understood(setting.house, phrase));
    auto const text = [&](char const* key) {
        auto const* const found = meant.if_contains(key);
        return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
    };
    if (auto const words = text("say"); !words.empty()) setting.talk.say(words);
    if (text("flow") == "goodbye") return Said{Kind::goodbye, ""};
    if (text("flow").empty()) return Said{Kind::nothing, ""};
    auto const* const input = meant.if_contains("input");
    return run_one(setting, text("flow"),
                   input != nullptr && input->is_object() ? input->get_object() : json::object());
}

} // namespace pfar::house
