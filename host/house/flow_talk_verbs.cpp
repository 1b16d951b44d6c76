// The verbs that talk: what is asked is asked until the answer fits, a few times.
#include "base/text.hpp"
#include "config/values.hpp"
#include "house/flow_arguments.hpp"
#include "house/flow_verbs.hpp"
#include "house/new_server.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

namespace pfar::house {
namespace {

namespace json = boost::json;
using flows::Done;
using flows::Question;
using flows::Reply;

constexpr int most_tries = 5; // at one question
constexpr std::size_t longest_said = std::size_t{16} << 10U;

/// Words of a script, joined as they come: say("a", 1) is "a1".
std::string joined(std::vector<json::value> const& given) {
    std::string out;
    for (auto const& part : given)
        out += part.is_string() ? std::string(part.get_string()) : part.is_null() ? "nil" : json::serialize(part);
    return std::string(base::whole_text(out, longest_said));
}

Question question_from(json::object const& wish) {
    Question out;
    out.name = text_at(wish, "name"), out.prompt = text_at(wish, "prompt"), out.help = text_at(wish, "help");
    out.fallback = text_at(wish, "default");
    if (auto const* const choices = wish.if_contains("choices"); choices != nullptr && choices->is_array())
        for (auto const& choice : choices->get_array())
            if (choice.is_string()) out.choices.emplace_back(choice.get_string());
    out.whole_file = flag_at(wish, "multiline");
    out.starts_with = text_at(wish, "starts_with"), out.pattern = text_at(wish, "pattern");
    if (flag_at(wish, "secret"))
        out.kind = Question::Kind::secret;
    else if (flag_at(wish, "yes_no"))
        out.kind = Question::Kind::yes_no;
    else if (!out.choices.empty())
        out.kind = Question::Kind::choice;
    return out;
}

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

/// By its number, its name, or a beginning that only one has.
std::optional<std::string> chosen(std::vector<std::string> const& choices, std::string const& typed) {
    std::optional<std::string> found;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (typed == std::to_string(i + 1) || lower_case(choices[i]) == lower_case(typed)) return choices[i];
        if (!lower_case(choices[i]).starts_with(lower_case(typed))) continue;
        if (found) return {};
        found = choices[i];
    }
    return found;
}

/// C0, DEL and, in UTF-8, C1.
bool has_controls(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        auto const byte = static_cast<unsigned char>(text[at]);
        bool const second = at > 0 && text[at - 1] == '\xc2' && byte >= 0x80 && byte < 0xa0;
        if (byte < 0x20 || byte == 0x7f || second) return true;
    }
    return false;
}

std::string why_not(json::object const& wish, std::string const& text) {
    if (!base::is_utf8(text)) return "that is not UTF-8 text";
    if (has_controls(text)) return "that has keys in it that are no text, such as an arrow or a tab";
    if (text.empty() && !flag_at(wish, "optional")) return "an answer is needed (cancel ends this)";
    if (text.size() > 4096) return "that is too long";
    auto const pattern = text_at(wish, "pattern");
    if (text.empty() || pattern.empty() || RE2::FullMatch(text, RE2(pattern))) return "";
    auto const hint = text_at(wish, "hint");
    return hint.empty() ? fmt::format("that does not look right; it has to fit {}", pattern) : hint;
}

} // namespace

std::string why_no_secret(Question const& question, Secret const& value) {
    auto const& starts = question.starts_with;
    if (!check_value("it", value, true)) return "that has to have at least 8 characters, and at most 65,536";
    if (!value.reveal().starts_with(starts)) return fmt::format("it begins with {}", starts);
    if (!check_value("it", value, false))
        return fmt::format("that has less than 8 characters, too short to be redacted without harming other text; if "
                           "it has to be so short, keep it first with pfar vault set --short {}, and begin again",
                           config::parse_entry_name(question.name) ? question.name : "NAME");
    RE2 const pattern(question.pattern, RE2::Quiet);
    if (!question.pattern.empty() && !RE2::FullMatch(re2::StringPiece(value.reveal().data(), value.size()), pattern))
        return "that does not look like one";
    return "";
}

