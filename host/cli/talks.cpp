#include "cli/talks.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/interrupt.hpp"
#include "cli/secret_prompt.hpp"
#include "house/flow_verbs.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>

namespace pfar::cli {
namespace {

using flows::Question;
using flows::Reply;

constexpr std::size_t most_line = std::size_t{64} << 10U;
constexpr int most_tries = 5; // at one question

Error gave_up() {
    return fail(Errc::refused, "cancelled");
}

/// What is said may have a server's words in it.
std::string said_line(std::string const& text) {
    return base::printable(text) + "\n";
}

/// The question as a person reads it, without its last line's end.
std::string question_text(Question const& question) {
    auto out = base::printable(question.prompt);
    if (!question.help.empty()) out += fmt::format(" ({})", base::printable(question.help));
    for (std::size_t i = 0; i < question.choices.size(); ++i)
        out += fmt::format("\n  {}) {}", i + 1, base::printable(question.choices[i]));
    if (!question.choices.empty()) out += "\nYour choice";
    if (question.kind == Question::Kind::yes_no)
        out += question.fallback == "yes" ? " [Y/n]" : question.fallback == "no" ? " [y/N]" : " [y/n]";
    else if (!question.fallback.empty())
        out += fmt::format(" [{}]", base::printable(question.fallback));
    if (question.whole_file) out += " (the path of the file that has it)";
    return out;
}

Reply text_reply(std::string text) {
    Reply out;
    out.text = std::move(text);
    return out;
}

Reply secret_reply(Secret secret) {
    Reply out;
    out.secret = std::move(secret);
    return out;
}

/// A key file: it goes into the vault whole. Errc::invalid says what is the matter with the path, and not which it was: it may have been the key.
Result<Reply> file_reply(std::string path) {
    if (path.empty() || house::gives_up(path)) return gave_up();
    char const* const home = std::getenv("HOME");
    if (path.starts_with("~/") && home != nullptr) path = home + path.substr(1);
    base::Fd const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file && (errno == ENOENT || errno == ENOTDIR)) return fail(Errc::invalid, "there is no such file");
    if (!file) return fail(Errc::invalid, "that file cannot be read: " + base::errno_text(errno));
    struct stat status {};
    if (::fstat(file.number(), &status) == 0 && S_ISDIR(status.st_mode))
        return fail(Errc::invalid, "that is a directory; what is needed is the path of a file");
    auto secret = read_secret(file.number(), most_line);
    if (!secret) return fail(Errc::invalid, secret.error().what);
    if (secret->size() == 0) return fail(Errc::invalid, "that file is empty");
    return secret_reply(std::move(*secret));
}

/// What cannot be an answer at all (Errc::invalid) is asked for again, with the reason.
Result<Reply> asked_again(Question question, std::function<Result<Reply>(Question const&)> const& once) {
    for (int tries = 0; tries < most_tries; ++tries) {
        auto reply = once(question);
        if (reply || reply.error().code != Errc::invalid) return reply;
        question.wrong = reply.error().what;
    }
    return fail(Errc::unavailable, "there was no answer that fits");
}

std::string wrong_line(Question const& question) {
    return question.wrong.empty() ? std::string() : base::printable(question.wrong) + ".\n";
}

/// What the command line said already. A secret is not taken from there: it has been seen by then.
Result<std::optional<Reply>> given(Answers& answers, Question const& question) {
    auto const found = answers.find(question.name);
    if (found == answers.end() || !question.wrong.empty()) return std::optional<Reply>();
    if (question.kind == Question::Kind::secret)
        return fail(Errc::unavailable,
                    fmt::format("{} is a credential, which is never taken from the command line: others "
                                "can see it there; treat this one as known, and get a new one",
                                base::printable(question.name)));
    auto reply = text_reply(found->second);
    answers.erase(found);
    return std::optional(std::move(reply));
}

} // namespace

TerminalTalk::TerminalTalk(Console& console, Person person, Manner manner)
    : console_(console), person_(std::move(person)), answers_(std::move(manner.answers)), quiet_(manner.quiet) {}

