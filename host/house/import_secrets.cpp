#include "house/import_secrets.hpp"

#include "base/text.hpp"
#include "config/secret_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pfar::house {
namespace {

using flows::Question;

std::string word_of(config::ClientInput const& input) {
    return fmt::format("${{input:{}}}", input.id);
}

/// What the client would have said about it.
std::string hidden_words(config::ClientInput const& input) {
    return fmt::format("which its client asked for{}",
                       input.description.empty() ? "" : fmt::format(" ({})", input.description));
}

bool is_short(Secret const& value) {
    return check_value("it", value, true) && !check_value("it", value, false);
}

} // namespace

Result<std::string> ask_line(flows::Talk& talk, Question::Kind kind, std::string const& name, std::string prompt,
                             std::string const& usual) {
    Question question;
    question.kind = kind, question.name = name;
    question.prompt = std::move(prompt), question.fallback = usual;
    PFAR_TRY(reply, talk.ask(question));
    auto text = reply.text.empty() ? usual : reply.text;
    if (gives_up(text)) return cancelled();
    return text;
}

Result<bool> agrees(flows::Talk& talk, std::string const& name, std::string prompt) {
    PFAR_TRY(said, ask_line(talk, Question::Kind::yes_no, name, std::move(prompt), "no"));
    return said == "yes" || said == "y" || said == "Yes" || said == "Y";
}

bool has_plain_secret(config::ClientServer const& server) {
    return std::any_of(server.env.begin(), server.env.end(), [](auto const& variable) {
        std::string text(variable.second.reveal());
        for (auto at = text.find("${"); at != text.npos; at = text.find("${"))
            text.erase(at, text.find('}', at) == text.npos ? text.npos : text.find('}', at) + 1 - at);
        return config::look_of(variable.first, text) == config::Look::secret;
    });
}

void ImportSecrets::note_hidden(config::ClientServer const& wanted, std::vector<config::ClientInput> const& inputs) {
    for (auto const& [variable, value] : wanted.env) {
        Hidden hidden{std::string(value.reveal()), {}};
        for (auto const& input : inputs)
            if (hidden.text.find(word_of(input)) != std::string::npos) hidden.inputs.push_back(input);
        if (!hidden.inputs.empty()) hidden_.emplace(variable, std::move(hidden));
    }
}

Result<void> ImportSecrets::ask_all(std::vector<NewSecret>& secrets) {
    for (auto& secret : secrets) PFAR_CHECK(secret.value ? check_length(secret) : ask_secret(secret));
    return {};
}

Result<void> ImportSecrets::make_room(std::vector<NewSecret> const& secrets) {
    for (auto const& secret : secrets) PFAR_CHECK(make_room(secret));
    return {};
}

Result<bool> ImportSecrets::may_be_short(std::string const& variable) {
    return agrees(setting_.talk, "short",
                  fmt::format("The value of {} has less than 8 characters: too short to be redacted without harming "
                              "other text. Keep it in the vault all the same?",
                              variable));
}

Result<void> ImportSecrets::check_length(NewSecret const& secret) {
    if (!is_short(*secret.value)) return {};
    PFAR_TRY(kept, may_be_short(secret.variable));
    if (kept) return {};
    return fail(Errc::refused, fmt::format("{} is not imported, because the value of {} is too short to be kept "
                                           "safely; give it a longer one, and import it again",
                                           server_, secret.variable));
}

Result<Secret> ImportSecrets::ask_value(std::string const& variable, std::string const& entry, std::string prompt) {
    Question question;
    question.kind = Question::Kind::secret, question.name = entry;
    question.prompt = std::move(prompt);
    for (int tries = 0; tries < 3; ++tries) {
        PFAR_TRY(reply, setting_.talk.ask(question));
        if (gives_up(reply.secret.reveal())) return cancelled();
        bool good = check_value(variable, reply.secret, false).has_value();
        if (is_short(reply.secret)) {
            PFAR_TRY(kept, may_be_short(variable));
            good = kept;
        }
        if (good) return std::move(reply.secret);
        question.wrong = "that has to have at least 8 characters, and at most 65,536";
    }
    return fail(Errc::unavailable, "there was no value for it");
}

/// Of a login what stands around it is in the server's file already.
Result<void> ImportSecrets::ask_secret(NewSecret& secret) {
    auto const found = hidden_.find(secret.variable);
    bool const hidden = found != hidden_.end();
    if (hidden && !config::login_in(found->second.text) &&
        found->second.text != word_of(found->second.inputs.front())) {
        PFAR_TRY(value, ask_parts(secret.variable, found->second));
        return secret.value = std::move(value), Result<void>();
    }
    auto const words = hidden ? hidden_words(found->second.inputs.front()) : "which its client's file does not say";
    PFAR_TRY(value,
             ask_value(secret.variable, secret.entry, fmt::format("The value of {}, {}", secret.variable, words)));
    return secret.value = std::move(value), Result<void>();
}

/// Bearer ${input:token}, the token being asked for.
Result<Secret> ImportSecrets::ask_parts(std::string const& variable, Hidden const& hidden) {
    auto text = hidden.text;
    for (auto const& input : hidden.inputs) {
        PFAR_TRY(value, ask_value(variable, input.id,
                                  fmt::format("The part of {} called {}, {}", variable, base::printable(input.id),
                                              hidden_words(input))));
        auto const word = word_of(input);
        for (auto at = text.find(word); at != text.npos; at = text.find(word, at + value.size()))
            text.replace(at, word.size(), value.reveal());
    }
    Secret whole(text);
    ::explicit_bzero(text.data(), text.size());
    return whole;
}

Result<void> ImportSecrets::make_room(NewSecret const& secret) {
    if (!secret.value) return {};
    PFAR_TRY(vault, setting_.vault());
    PFAR_TRY(there, vault->has(secret.entry));
    if (!there) return journal_.makes_entry(secret.entry, *vault);
    PFAR_TRY(kept, vault->find(secret.entry));
    if (kept.same_as(*secret.value)) return {};
    PFAR_TRY(goes, agrees(setting_.talk, "replace",
                          fmt::format("The vault has {} already, with another value. Replace it?", secret.entry)));
    if (goes) return journal_.changes_entry(secret.entry, *vault);
    return fail(Errc::refused, fmt::format("{} is kept in the vault as it was; to import this one beside it, first: "
                                           "pfar vault rename {} NEW",
                                           secret.entry, secret.entry));
}

} // namespace pfar::house
