// One JSON object; the entries in it are as the server sent them, redacted. It is rewritten whole, and only ever believed for the key it was made with.
#include "base/files.hpp"
#include "servers/listing.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"
#include "wire/scan.hpp"

#include <fmt/format.h>

namespace pfar::servers {
namespace {

constexpr std::size_t most_text = std::size_t{40} << 20U, most_kept = 2000;

std::string joined(std::vector<std::string> const& entries) {
    std::string out = "[";
    for (auto const& entry : entries) {
        if (out.size() > 1) out += ",\n";
        out += entry;
    }
    return out + "]";
}

using Members = std::map<std::string_view, std::string_view>;

/// All at once: the file may be long.
Members members_of(std::string_view json) {
    Members out;
    wire::ScanTask task;
    task.member = [&](std::string_view key, std::string_view value) { return out[key] = value, out.size() < 100; };
    return wire::scan(json, task) ? out : Members();
}

std::vector<std::string> entries_in(std::string_view list) {
    std::vector<std::string> out;
    for (auto const entry : wire::elements_of(list, most_kept)) out.emplace_back(entry);
    return out;
}

} // namespace

Result<void> keep_listing(std::filesystem::path const& file, std::string const& key, Listing const& listing) {
    std::vector<std::string> tools;
    for (auto const& tool : listing.tools) tools.push_back(tool.json);
    auto const& facts = listing.facts;
    auto const text = fmt::format(
        R"({{"format":1,"key":{},"protocol":{},"name":{},"version":{},"title":{},"instructions":{},"capabilities":{},)"
        "\n"
        R"("tools":{},"resources":{},"templates":{},"prompts":{}}})"
        "\n",
        wire::quoted(key), wire::quoted(facts.protocol), wire::quoted(facts.name), wire::quoted(facts.version),
        wire::quoted(facts.title), wire::quoted(facts.instructions), facts.capabilities, joined(tools),
        joined(listing.resources), joined(listing.templates), joined(listing.prompts));
    return base::write_file(file, text, 0600);
}

std::optional<Listing> read_listing(std::filesystem::path const& file, std::string const& key) {
    auto const text = base::read_file(file, most_text);
    auto in = text ? members_of(*text) : Members();
    if (in["format"] != "1" || wire::string_in(in["key"]) != key) return {};
    auto const word = [&](std::string_view name) { return wire::string_in(in[name]); };
    Listing out;
    out.facts = {word("protocol"), word("name"),         word("version"),
                 word("title"),    word("instructions"), std::string(in["capabilities"])};
    for (auto const& entry : entries_in(in["tools"]))
        if (auto tool = tool_of(entry)) out.tools.push_back(std::move(*tool));
    out.resources = entries_in(in["resources"]);
    out.templates = entries_in(in["templates"]);
    out.prompts = entries_in(in["prompts"]);
    return out;
}

} // namespace pfar::servers
