// pfar call: one tool call through the whole pipeline. Its end, Ctrl-C included, ends the call: the host sees the connection go.
#include "base/text.hpp"
#include "cli/agent_commands.hpp"
#include "cli/asking.hpp"
#include "cli/call_arguments.hpp"
#include "cli/call_result.hpp"
#include "cli/call_talk.hpp"
#include "cli/call_target.hpp"
#include "cli/secret_prompt.hpp"
#include "control/members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <unistd.h>

namespace pfar::cli {
namespace {

constexpr std::chrono::hours patience{24}; // the host has deadlines of its own
constexpr std::size_t most_arguments = std::size_t{16} << 20U;
constexpr int exit_tool_error = 1;

/// --args, from stdin if it is "-".
Result<std::optional<std::string>> whole_arguments(Arguments const& arguments) {
    auto const given = arguments.options.find("args");
    if (given == arguments.options.end()) return std::optional<std::string>();
    if (given->second != "-") return std::optional(given->second);
    PFAR_TRY(read, read_secret(STDIN_FILENO, most_arguments));
    return std::optional(std::string(read.reveal()));
}

/// The arguments as JSON. Complains and sets `code` if they make no sense.
std::optional<std::string> arguments_for(Target const& target, Arguments const& arguments, Console& console,
                                         int& code) {
    auto const whole = whole_arguments(arguments);
    auto text = whole ? call_arguments({*whole, target.pairs}, target.schema) : Result<std::string>(whole.error());
    if (text) return std::move(*text);
    console.complain(text.error().what);
    code = text.error().code == Errc::invalid ? static_cast<int>(exit_usage) : exit_code(text.error().code);
    return {};
}

/// Who is asked if the call needs a yes.
struct Asking {
    std::optional<Person> person;
    bool by_terminal = false; // false: by the queue
};

/// None: nobody may be, and that was told.
std::optional<Asking> who_is_asked(control::Client& client, bool yes, Console& console, int& code) {
    if (!yes) return Console::can_ask() ? Asking{Person::here(), true} : Asking{};
    auto person = Person::at_terminal();
    if (!person && !goes_without_terminal(client, console, code)) return {};
    return Asking{std::move(person), true};
}

std::string params_of(Target const& target, std::string const& arguments, Asking const& asking) {
    return fmt::format(R"({{"server":{},"tool":{},"arguments":{},"ask":"{}"}})", control::quoted(target.server),
                       control::quoted(target.tool), arguments, asking.by_terminal ? "terminal" : "queue");
}

int tell(std::string_view answer, bool json, Console& console) {
    auto const outcome = control::string_in(control::member_of(answer, "outcome"));
    auto const result = control::member_of(answer, "result");
    bool const on_terminal = ::isatty(STDOUT_FILENO) == 1;
    if (json)
        console.print((on_terminal ? base::printable(result) : std::string(result)) + "\n");
    else if (auto const text = result_text(result); outcome == "ok")
        console.print(on_terminal ? safe_lines(text) : text);
    else
        console.note((outcome == "refused" ? "pfar: " : "") + safe_lines(text));
    if (outcome == "ok") return exit_ok;
    return outcome == "refused" ? static_cast<int>(exit_denied) : exit_tool_error;
}

int call(control::Client& client, std::string const& params, CallTalk& talk, bool json, Console& console) {
    control::Question question{"call", params, patience};
    question.told = [&](std::string_view method, std::string_view told) { talk.hear(method, told); };
    question.beside = &talk.beside();
    auto const answer = client.ask(question);
    talk.end();
    return answer ? tell(*answer, json, console) : failed(console, answer.error());
}

} // namespace

int run_call(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto target = target_in(arguments.operands);
    if (!target) {
        console.complain("call needs a tool, such as notion.search; pfar tools lists them");
        return exit_usage;
    }
    auto client = reach_host(console, code);
    if (!client) return code;
    auto const where = boost::json::serialize(boost::json::object{{"server", target->server}});
    auto const tools = ask_host(*client, {"tools", where}, console, code);
    if (!tools) return code;
    if (auto const found = look_up(*target, *tools); !found) return failed(console, found.error());
    auto const given = arguments_for(*target, arguments, console, code);
    auto asking = given ? who_is_asked(*client, arguments.has("yes"), console, code) : std::nullopt;
    auto finding = asking ? host_of_home(console, code) : std::nullopt;
    if (!finding) return code;
    auto const params = params_of(*target, *given, *asking);
    auto const name = fmt::format("{}.{}", base::printable(target->server), base::printable(target->tool));
    CallTalk talk({name, std::move(*finding), std::move(asking->person)}, console);
    return call(*client, params, talk, arguments.has("json"), console);
}

} // namespace pfar::cli
