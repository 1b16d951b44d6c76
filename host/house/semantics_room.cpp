#include "house/semantics_room.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <charconv>

namespace pfar::house {
namespace {

constexpr std::size_t most_troubles_told = 100;

std::filesystem::path own_semantics(House const& house) {
    return house.places.home / "scripts/semantics.lua";
}

std::filesystem::path shipped_semantics(House const& house) {
    return house.layout.share / "scripts/semantics.lua";
}

/// "... semantics.lua:12: unexpected symbol" is a mistake in line 12; other sentences are about the file as a whole.
config::Mistake script_mistake(std::filesystem::path const& file, std::string const& words) {
    config::Mistake out{
        config::Severity::error,
        {},
        words,
        "",
        "put it right, or remove it: until then every tool that no server file has a word on counts as a write",
        ""};
    auto const place = file.filename().native() + ":";
    auto const at = words.rfind(place);
    if (at == std::string::npos) return out;
    auto const line = std::string_view(words).substr(at + place.size());
    auto const [end, error] = std::from_chars(line.data(), line.data() + line.size(), out.where.line);
    out.where.column = 1;
    if (error == std::errc() && line.substr(static_cast<std::size_t>(end - line.data())).starts_with(": "))
        out.what.assign(end + 2, line.data() + line.size());
    return out;
}

CheckedFile checked_script(std::filesystem::path const& file, std::string origin) {
    CheckedFile out{file, std::move(origin), "", "ok", "", {}};
    if (auto const loaded = flows::Semantics({file}).reload(); !loaded)
        out.mistakes.push_back(script_mistake(file, loaded.error().what));
    return out;
}

} // namespace

SemanticsRoom::SemanticsRoom(boost::asio::any_io_executor const& executor, House const& house)
    : own_(own_semantics(house)), semantics_({own_, shipped_semantics(house)}),
      watch_(std::make_shared<FileWatch>(executor, [this] { reload(); })) {
    reload();
}

SemanticsRoom::~SemanticsRoom() {
    watch_->stop();
}

void SemanticsRoom::reload() {
    watch_->watch({own_.parent_path()}); // first: what changes while we read is heard
    told_.clear(), mistakes_.clear();
    if (auto const loaded = semantics_.reload(); !loaded) tell(loaded.error().what);
}

void SemanticsRoom::tell(std::string const& trouble) {
    if (told_.size() < most_troubles_told && told_.insert(trouble).second) spdlog::error("{}", trouble);
}

std::optional<pipeline::Meaning> SemanticsRoom::of(pipeline::Call const& call) {
    if (watch_->take_heard()) reload(); // a rule counts as soon as it is heard of
    auto const arguments = call.arguments.empty() ? std::string_view("{}") : call.arguments;
    auto const word = semantics_.of(
        {call.offer->name, call.tool->name, {}, call.tool->json, arguments, call.tool->says_read_only}, call.tool->pin);
    if (!word.semantics) return {};
    if (word.trouble.empty()) return pipeline::Meaning{*word.semantics};
    if (word.rule.empty()) return tell(word.trouble), pipeline::Meaning{*word.semantics, word.trouble};
    tell(fmt::format("{}: {}; so {} of {} counted as a write", word.rule, word.trouble,
                     base::printable(call.tool->name), call.offer->name));
    auto told = fmt::format("{} made a mistake: {}", word.rule, word.trouble);
    if (mistakes_.size() >= most_troubles_told) mistakes_.clear();
    if (word.by_arguments) mistakes_[call.offer->name + "." + call.tool->name] = told;
    return pipeline::Meaning{*word.semantics, std::move(told)};
}

flows::Word SemanticsRoom::of(std::string_view server, pipeline::Tool const& tool) {
    if (watch_->take_news()) reload();
    auto out = semantics_.of({server, tool.name, {}, tool.json, {}, tool.says_read_only}, tool.pin);
    auto const mistake = mistakes_.find(fmt::format("{}.{}", server, tool.name));
    if (!out.unless.empty() && out.trouble.empty() && mistake != mistakes_.end()) out.trouble = mistake->second;
    return out;
}

Judged judged(config::ServerSpec const& spec, pipeline::Tool const& tool, flows::Word const& word) {
    auto const rules = spec.tools.find(tool.name);
    if (rules != spec.tools.end() && rules->second.semantics)
        return {*rules->second.semantics == base::Semantics::read, false, "the server file"};
    if (!tool.pinned) return {false, false, "it is new or has changed, and you have not agreed to that"};
    bool const open = !word.unless.empty();
    if (!word.trouble.empty() && !open)
        return {false, false,
                word.rule.empty() ? word.trouble : fmt::format("a script's mistake: {}: {}", word.rule, word.trouble)};
    bool const reads = word.semantics ? *word.semantics == base::Semantics::read : tool.says_read_only;
    std::string const hint = tool.says_read_only ? "its readOnlyHint" : "the default";
    auto const why = word.semantics ? "the rule " + word.rule : hint;
    if (!open) return {reads, false, why};
    auto const last =
        word.trouble.empty() ? "" : fmt::format("; the last time {}, so it counted as a write", word.trouble);
    return {reads, true, fmt::format("{}, unless its arguments decide by the rule {}{}", why, word.unless, last)};
}

std::vector<CheckedFile> check_scripts(House const& house) {
    std::vector<CheckedFile> out;
    std::error_code error;
    if (std::filesystem::exists(own_semantics(house), error))
        out.push_back(checked_script(own_semantics(house), "host"));
    auto shipped = checked_script(shipped_semantics(house), "shipped");
    if (!shipped.mistakes.empty()) out.push_back(std::move(shipped));
    return out;
}

} // namespace pfar::house
