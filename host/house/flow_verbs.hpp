// FlowVerbs: what scripts do, done: each verb a function, everything that changes something in the journal first.
#pragma once

#include "control/client.hpp"
#include "flows/verbs.hpp"
#include "house/flow_journal.hpp"
#include "house/record.hpp"

#include <pfar/server_registry.hpp>

#include <set>

namespace pfar::house {

class Staged;

/// Where a conversation takes place.
struct FlowSetting {
    House const& house;
    Record& record;
    flows::Talk& talk;
    std::function<Result<control::Client>()> host; // connected, and started if there was none
    OpenVault vault;
    std::string search_path;                 // PATH of whoever talks
    std::function<bool()> interrupted{};     // may be empty
    control::Beside const* beside = nullptr; // while the host is waited for
};

class FlowVerbs final : public flows::Verbs {
public:
    FlowVerbs(FlowSetting const& setting, FlowJournal& journal) : setting_(setting), journal_(journal) {}

    /// All there are, for the runner.
    static std::vector<std::string> names();
    Result<flows::Done> run(std::string_view verb, std::vector<boost::json::value> arguments) override;
    /// What the script reported in the end; empty if nothing.
    [[nodiscard]] std::string const& report() const { return report_; }
    /// False if what was stored last has turned out not to work.
    [[nodiscard]] bool trusts_credentials() const { return !doubted_; }
    /// Until the host has taken notice of the files as they are now.
    void settle();
    /// What a server of that name has kept is not the next one's, unless its owner says so.
    Result<void> put_state_aside(std::string const& name);
    /// Before anything is undone: what was disabled is so again.
    void rest();

private:
    using Value = boost::json::value;
    using Arguments = std::vector<Value>;
    using Outcome = Result<flows::Done>;
    using Verb = Outcome (FlowVerbs::*)(Arguments const&);
    static std::map<std::string_view, Verb> const& table();

    // talking: flow_talk_verbs.cpp
    Outcome say(Arguments const& given);
    Outcome ask(Arguments const& given);
    Outcome checked(Arguments const& given);
    Outcome report(Arguments const& given);
    Outcome fail_flow(Arguments const& given);
    Outcome cancel(Arguments const& given);
    Result<Value> take(flows::Question const& question, boost::json::object const& wish, flows::Reply reply);

    // looking: flow_look_verbs.cpp
    Outcome registry_find(Arguments const& given);
    void tell_left_out();
    Outcome registry_search(Arguments const& given);
    Outcome registry_list(Arguments const& given);
    Outcome config_read(Arguments const& given);
    Outcome servers(Arguments const& given);
    Outcome resolve(Arguments const& given);
    Outcome check(Arguments const& given);
    Outcome entry(Arguments const& given);
    Outcome path(Arguments const& given);
    Outcome program(Arguments const& given);
    Outcome fetched(Arguments const& given);
    Outcome stored(Arguments const& given);

    // doing: flow_verbs.cpp, flow_config_verbs.cpp, flow_install_verb.cpp
    Outcome store(Arguments const& given);
    Outcome install(Arguments const& given);
    Result<void> offer_scripts(Staged& staged);
    Outcome claim(Arguments const& given);
    Outcome config_write(Arguments const& given);
    Outcome config_remove(Arguments const& given);
    Outcome spawn(Arguments const& given);
    Outcome verify(Arguments const& given);
    Outcome accept(Arguments const& given);
    Result<bool> note_disabled(std::string const& name, std::filesystem::path const& file);
    Result<void> keep_old_file(std::string const& name, std::filesystem::path const& file);
    std::string why_it_is(std::string const& name, std::string const& state, std::string const& reason);

    Result<Value> ask_host(std::string_view method, boost::json::object const& params, std::chrono::seconds patience);
    FlowSetting const& setting_;
    FlowJournal& journal_;
    std::vector<Secret> secrets_;
    std::optional<control::Client> host_;
    std::string report_;
    std::set<std::string> replaced_;  // servers whose file was there before, or that were started already
    std::set<std::string> written_;   // by this conversation
    std::set<std::string> looked_at_; // whether they were disabled
    bool doubted_ = false, undoing_ = false;
};

/// Why this is no answer to a question for a secret; empty if it may be one. It is never repeated.
std::string why_no_secret(flows::Question const& question, Secret const& value);

/// The person gave up: the one error that is no failure.
Error cancelled();
bool is_cancelled(Error const& why);
/// An answer that is none: "cancel", "never mind".
bool gives_up(std::string_view answer);

inline constexpr std::chrono::seconds short_patience{30}; // with the host

/// What a running server makes outside its own directory.
std::vector<std::filesystem::path> makings(std::string const& slug);

/// Asks the host to, if that is not so already. [main thread, may block]
void disable_again(control::Client& host, std::filesystem::path const& home, std::string const& server);

/// Until no server runs whose file is gone; fifteen seconds at most. [main thread, may block]
void wait_for_files(control::Client& host, std::filesystem::path const& home);

/// As scripts see it.
boost::json::object template_json(KnownServer const& server);

} // namespace pfar::house