void TerminalTalk::clear() {
    if (std::exchange(shown_, false)) person_.show("\r\x1b[K");
}

void TerminalTalk::say(std::string const& text) {
    clear();
    quiet_ ? console_.note(said_line(text)) : console_.print(said_line(text));
}

void TerminalTalk::progress(std::string const& text) {
    char const* const kind = std::getenv("TERM");
    if (kind == nullptr || std::string_view(kind) == "dumb") return;
    person_.show(fmt::format("\r{}...\x1b[K", base::printable(base::whole_text(text, 76))));
    shown_ = true;
}

std::optional<std::string> TerminalTalk::next_line(std::string_view prompt) {
    clear();
    person_.show(prompt);
    auto line = person_.line();
    if (!line) person_.show("\n"); // what comes next is somebody else's
    return line;
}

Result<Reply> TerminalTalk::ask(Question const& question) {
    clear();
    PFAR_TRY(known, given(answers_, question));
    if (known) return std::move(*known);
    return asked_again(question, [this](Question const& again) { return ask_once(again); });
}

Result<Reply> TerminalTalk::ask_once(Question const& question) {
    person_.show(wrong_line(question));
    auto const text = question_text(question);
    if (question.kind == Question::Kind::secret && !question.whole_file) {
        if (Interrupt::came()) return gave_up();
        auto value = ask_hidden_value(text + " (not shown)");
        if (value) return secret_reply(std::move(*value));
        return value.error().code == Errc::refused ? gave_up() : value.error();
    }
    if (question.kind == Question::Kind::yes_no)
        person_.ask(text + ": "); // what was typed before is no answer to it
    else
        person_.show(text + ": ");
    auto typed = person_.line();
    if (!typed) return gave_up();
    if (question.whole_file) return file_reply(std::move(*typed));
    return text_reply(std::move(*typed));
}

void PipeTalk::put(std::string const& text) {
    quiet_ ? console_.note(text) : console_.print(text);
}

void PipeTalk::say(std::string const& text) {
    put(said_line(text));
}

/// Byte by byte: what comes behind the line may be somebody else's. One that is too long is read to its end, and is none.
Result<Secret> PipeTalk::line() {
    std::string text;
    bool too_long = false;
    for (char byte = 0;;) {
        if (!Interrupt::waits_for(STDIN_FILENO)) return gave_up();
        auto const got = ::read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR && !Interrupt::came()) continue;
        if (got < 0 || (got == 0 && text.empty())) return gave_up();
        if (got <= 0 || byte == '\n') break;
        too_long = too_long || text.size() == most_line;
        if (!too_long) text.push_back(byte);
    }
    if (text.ends_with('\r')) text.pop_back();
    Secret out(text);
    ::explicit_bzero(text.data(), text.size());
    if (too_long) return fail(Errc::invalid, "that is longer than 64 KiB");
    return out;
}

std::optional<std::string> PipeTalk::next_line() {
    if (Interrupt::came()) return {};
    auto const read = line();
    if (!read && read.error().code == Errc::invalid) return std::string(most_line + 1, '?'); // no phrase is that long
    if (!read) return {};
    return std::string(read->reveal());
}

Result<Reply> PipeTalk::ask(Question const& question) {
    PFAR_TRY(known, given(answers_, question));
    if (!known) return asked_again(question, [this](Question const& again) { return ask_once(again); });
    put(fmt::format("? {} = {}\n", question_text(question), base::printable(known->text)));
    return std::move(*known);
}

Result<Reply> PipeTalk::ask_once(Question const& question) {
    put(fmt::format("{}? {}\n", wrong_line(question), question_text(question)));
    PFAR_TRY(typed, line());
    if (question.whole_file) return file_reply(std::string(typed.reveal()));
    if (question.kind == Question::Kind::secret) return secret_reply(std::move(typed));
    return text_reply(std::string(typed.reveal()));
}

} // namespace pfar::cli
