#include "cli/agent_talk.hpp"

#include "house/agent_flow.hpp"

#include <boost/json.hpp>

#include <unistd.h>

#include <cerrno>

namespace pfar::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t most_agent_line = std::size_t{256} << 10U;

void put(json::object const& object) {
    auto const line = json::serialize(object) + "\n";
    for (std::string_view rest = line; !rest.empty();) {
        auto const written = ::write(STDOUT_FILENO, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return; // nobody listens; the next question will tell
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace

void AgentTalk::say(std::string const& text) {
    put({{"say", text}});
}

void AgentTalk::progress(std::string const& text) {
    put({{"progress", text}});
}

void AgentTalk::end(std::string const& outcome) {
    put({{"end", outcome}});
}

Result<json::object> AgentTalk::next() {
    std::string line;
    char byte = 0;
    for (;;) {
        auto const got = ::read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 || line.size() > most_agent_line) return fail(Errc::refused, "cancelled");
        if (byte == '\n') break;
        line.push_back(byte);
    }
    boost::system::error_code bad;
    auto value = json::parse(line, bad);
    ::explicit_bzero(line.data(), line.size());
    if (bad || !value.is_object()) return fail(Errc::refused, "cancelled");
    return std::move(value.get_object());
}

Result<flows::Reply> AgentTalk::ask(flows::Question const& question) {
    put({{"ask", house::question_json(question)}});
    PFAR_TRY(answer, next());
    flows::Reply out;
    if (auto const* const text = answer.if_contains("text"); text != nullptr && text->is_string())
        out.text = std::string(text->get_string());
    if (auto* const secret = answer.if_contains("secret"); secret != nullptr && secret->is_string()) {
        auto& held = secret->get_string();
        out.secret = Secret(std::string_view(held));
        ::explicit_bzero(held.data(), held.size());
    }
    return out;
}

} // namespace pfar::cli
