#include "house/own_words.hpp"

#include "base/text.hpp"
#include "config/secret_look.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

namespace pfar::house {
namespace {

namespace json = boost::json;
using flows::Question;

constexpr std::size_t most_answer = 300, most_answers = 1000;

/// "${site}.example.com" with what is known of it by now: "acme.example.com", or "<site>.example.com".
std::string filled_in(std::string text, std::string_view answers) {
    for (auto at = text.find("${"); at != text.npos; at = text.find("${", at)) {
        auto const end = text.find('}', at);
        if (end == text.npos) break;
        auto const name = text.substr(at + 2, end - at - 2);
        auto const answer = base::printable(wire::string_in(wire::member_of(answers, name)));
        auto const shown = answer.empty() || answer.find("${") != answer.npos ? "<" + name + ">" : answer;
        text.replace(at, end + 1 - at, shown);
        at += shown.size();
    }
    return text;
}

std::string command_words(KnownServer const& server) {
    auto out = server.command;
    for (auto const& arg : server.args) out += " " + arg;
    return base::printable(base::whole_text(out, 300));
}

bool is_answer_name(std::string_view name) {
    return !name.empty() && name.size() <= 32 &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

/// Why this cannot be its answer; empty if it can. What may stand in the owner's question must not be able to speak in it.
std::string why_no_answer(KnownServer const& server, Parameter const& parameter, std::string const& answer) {
    auto const place = "${" + parameter.name + "}";
    bool const in_domain = std::any_of(server.domains.begin(), server.domains.end(),
                                       [&](auto const& domain) { return domain.find(place) != domain.npos; });
    bool const is_host = in_domain || parameter.kind == Parameter::Kind::host;
    if (answer.size() > 1000 || answer != base::printable(answer)) return "that is no answer to it";
    if (is_host && !RE2::FullMatch(answer, R"([\pL\pN_.:\[\]-]{1,253})")) return "that is no part of a host name";
    if (!parameter.choices.empty() &&
        std::find(parameter.choices.begin(), parameter.choices.end(), answer) == parameter.choices.end())
        return "it is one of " + base::listed({parameter.choices.begin(), parameter.choices.end()});
    if (parameter.pattern.empty() || RE2::FullMatch(answer, RE2(parameter.pattern, RE2::Quiet))) return "";
    return "it has to fit " + parameter.pattern;
}

} // namespace

json::object object_in(std::string_view written) {
    boost::system::error_code bad;
    auto value = json::parse({written.data(), written.size()}, bad);
    return !bad && value.is_object() ? std::move(value.get_object()) : json::object();
}

std::string joined_lines(std::vector<std::string> const& lines) {
    std::string out;
    for (auto const& line : lines) out += base::printable(line) + "\n";
    return out;
}

std::string asked_words(Question const& question) {
    return (question.wrong.empty() ? "" : question.wrong + ".\n") + question.prompt;
}

std::string form_params(Question const& question, std::vector<std::string> const& said) {
    json::object field{{"type", "string"}, {"title", question.prompt}};
    if (question.kind == Question::Kind::yes_no) field = {{"type", "boolean"}, {"title", question.prompt}};
    if (question.kind == Question::Kind::choice)
        field["enum"] = json::array(question.choices.begin(), question.choices.end());
    if (!question.fallback.empty())
        field["default"] = question.kind == Question::Kind::yes_no ? json::value(question.fallback == "yes")
                                                                   : json::value(question.fallback);
    auto message = joined_lines(said) + asked_words(question);
    if (!question.help.empty()) message += " (" + question.help + ")";
    auto const name = question.name.empty() ? std::string("answer") : question.name;
    json::object schema{{"type", "object"}, {"properties", json::object{{name, std::move(field)}}}};
    if (question.fallback.empty()) schema["required"] = json::array{json::string(name)};
    return json::serialize(json::object{{"message", message}, {"requestedSchema", std::move(schema)}});
}

std::optional<std::string> form_answer(Question const& question, bool is_error, std::string_view payload) {
    if (is_error || wire::string_in(wire::member_of(payload, "action")) != "accept") return {};
    auto const name = question.name.empty() ? std::string_view("answer") : std::string_view(question.name);
    auto const value = wire::member_of(wire::member_of(payload, "content"), name);
    if (value == "true") return "yes";
    if (value == "false") return "no";
    return value.empty() ? question.fallback : wire::string_in(value);
}

std::string plan_words(KnownServer const& server, std::string_view answers) {
    auto const package = server.package.source == Package::Source::none
                             ? fmt::format("runs {}", command_words(server))
                             : fmt::format("installs {} {} from {}", server.package.name, server.package.version,
                                           server.package.source == Package::Source::npm ? "npm" : "PyPI");
    std::vector<std::string> domains;
    for (auto const& domain : server.domains) domains.push_back(filled_in(domain, answers));
    auto out =
        fmt::format("it {} and lets it reach {}", package,
                    domains.empty() ? std::string("no network") : base::listed({domains.begin(), domains.end()}));
    for (auto const& grant : server.grants)
        out += fmt::format(", {} {}", grant.write ? "read and write" : "read",
                           wire::quoted(filled_in(grant.path, answers)));
    return out;
}

std::string chosen_words(std::string const& connected, std::string_view answers) {
    auto const already = wire::string_in(wire::member_of(answers, "already"));
    if (already.empty()) return "";
    return fmt::format("; {} is connected already, and the agent's answer to that is {}{}", connected,
                       wire::quoted(base::whole_text(base::printable(already), 100)),
                       already.starts_with("reconnect") ? ", which replaces its file" : "");
}

std::string unknown_words(std::string const& service, std::string_view answers) {
    auto out = fmt::format("it sets up {}, which pfar does not know", wire::quoted(base::printable(service)));
    for (auto const& [name, value] : object_in(answers))
        if (value.is_string())
            out += fmt::format(
                ", {} {}", std::string_view(name),
                wire::quoted(base::whole_text(base::printable(std::string(value.get_string())), most_answer)));
    return out + "; what else has to be known is asked for next";
}

Result<void> check_answers(KnownServer const& server, std::string_view answers, bool can_ask) {
    auto const given = object_in(answers);
    std::vector<std::string> known{"already"}, missing;
    for (auto const& parameter : server.parameters) {
        known.push_back(parameter.name);
        auto const* const answer = given.if_contains(parameter.name);
        if (auto const wrong = answer == nullptr ? std::string()
                               : answer->is_string()
                                   ? why_no_answer(server, parameter, std::string(answer->get_string()))
                                   : std::string("it has to be a text");
            !wrong.empty())
            return fail(Errc::invalid, fmt::format("{}: {}", parameter.name, wrong));
        if (parameter.fallback.empty() && !given.contains(parameter.name))
            missing.push_back(fmt::format("{} ({})", parameter.name, parameter.prompt));
    }
    for (auto const& member : given)
        if (std::find(known.begin(), known.end(), std::string(member.key())) == known.end())
            return fail(Errc::invalid,
                        fmt::format("\"{}\" is nothing that can be answered here; there is \"{}\"",
                                    base::printable(std::string(member.key())), fmt::join(known, "\", \"")));
    if (can_ask || missing.empty()) return {};
    return fail(Errc::invalid, fmt::format("pfar needs to know first: {}; ask the user, and call it again with all of "
                                           "them in answers",
                                           base::listed({missing.begin(), missing.end()})));
}

Result<void> check_unknown(std::string const& service, std::string_view answers) {
    if (service.size() > 200 || service != base::printable(service))
        return fail(Errc::invalid, "a service is a name, an address, a package or a command");
    std::size_t all = 0;
    for (auto const& member : object_in(answers)) {
        if (!is_answer_name(std::string(member.key())))
            return fail(Errc::invalid, "the names of answers have small letters, digits and _");
        auto const text = member.value().is_string() ? std::string(member.value().get_string()) : std::string();
        all += member.key().size() + base::printable(text).size();
        if (base::printable(text).size() > most_answer || all > most_answers)
            return fail(Errc::invalid, fmt::format("answers are shown to the user in full, so each has at most {} "
                                                   "characters and all of them {}",
                                                   most_answer, most_answers));
    }
    return {};
}

bool shows_credential(std::string_view arguments) {
    for (auto const& member : object_in(arguments)) {
        auto const* const answers = member.value().if_object();
        if (answers == nullptr && member.value().is_string() &&
            config::shows_secret(std::string(member.value().get_string())))
            return true;
        if (answers == nullptr) continue;
        for (auto const& answer : *answers) { // an ID is no credential where one is asked for
            auto const text = answer.value().is_string() ? std::string(answer.value().get_string()) : std::string();
            auto const name = std::string(answer.key());
            if (config::shows_secret(name)) return true;
            bool const named = config::names_secret(name) && config::look_of(name, text) == config::Look::secret;
            if (named || config::tells_secret(text)) return true;
        }
    }
    return false;
}

Error under_way_otherwise() {
    return fail(Errc::conflict, "the same is under way with other answers; call it with those, or when it has ended");
}

} // namespace pfar::house
