// The secrets of a server that is imported: asked for where its client would ask, with what stands around them there.
#pragma once

#include "config/client_config.hpp"
#include "house/flow_verbs.hpp"
#include "house/new_server.hpp"

namespace pfar::house {

/// An empty answer is the usual one; "cancel" is cancelled(). [main thread, may block]
Result<std::string> ask_line(flows::Talk& talk, flows::Question::Kind kind, std::string const& name, std::string prompt,
                             std::string const& usual);
Result<bool> agrees(flows::Talk& talk, std::string const& name, std::string prompt);

/// As it stands in its client's file: not what that leaves to be filled in.
bool has_plain_secret(config::ClientServer const& server);

class ImportSecrets {
public:
    ImportSecrets(FlowSetting const& setting, FlowJournal& journal, std::string const& server)
        : setting_(setting), journal_(journal), server_(server) {}

    /// What its client asks for, and does not show; everything else is filled in already.
    void note_hidden(config::ClientServer const& wanted, std::vector<config::ClientInput> const& inputs);
    /// Those that are not known, and whether short ones are kept. [main thread, may block]
    Result<void> ask_all(std::vector<NewSecret>& secrets);
    /// For entries that an earlier server has left in the vault. [main thread, may block]
    Result<void> make_room(std::vector<NewSecret> const& secrets);

private:
    struct Hidden {
        std::string text; // that it is filled into
        std::vector<config::ClientInput> inputs;
    };
    Result<bool> may_be_short(std::string const& variable);
    Result<void> check_length(NewSecret const& secret);
    Result<Secret> ask_value(std::string const& variable, std::string const& entry, std::string prompt);
    Result<void> ask_secret(NewSecret& secret);
    Result<Secret> ask_parts(std::string const& variable, Hidden const& hidden);
    Result<void> make_room(NewSecret const& secret);

    FlowSetting const& setting_;
    FlowJournal& journal_;
    std::string const& server_;
    std::map<std::string, Hidden> hidden_; // by variable
};

} // namespace pfar::house
