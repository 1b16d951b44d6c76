#include "house/flow_verbs.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "config/values.hpp"
#include "house/flow_arguments.hpp"
#include "house/rewrite.hpp"
#include "house/roster.hpp"
#include "house/vault_bell.hpp"
#include "servers/server_wish.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <thread>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using flows::Done;

constexpr std::chrono::seconds start_patience{90}, call_patience{150};

/// The texts of a tool's result.
std::string words_of(json::value const& result) {
    std::string out;
    auto const* const content = result.is_object() ? result.get_object().if_contains("content") : nullptr;
    if (content == nullptr || !content->is_array()) return out;
    for (auto const& part : content->get_array())
        if (part.is_object()) out += (out.empty() ? "" : "\n") + text_at(part.get_object(), "text");
    return out;
}

} // namespace

std::vector<fs::path> makings(std::string const& slug) {
    return {fs::path("state") / slug, fs::path("cache") / (slug + ".json"), fs::path("cache") / (slug + ".pins.json"),
            fs::path("log/servers") / (slug + ".log")};
}

std::map<std::string_view, FlowVerbs::Verb> const& FlowVerbs::table() {
    static std::map<std::string_view, Verb> const all{{"say", &FlowVerbs::say},
                                                      {"ask", &FlowVerbs::ask},
                                                      {"checked", &FlowVerbs::checked},
                                                      {"report", &FlowVerbs::report},
                                                      {"fail", &FlowVerbs::fail_flow},
                                                      {"registry.find", &FlowVerbs::registry_find},
                                                      {"registry.search", &FlowVerbs::registry_search},
                                                      {"registry.list", &FlowVerbs::registry_list},
                                                      {"config.read", &FlowVerbs::config_read},
                                                      {"config.check", &FlowVerbs::check},
                                                      {"config.claim", &FlowVerbs::claim},
                                                      {"config.write", &FlowVerbs::config_write},
                                                      {"config.remove", &FlowVerbs::config_remove},
                                                      {"servers", &FlowVerbs::servers},
                                                      {"resolve", &FlowVerbs::resolve},
                                                      {"path_of", &FlowVerbs::path},
                                                      {"program", &FlowVerbs::program},
                                                      {"fetched", &FlowVerbs::fetched},
                                                      {"entry_for", &FlowVerbs::entry},
                                                      {"stored", &FlowVerbs::stored},
                                                      {"store", &FlowVerbs::store},
                                                      {"install", &FlowVerbs::install},
                                                      {"spawn", &FlowVerbs::spawn},
                                                      {"verify", &FlowVerbs::verify},
                                                      {"accept", &FlowVerbs::accept},
                                                      {"cancel", &FlowVerbs::cancel}};
    return all;
}

std::vector<std::string> FlowVerbs::names() {
    std::vector<std::string> out;
    for (auto const& [name, verb] : table()) out.emplace_back(name);
    return out;
}

Result<Done> FlowVerbs::run(std::string_view verb, Arguments arguments) {
    auto const found = table().find(verb);
    if (found == table().end()) return fail(Errc::invalid, fmt::format("there is no verb {}", verb));
    auto const interrupted = [this] { return setting_.interrupted && setting_.interrupted(); };
    auto outcome = interrupted() ? cancelled() : (this->*found->second)(arguments);
    return !outcome && interrupted() ? cancelled() : std::move(outcome);
}

Result<Done> FlowVerbs::store(Arguments const& given) {
    auto const* const wish = table_at(given, 0);
    auto const* const value = wish != nullptr ? wish->if_contains("value") : nullptr;
    auto const handle = value != nullptr ? flows::handle_in(*value) : std::nullopt;
    if (!handle || *handle >= secrets_.size()) return misuse("store", "{ name = \"entry\", value = what ask gave }");
    auto const entry = config::parse_entry_name(text_at(*wish, "name"));
    if (!entry) return misuse("store", entry.error().expected);
    PFAR_TRY(vault, setting_.vault());
    PFAR_CHECK(journal_.changes_entry(*entry, *vault));
    PFAR_CHECK(vault->keep(*entry, secrets_[*handle]));
    PFAR_CHECK(journal_.has_set(*entry, *vault));
    doubted_ = true; // until it has shown that it works
    setting_.record.add({"vault", {{"action", "set"}, {"entry", *entry}, {"outcome", "ok"}, {"by", "connect"}}});
    if (auto const rung = ring_vault_bell(setting_.house.places.home); !rung) setting_.talk.say(rung.error().what);
    return Done{json::string("vault:" + *entry)};
}

