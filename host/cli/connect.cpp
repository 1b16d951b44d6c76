// pfar connect and pfar chat: the set-up conversation, once or as long as somebody likes.
#include "base/text.hpp"
#include "cli/agent_talk.hpp"
#include "cli/connect_commands.hpp"
#include "cli/conversation.hpp"
#include "cli/json.hpp"
#include "cli/open.hpp"
#include "cli/talks.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <unistd.h>

namespace pfar::cli {
namespace {

using house::Said;

int code_of(Said const& said) {
    switch (said.kind) {
    case Said::Kind::failed:
        return said.code == Errc::invalid ? exit_config : exit_unavailable; // a script's mistake, or a template's
    case Said::Kind::cancelled:
        return exit_denied;
    case Said::Kind::nothing:
        return exit_usage;
    default:
        return exit_ok;
    }
}

char const* word_for(Said::Kind kind) {
    switch (kind) {
    case Said::Kind::failed:
        return "failed";
    case Said::Kind::cancelled:
        return "cancelled";
    case Said::Kind::nothing:
        return "not understood";
    default:
        return "done";
    }
}

/// NAME=VALUE of every --answer.
Result<Answers> answers_in(Arguments const& arguments) {
    Answers out;
    for (auto const& text : arguments.all("answer")) {
        auto const equals = text.find('=');
        if (equals == 0 || equals == std::string::npos)
            return fail(Errc::invalid, "--answer is NAME=VALUE, such as --answer site=acme");
        out[text.substr(0, equals)] = text.substr(equals + 1);
    }
    return out;
}

/// One word alone may be a whole phrase: pfar connect "our tracker at tracker.example.com".
house::Phrase phrase_of(char const* verb, Arguments const& arguments) {
    auto const& words = arguments.operands;
    house::Phrase out{fmt::format("{} {}", verb, fmt::join(words, " "))};
    if (words.size() > 1) out.words = words, out.is_command = arguments.behind_dashes;
    return out;
}

int converse(Conversation& conversation, char const* verb, Arguments const& arguments, Console& console) {
    house::clear_conversations(conversation.setting());
    auto const said = house::converse(conversation.setting(), phrase_of(verb, arguments));
    if (!said) return failed(console, said.error());
    if (arguments.has("json"))
        console.print(to_text(boost::json::object{{"outcome", word_for(said->kind)}, {"report", said->words}}));
    return code_of(*said);
}

int chat(Conversation& conversation, NextLine const& next_line, Console& console) {
    house::clear_conversations(conversation.setting());
    int code = exit_ok;
    while (auto const line = next_line()) {
        house::clear_conversations(conversation.setting()); // others may have been cut off since
        auto const said = house::converse(conversation.setting(), {*line});
        if (!said) return failed(console, said.error());
        if (said->kind == Said::Kind::goodbye) return exit_ok;
        code = code_of(*said);
    }
    return code;
}

/// For the host, which has seen that a conversation was cut off. Nobody is asked.
int clear_after_others(Console& console) {
    int code = exit_ok;
    auto house = open(console, code);
    auto finding = house ? host_of_home(console, code) : std::nullopt;
    if (!finding) return code;
    PipeTalk talk(console, {{}, true});
    Conversation conversation(*house, std::move(*finding), console, talk);
    house::clear_conversations(conversation.setting());
    return exit_ok;
}

/// For the host, which asks whoever the agent works for: one flow, its input in the first line.
int connect_for_agent(Console& console) {
    int code = exit_ok;
    AgentTalk talk;
    auto const order = AgentTalk::next();
    auto house = order ? open(console, code) : std::nullopt;
    auto finding = house ? host_of_home(console, code) : std::nullopt;
    auto const* const flow = finding ? order->if_contains("flow") : nullptr;
    auto const* const input = finding ? order->if_contains("input") : nullptr;
    if (flow == nullptr || !flow->is_string() || input == nullptr || !input->is_object()) {
        talk.say("pfar could not begin: its home or its settings have trouble; pfar check tells more.");
        return talk.end("failed"), exit_unavailable;
    }
    Conversation conversation(*house, std::move(*finding), console, talk);
    HangupInterrupts const hangup;
    house::clear_conversations(conversation.setting());
    auto const said = house::run_one(conversation.setting(), std::string(flow->get_string()), input->get_object());
    if (!said) talk.say(said.error().what);
    talk.end(said ? word_for(said->kind) : "failed");
    return said ? code_of(*said) : exit_code(said.error().code);
}

int begin(char const* verb, Arguments const& arguments, Console& console) {
    auto answers = answers_in(arguments);
    if (!answers) return console.complain(answers.error().what), exit_usage;
    return hold_conversation(
        console, {std::move(*answers), arguments.has("json")},
        [&](Conversation& conversation, NextLine const&) { return converse(conversation, verb, arguments, console); });
}

} // namespace

int run_connect(Arguments const& arguments, Console& console) {
    if (arguments.has("for-agent")) return connect_for_agent(console);
    if (arguments.has("clear")) return clear_after_others(console);
    return begin("connect", arguments, console);
}

int run_disconnect(Arguments const& arguments, Console& console) {
    return begin("disconnect", arguments, console);
}

int run_rotate(Arguments const& arguments, Console& console) {
    return begin("rotate", arguments, console);
}

int run_chat(Arguments const& /*arguments*/, Console& console) {
    return hold_conversation(console, {}, [&](Conversation& conversation, NextLine const& next_line) {
        return chat(conversation, next_line, console);
    });
}

} // namespace pfar::cli
