#include "flows/semantics.hpp"

#include "base/text.hpp"
#include "flows/semantics_rules.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <unordered_map>

namespace pfar::flows {
namespace {

constexpr std::size_t most_remembered = 10'000;

/// A tool as it was agreed to: which rules are about it, and their word if that is always the same.
struct Known {
    std::vector<std::size_t> rules;
    std::string mistake; // a rule's pattern
    std::optional<Word> word;
};

Result<bool> fits_any(std::vector<std::string> const& wanted, std::string_view name) {
    for (auto const& one : wanted) {
        PFAR_TRY(fits, fits_name(one, name));
        if (fits) return true;
    }
    return wanted.empty();
}

Word write_for(std::string rule, std::string trouble, bool by_arguments) {
    return {base::Semantics::write, std::move(rule), std::move(trouble), by_arguments, ""};
}

} // namespace

struct Semantics::State {
    std::vector<std::filesystem::path> files;
    Limits limits;
    std::vector<RuleBook::Script> scripts;
    std::unique_ptr<RuleBook> book; // null if there is something wrong
    std::string broken;
    std::unordered_map<std::string, Known> known;

    Result<void> load();
    Result<void> open_book();
    Known& known_for(Asked const& call, std::string const& pin);
    Known look_up(Asked const& call) const;
    Word ask(Asked const& call, std::vector<std::size_t> const& rules);
};

Result<void> Semantics::State::load() {
    known.clear();
    scripts.clear();
    book.reset();
    broken.clear();
    for (auto const& file : files) {
        auto text = read_script(file);
        if (!text && text.error().code == Errc::not_found) continue;
        if (!text) {
            broken =
                fmt::format("{}; until then every tool without a word of yours counts as a write", text.error().what);
            return fail(text.error().code, broken);
        }
        scripts.push_back({file, std::move(*text)});
    }
    return open_book();
}

Result<void> Semantics::State::open_book() {
    auto made = RuleBook::make(scripts, limits);
    if (made) {
        book = std::move(*made);
        return {};
    }
    book.reset();
    broken = made.error().what;
    return made.error();
}

Known Semantics::State::look_up(Asked const& call) const {
    Known out;
    for (std::size_t at = 0; at < book->rules().size(); ++at) {
        auto const& rule = book->rules()[at];
        auto const server = fits_any(rule.servers, call.server);
        auto const tool = server ? fits_any(rule.tools, call.tool) : server;
        if (!server || !tool) {
            out.mistake = fmt::format("{}: {}", rule.place, (server ? tool : server).error().what);
            return out;
        }
        if (*server && *tool) out.rules.push_back(at);
    }
    return out;
}

Known& Semantics::State::known_for(Asked const& call, std::string const& pin) {
    auto key = fmt::format("{}\n{}\n{}", call.server, call.tool, pin);
    if (auto const found = known.find(key); found != known.end()) return found->second;
    if (known.size() >= most_remembered) known.clear();
    return known.emplace(std::move(key), look_up(call)).first->second;
}

Word Semantics::State::ask(Asked const& call, std::vector<std::size_t> const& rules) {
    bool by_arguments = false;
    std::string unless;
    std::optional<boost::json::value> arguments;
    for (auto const at : rules) {
        auto const rule = book->rules()[at]; // a copy: the book may be made anew
        if (rule.arguments) {
            by_arguments = true;
            if (call.arguments.empty()) {
                if (unless.empty()) unless = rule.place;
                continue; // what decides if that says nothing
            }
            if (call.arguments.size() > limits.arguments)
                return write_for(rule.place, "the arguments are too large to be shown to it", true);
            boost::system::error_code error;
            if (!arguments) arguments = boost::json::parse({call.arguments.data(), call.arguments.size()}, error);
            if (error) return write_for(rule.place, "the arguments cannot be shown to it: " + error.message(), true);
        }
        auto const said = book->ask(rule, call, rule.arguments ? &*arguments : nullptr);
        if (!said) {
            if (book->worn_out()) static_cast<void>(open_book()); // if that fails, it is told by the next call
            return write_for(rule.place, said.error().what, by_arguments);
        }
        if (*said) return {**said, rule.place, "", by_arguments, unless};
    }
    return {std::nullopt, "", "", by_arguments, unless};
}

Semantics::Semantics(std::vector<std::filesystem::path> scripts, Limits limits) : state_(std::make_unique<State>()) {
    state_->files = std::move(scripts);
    state_->limits = limits;
    static_cast<void>(state_->load()); // what is wrong is told by every word
}

Semantics::~Semantics() = default;

Result<void> Semantics::reload() {
    return state_->load();
}

Word Semantics::of(Asked const& call, std::string const& pin) {
    if (!state_->book) return write_for("", state_->broken, false);
    auto& known = state_->known_for(call, pin);
    if (!known.mistake.empty()) return write_for("", known.mistake, false);
    if (known.word) return *known.word;
    auto out = state_->ask(call, known.rules);
    if (!out.by_arguments && out.trouble.empty()) known.word = out;
    return out;
}

} // namespace pfar::flows