Result<Done> FlowVerbs::claim(Arguments const& given) {
    auto const name = first_text(given);
    if (!config::parse_server_name(name)) return misuse("config.claim", "a server's name");
    PFAR_CHECK(journal_.claim(name));
    return Done{nullptr};
}

Result<json::value> FlowVerbs::ask_host(std::string_view method, json::object const& params,
                                        std::chrono::seconds patience) {
    if (!host_) {
        if (undoing_) return fail(Errc::unavailable, "the host is gone"); // none is started for that
        PFAR_TRY(client, setting_.host());
        host_ = std::move(client);
    }
    auto const text = json::serialize(params);
    control::Question question{method, text, patience};
    question.beside = undoing_ ? nullptr : setting_.beside;
    auto const answer = host_->ask(question);
    if (!answer) {
        if (answer.error().code == Errc::unavailable || answer.error().code == Errc::timeout) host_.reset();
        return answer.error();
    }
    boost::system::error_code bad;
    auto value = json::parse(*answer, bad);
    if (bad) return fail(Errc::internal, "the host's answer makes no sense; run: pfar host restart");
    return value;
}

Result<Done> FlowVerbs::spawn(Arguments const& given) {
    auto const name = first_text(given);
    PFAR_TRY(file, find_file(setting_.house, name));
    auto const slug = servers::slug_of(file);
    PFAR_CHECK(journal_.may_make(makings(slug)));
    setting_.talk.progress(fmt::format("starting {}", name));
    PFAR_CHECK(ask_host("reload", {}, short_patience));
    PFAR_TRY(was_disabled, note_disabled(name, file.found.file));
    if (was_disabled) setting_.talk.say(fmt::format("{} was disabled; it is started now.", name));
    bool const by_itself = !file.spec || file.spec->autostart;
    bool const again = !replaced_.insert(name).second || !by_itself; // a new one starts by itself
    auto const started = ask_host(again ? "restart" : "enable", {{"server", name}, {"wait", true}}, start_patience);
    doubted_ = true; // until it runs
    if (!started) return Done{nullptr, started.error().what};
    auto const state = text_at(started->as_object(), "state");
    auto const why = state == "running" ? "" : why_it_is(name, state, text_at(started->as_object(), "reason"));
    if (state == "backoff" || state == "disabled") return Done{nullptr, why}; // it has ended by itself
    if (state != "running") return fail(Errc::unavailable, why);
    doubted_ = false;
    PFAR_TRY(tools, ask_host("tools", {{"server", name}}, short_patience));
    return Done{std::move(tools)};
}

/// Of one that ended at its start only that counts: its flow decides whether it is tried again.
std::string FlowVerbs::why_it_is(std::string const& name, std::string const& state, std::string const& reason) {
    auto const status = state == "backoff" ? ask_host("status", {{"server", name}}, short_patience) : Value();
    auto const* const failure = status && status->is_object() ? status->get_object().if_contains("failure") : nullptr;
    if (failure == nullptr || !failure->is_object()) return fmt::format("{} is {}: {}", name, state, reason);
    return fmt::format("{} did not start: {}", name, text_at(failure->get_object(), "words"));
}