Result<Done> FlowVerbs::say(Arguments const& given) {
    setting_.talk.say(joined(given));
    return Done{nullptr};
}

Result<Done> FlowVerbs::report(Arguments const& given) {
    report_ = joined(given);
    setting_.talk.say(report_);
    return Done{nullptr};
}

Error cancelled() {
    return fail(Errc::refused, "cancelled");
}

bool is_cancelled(Error const& why) {
    return why.code == Errc::refused && why.what == "cancelled";
}

bool gives_up(std::string_view answer) {
    auto const word = answer.size() > 12 ? std::string() : lower_case(std::string(answer));
    return word == "cancel" || word == "never mind" || word == "nevermind";
}

/// The person has decided against it, says the script.
Result<Done> FlowVerbs::cancel(Arguments const& given) {
    if (auto const words = joined(given); !words.empty()) setting_.talk.say(words);
    return cancelled();
}

Result<Done> FlowVerbs::fail_flow(Arguments const& given) {
    return fail(Errc::unavailable, joined(given));
}

Result<json::value> FlowVerbs::take(Question const& question, json::object const& wish, Reply reply) {
    if (question.kind == Question::Kind::secret) {
        if (gives_up(reply.secret.reveal())) return cancelled();
        if (reply.secret.size() == 0 && flag_at(wish, "optional")) return json::value();
        if (auto const wrong = why_no_secret(question, reply.secret); !wrong.empty()) return fail(Errc::invalid, wrong);
        secrets_.push_back(std::move(reply.secret));
        return flows::make_handle(secrets_.size() - 1);
    }
    auto text = reply.text.empty() ? question.fallback : reply.text;
    if (gives_up(text)) return cancelled();
    if (question.kind == Question::Kind::yes_no) {
        auto const word = lower_case(text);
        if (word == "y" || word == "yes") return json::value(true);
        if (word == "n" || word == "no") return json::value(false);
        return fail(Errc::invalid, "yes or no");
    }
    if (question.kind == Question::Kind::choice) {
        auto const choice = chosen(question.choices, text);
        if (!choice || text.empty()) return fail(Errc::invalid, "choose one of them, by number or name");
        return json::value(*choice);
    }
    if (auto const wrong = why_not(wish, text); !wrong.empty()) return fail(Errc::invalid, wrong);
    return json::value(text);
}

/// What was answered beforehand, if it fits the question: the value, or nil and why not.
Result<Done> FlowVerbs::checked(Arguments const& given) {
    auto const* const wish = given.size() == 2 && given[0].is_string() ? given[1].if_object() : nullptr;
    if (wish == nullptr) return fail(Errc::invalid, "checked wants a text and a table");
    Reply reply;
    reply.text = std::string(given[0].get_string());
    auto taken = take(question_from(*wish), *wish, std::move(reply));
    return taken ? Done{std::move(*taken)} : Done{nullptr, taken.error().what};
}

Result<Done> FlowVerbs::ask(Arguments const& given) {
    auto const* const wish = !given.empty() ? given[0].if_object() : nullptr;
    if (wish == nullptr || text_at(*wish, "prompt").empty())
        return fail(Errc::invalid, "ask wants a table with a prompt");
    if (auto const pattern = text_at(*wish, "pattern"); !pattern.empty() && !RE2(pattern, RE2::Quiet).ok())
        return fail(Errc::invalid, "ask has a pattern that cannot be used");
    auto question = question_from(*wish);
    for (int tries = 0; tries < most_tries; ++tries) {
        PFAR_TRY(reply, setting_.talk.ask(question));
        auto taken = take(question, *wish, std::move(reply));
        if (taken) return Done{std::move(*taken)};
        if (taken.error().code != Errc::invalid) return taken.error();
        question.wrong = taken.error().what;
    }
    return fail(Errc::unavailable, "there was no answer that fits");
}

} // namespace pfar::house
