// pfar serve: finds or starts the host, gives it the agent's stdin and stdout, and stays as the session's life line.
//
// stdout carries MCP and nothing else. SIGTERM and SIGHUP end it in order, with 0, as whoever sends them expects; Ctrl-C with 130, as shells do.
#include "base/text.hpp"
#include "cli/agent_commands.hpp"
#include "cli/asking.hpp"
#include "cli/life_line.hpp"
#include "cli/serve_wish.hpp"
#include "control/handover.hpp"
#include "control/members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

namespace pfar::cli {
namespace {

/// Ours would keep the agent's pipes open after the host is done with them.
void let_go_of_stdio() {
    base::Fd const nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    ::dup2(nothing.number(), STDIN_FILENO);
    ::dup2(nothing.number(), STDOUT_FILENO);
}

int code_for(int signal) {
    return signal == SIGINT ? 128 + SIGINT : exit_ok;
}

int end_with(Ending const& ending, Console& console) {
    if (ending.kind == Ending::Kind::signal) return code_for(ending.signal);
    if (ending.kind == Ending::Kind::host_gone)
        return failed(console, fail(Errc::unavailable, "the host has ended, and this session with it; start it again"));
    if (control::member_of(ending.params, "clean") == "true") return exit_ok;
    auto const why = control::string_in(control::member_of(ending.params, "why"));
    return failed(console, fail(Errc::unavailable, fmt::format("the session is over: {}", base::printable(why))));
}

/// What the host says to it. Complains and sets `code` if that is no, or a signal comes first.
std::optional<std::string> begin(control::Client& client, control::Question question, LifeLine const& line,
                                 Console& console, int& code) {
    question.beside = &line.beside();
    auto answer = client.ask(question);
    if (answer) return std::move(*answer);
    code = line.signal() != 0 ? code_for(line.signal()) : failed(console, answer.error());
    return {};
}

struct Handed {
    control::Handover in, out;
};

Result<Handed> hand_over_stdio() {
    PFAR_TRY(in, control::hand_over(STDIN_FILENO, control::Direction::in));
    PFAR_TRY(out, control::hand_over(STDOUT_FILENO, control::Direction::out));
    return Handed{std::move(in), std::move(out)};
}

int serve_stdio(ServeWish const& wish, Console& console) {
    int code = exit_ok;
    auto client = reach_host(console, code);
    if (!client) return code;
    LifeLine line;
    auto handed = hand_over_stdio();
    if (!handed) return failed(console, handed.error());
    if (Console::can_ask()) console.note("this speaks MCP on stdin and stdout, for an agent; Ctrl-D ends it\n");
    boost::json::object params;
    if (!wish.server.empty()) params["server"] = wish.server;
    auto const text = boost::json::serialize(params);
    control::Question question{"serve", text};
    question.descriptors = {handed->in.given.number(), handed->out.given.number()};
    if (!begin(*client, std::move(question), line, console, code)) return code;
    handed->in.given = base::Fd(), handed->out.given = base::Fd();
    let_go_of_stdio();
    std::vector<control::Relay> relays;
    for (auto* const one : {&handed->in, &handed->out})
        if (one->relay) relays.push_back(std::move(*one->relay));
    return end_with(line.wait(*client, std::move(relays)), console);
}

std::string http_params(ServeWish const& wish) {
    boost::json::object params{{"listen", wish.http},
                               {"auth", wish.auth},
                               {"origins", boost::json::value_from(wish.origins)},
                               {"hosts", boost::json::value_from(wish.hosts)}};
    if (!wish.certificate.empty()) params["certificate"] = wish.certificate.native();
    if (!wish.key.empty()) params["key"] = wish.key.native();
    return boost::json::serialize(params);
}

std::string cat(std::string const& file) {
    std::string out = "$(cat '";
    for (char const byte : file) out += byte == '\'' ? "'\\''" : std::string(1, byte);
    return out + "')";
}

std::string http_text(boost::json::value const& there, bool auth) {
    auto const url = text_of(there, "url"), agents = text_of(there, "token_file"),
               owner = text_of(there, "owner_token_file");
    auto out = fmt::format("MCP for agents   {} (all servers), {}/NAME (one)\n", url, url);
    if (auth && !agents.empty())
        out += fmt::format("  their header   \"Authorization: Bearer {}\"\n", cat(agents));
    else
        out += "  no token       whoever reaches this port can use every server\n";
    out += fmt::format("owner's page     {}\n", text_of(there, "page"));
    if (!owner.empty()) out += fmt::format("  its token      {}\n", cat(owner));
    return out + "Ctrl-C ends it\n";
}

int serve_http(ServeWish const& wish, bool json, Console& console) {
    int code = exit_ok;
    auto client = reach_host(console, code);
    if (!client) return code;
    LifeLine line;
    auto const params = http_params(wish);
    auto const answer = begin(*client, {"serve_http", params}, line, console, code);
    if (!answer) return code;
    boost::system::error_code bad;
    auto const there = boost::json::parse(*answer, bad);
    if (json) console.print(base::printable(*answer) + "\n");
    console.note(http_text(there, wish.auth));
    return end_with(line.wait(*client, {}), console);
}

} // namespace

int run_serve(Arguments const& arguments, Console& console) {
    auto const wish = serve_wish(arguments);
    if (!wish) {
        console.complain(fmt::format("{}; pfar serve --help explains", wish.error().what));
        return exit_usage;
    }
    return wish->http.empty() ? serve_stdio(*wish, console) : serve_http(*wish, arguments.has("json"), console);
}

} // namespace pfar::cli