/// true: it worked; false: the tool said no, and why; nil: nobody knows, and why.
Result<Done> FlowVerbs::verify(Arguments const& given) {
    auto const name = first_text(given);
    auto const* const call = table_at(given, 1);
    if (call == nullptr || text_at(*call, "tool").empty()) return misuse("verify", "a name and { tool = \"...\" }");
    auto const* const with = call->if_contains("arguments");
    setting_.talk.progress(fmt::format("trying {}", text_at(*call, "tool")));
    auto const answer = ask_host("call",
                                 {{"server", name},
                                  {"tool", call->at("tool")},
                                  {"arguments", with != nullptr && with->is_object() ? *with : json::object()},
                                  {"ask", "flow"}},
                                 call_patience);
    doubted_ = !answer;
    if (!answer) return Done{false, base::printable(base::whole_text(answer.error().what, 400))};
    auto const outcome = text_at(answer->as_object(), "outcome");
    auto const words = words_of(answer->at("result"));
    auto const refused = text_at(*call, "refused");
    bool const says_no = outcome == "ok" && !refused.empty() && RE2::PartialMatch(words, RE2(refused, RE2::Quiet));
    if (outcome == "ok" && !says_no) return Done{true};
    doubted_ = outcome != "refused";
    std::string const shown(base::whole_text(words, 400)); // whoever shows it makes it safe to show
    return doubted_ ? Done{false, shown} : Done{nullptr, shown};
}

/// What it offers by now is what its owner agreed to.
Result<Done> FlowVerbs::accept(Arguments const& given) {
    auto const name = first_text(given);
    PFAR_TRY(file, find_file(setting_.house, name));
    PFAR_TRY(changes, ask_host("tool_changes", {{"server", name}}, short_patience));
    json::object pins;
    for (auto const& change : changes.at("changes").as_array()) pins[change.at("tool").as_string()] = change.at("pin");
    if (pins.empty()) return Done{nullptr};
    PFAR_CHECK(journal_.changes_file(fs::path("cache") / (servers::slug_of(file) + ".pins.json")));
    PFAR_CHECK(ask_host("tools_accept", {{"server", name}, {"pins", std::move(pins)}}, short_patience));
    return Done{nullptr};
}

void wait_for_files(control::Client& host, fs::path const& home) {
    auto const is_over = [&home](json::value const& row) {
        std::error_code error;
        auto const file = home / "mcp" / (text_at(row.as_object(), "name") + ".toml");
        return text_at(row.as_object(), "origin") == "user" && !fs::exists(file, error);
    };
    if (!host.ask({"reload", "{}", short_patience})) return;
    for (int tries = 0; tries < 300; ++tries) {
        auto const answer = host.ask({"list", "{}", short_patience});
        boost::system::error_code bad;
        auto const list = answer ? json::parse(*answer, bad) : json::value();
        if (!answer || bad || !list.is_array()) return;
        auto const& rows = list.get_array();
        if (std::none_of(rows.begin(), rows.end(), is_over)) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

void disable_again(control::Client& host, fs::path const& home, std::string const& server) {
    std::error_code error;
    auto const file = fs::canonical(home / "mcp" / (server + ".toml"), error);
    if (error || read_disabled(home).contains(file)) return;
    (void)host.ask({"disable", json::serialize(json::object{{"server", server}}), short_patience});
}

void FlowVerbs::rest() {
    if (!host_) return;
    undoing_ = true; // nothing interrupts that
    for (auto const& name : journal_.disabled()) disable_again(*host_, setting_.house.places.home, name);
}

void FlowVerbs::settle() {
    if (!host_) return; // it was not needed: what runs sees the files itself
    undoing_ = true;
    auto const& home = setting_.house.places.home;
    wait_for_files(*host_, home);
    rest();
    auto const disabled = journal_.disabled();
    for (auto const& name : replaced_) { // as it was before, also where nothing but its credential was another
        std::error_code error;
        if (!fs::exists(home / "mcp" / (name + ".toml"), error)) continue;
        if (std::find(disabled.begin(), disabled.end(), name) != disabled.end()) continue;
        (void)ask_host("restart", {{"server", name}, {"wait", true}}, start_patience);
    }
}

} // namespace pfar::house
