// What commands that talk have in common: the house, its vault and its host, and whoever is talked to.
#pragma once

#include "cli/host_client.hpp"
#include "cli/interrupt.hpp"
#include "cli/talks.hpp"
#include "house/converse.hpp"

namespace pfar::cli {

/// Everything that a conversation needs, opened once.
class Conversation {
public:
    Conversation(house::House& house, control::Finding finding, Console& console, flows::Talk& talk);
    Conversation(Conversation const&) = delete;
    Conversation& operator=(Conversation const&) = delete;

    [[nodiscard]] house::FlowSetting const& setting() const { return setting_; }

private:
    Result<house::Vault*> open_vault();

    house::House& house_;
    control::Finding finding_;
    Console& console_;
    house::Record record_;
    std::optional<house::Vault> vault_;
    Interrupt interrupt_;
    house::FlowSetting setting_;
};

/// The next line of a chat; none at its end.
using NextLine = std::function<std::optional<std::string>()>;
/// With the person at the terminal, or the script at the other end of stdin. The exit code of `hold`, or why there can be none.
int hold_conversation(Console& console, Manner manner, std::function<int(Conversation&, NextLine const&)> const& hold);

} // namespace pfar::cli
