#include "cli/call_talk.hpp"

#include "base/text.hpp"
#include "cli/asking.hpp"
#include "control/members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace pfar::cli {
namespace {

bool can_redraw() {
    char const* const kind = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t screen_width() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

/// So many characters of it; a wide one counts once, so a line may still be too long, which does no harm.
std::string_view cut(std::string_view text, std::size_t characters) {
    for (std::size_t at = 0; at < text.size(); ++at)
        if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U && characters-- == 0) return text.substr(0, at);
    return text;
}

std::string_view meaning_of(std::string_view typed) {
    if (typed == "y" || typed == "Y" || typed == "yes" || typed == "Yes") return "once";
    return typed == "s" || typed == "S" || typed == "session" ? "session" : "no";
}

} // namespace

CallTalk::CallTalk(Setting setting, Console& console)
    : setting_(std::move(setting)), console_(console), shows_progress_(can_redraw()) {
    beside_.watch = [this](std::vector<pollfd>& waits) {
        if (!open_.empty()) waits.push_back({setting_.asks->keyboard(), POLLIN, 0});
    };
    beside_.ready = [this](std::span<pollfd const> waits) {
        if (!waits.empty() && waits[0].revents != 0) take_answer();
        return true;
    };
}

void CallTalk::hear(std::string_view method, std::string_view params) {
    if (method == "progress" && open_.empty()) show_progress(params);
    if (method == "approval") ask(params);
}

void CallTalk::show_progress(std::string_view params) {
    if (!shows_progress_) return;
    auto const total = control::member_of(params, "total");
    auto line = fmt::format("{}: {}{}{}", setting_.tool, control::member_of(params, "progress"),
                            total.empty() || total == "null" ? "" : "/", total == "null" ? "" : total);
    if (auto const words = control::string_in(control::member_of(params, "message")); !words.empty())
        line += " " + base::printable(words);
    console_.note(fmt::format("\r{}\x1b[K", cut(line, screen_width())));
    progress_shown_ = true;
}

void CallTalk::clear_progress() {
    if (std::exchange(progress_shown_, false)) console_.note("\r\x1b[K");
}

void CallTalk::ask(std::string_view params) {
    end();
    open_ = control::string_in(control::member_of(params, "id"));
    if (!setting_.asks) return answer("once");
    setting_.asks->show(approval_text(params));
    setting_.asks->ask("Run it? [y]es once, [s] for this session, [N]o: ");
}

void CallTalk::take_answer() {
    answer(meaning_of(setting_.asks->answer()));
}

/// A connection of its own: the call's is busy with the call.
void CallTalk::answer(std::string_view word) {
    auto const id = std::exchange(open_, "");
    auto client = control::find_host(setting_.finding);
    boost::json::object params{{"id", id}};
    if (word != "no") params["for"] = word;
    auto const text = boost::json::serialize(params);
    auto const answered = client ? client->ask({word == "no" ? "deny" : "approve", text}) : client.error();
    if (!answered) console_.complain(answered.error().what);
}

void CallTalk::end() {
    clear_progress();
    if (!open_.empty() && setting_.asks) setting_.asks->show("\n(settled without you)\n");
    open_.clear();
}

} // namespace pfar::cli
