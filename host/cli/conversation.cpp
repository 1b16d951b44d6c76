#include "cli/conversation.hpp"

#include "base/text.hpp"
#include "cli/open.hpp"
#include "cli/vault_open.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace pfar::cli {

Conversation::Conversation(house::House& house, control::Finding finding, Console& console, flows::Talk& talk)
    : house_(house), finding_(std::move(finding)), console_(console),
      record_(house), setting_{house,
                               record_,
                               talk,
                               [this] { return control::find_or_start_host(finding_); },
                               [this] { return open_vault(); },
                               search_path(),
                               Interrupt::came,
                               &interrupt_.beside()} {}

Result<house::Vault*> Conversation::open_vault() {
    if (!vault_) {
        PFAR_TRY(opened, house::Vault::open(house_, ask_passphrase(console_)));
        vault_.emplace(std::move(opened));
    }
    return &*vault_;
}

namespace {

void tell_unused(Answers const& answers, Console& console) {
    for (auto const& [name, value] : answers)
        console.complain(fmt::format("--answer {}: nothing of that name was asked", base::printable(name)));
}

} // namespace

int hold_conversation(Console& console, Manner manner, std::function<int(Conversation&, NextLine const&)> const& hold) {
    int code = exit_ok;
    auto house = open(console, code);
    auto finding = house ? host_of_home(console, code) : std::nullopt;
    if (!finding) return code;
    if (auto person = ::isatty(STDIN_FILENO) == 1 ? Person::here() : std::nullopt) {
        TerminalTalk talk(console, std::move(*person), std::move(manner));
        Conversation conversation(*house, std::move(*finding), console, talk);
        code = hold(conversation, [&] {
            Interrupt::clear(); // it ended one conversation, and the person sits there still
            return talk.next_line("> ");
        });
        return tell_unused(talk.unused(), console), code;
    }
    PipeTalk talk(console, std::move(manner));
    Conversation conversation(*house, std::move(*finding), console, talk);
    code = hold(conversation, [&] { return talk.next_line(); });
    return tell_unused(talk.unused(), console), code;
}

} // namespace pfar::cli
