#include "pipeline/offer.hpp"

#include "base/digest.hpp"
#include "base/surrogates.hpp"
#include "base/text.hpp"
#include "pipeline/entry_rules.hpp"
#include "pipeline/names.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"
#include "wire/scan.hpp"
#include "wire/splice.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace pfar::pipeline {
namespace {

/// With the members of every object in the order of their names.
boost::json::value sorted(boost::json::value const& value) {
    if (auto const* const list = value.if_array()) {
        boost::json::array out;
        for (auto const& one : *list) out.push_back(sorted(one));
        return out;
    }
    auto const* const object = value.if_object();
    if (object == nullptr) return value;
    std::map<std::string_view, boost::json::value const*> members;
    for (auto const& member : *object) members[member.key()] = &member.value();
    boost::json::object out;
    for (auto const& [key, member] : members) out.emplace(key, sorted(*member));
    return out;
}

boost::json::value parsed(std::string_view written) {
    auto const mended = base::with_whole_pairs(written);
    auto const json = mended ? std::string_view(*mended) : written;
    boost::system::error_code error;
    boost::json::parse_options options;
    options.max_depth = wire::most_depth;
    auto value = boost::json::parse(boost::json::string_view(json.data(), json.size()), error, {}, options);
    return error ? boost::json::value() : value;
}

/// Nobody can read it in two ways.
bool is_clear(std::string_view entry) {
    auto const members = wire::members_once(
        entry, {"name", "title", "description", "inputSchema", "outputSchema", "annotations", "arguments", "_meta"});
    if (!members) return false;
    auto const annotations = wire::value_of(*members, "annotations");
    return annotations.empty() || wire::members_once(annotations, {"readOnlyHint", "destructiveHint", "idempotentHint",
                                                                   "openWorldHint", "title"})
                                      .has_value();
}

/// What a request will have to say again, so not with halves of surrogate pairs.
std::string name_in(std::string_view entry, std::string_view key) {
    auto const written = wire::member_of(entry, key);
    return base::with_whole_pairs(written) ? "" : wire::string_in(written);
}

Tool tool_from(std::string const& json) {
    Tool out;
    out.json = json;
    out.name = name_in(json, "name");
    out.pin = base::sha256(pinned_text(json));
    out.says_read_only = wire::member_of(wire::member_of(json, "annotations"), "readOnlyHint") == "true";
    out.input = SchemaSlot(std::string(wire::member_of(json, "inputSchema")));
    out.output = SchemaSlot(std::string(wire::member_of(json, "outputSchema")));
    return out;
}

using Index = std::map<std::string, std::size_t, std::less<>>;

template <class T> T const* found_in(std::vector<T> const& list, Index const& by, std::string_view name) {
    auto const found = by.find(name);
    return found == by.end() ? nullptr : &list[found->second];
}

template <class T> void name_all(std::vector<T>& list, std::string const& server, Index& own, Index& seen) {
    std::vector<std::string> names;
    for (auto const& one : list) names.push_back(one.name);
    auto publics = public_names(server, names);
    for (std::size_t i = 0; i < list.size(); ++i) {
        own.emplace(list[i].name, i);
        seen.emplace(publics[i], i);
        list[i].public_name = std::move(publics[i]);
    }
}

/// With what MCP asks for and other clients do without.
std::string completed(std::string entry, std::string_view key, std::string_view value) {
    if (!wire::member_of(entry, key).empty()) return entry;
    auto const end = wire::end_of_members(entry);
    return wire::spliced(entry, {{end, wire::further_member(entry, key, value)}});
}

/// True if it is as MCP says.
bool takes(Offer& offer, EntryKind kind, std::string_view word, std::string_view name, std::string_view json) {
    auto const good = check_entry(kind, json);
    if (!good)
        offer.left_out.push_back(fmt::format("its {} {} is left out, because it is not as MCP says: {}", word,
                                             base::printable(name), good.error().what));
    return good.has_value();
}

void add_resources(Offer& offer, std::vector<Resource>& out, std::vector<std::string> const& entries, bool templates) {
    for (auto const& entry : entries) {
        auto uri = name_in(entry, templates ? "uriTemplate" : "uri");
        if (uri.empty() || !takes(offer, templates ? EntryKind::resource_template : EntryKind::resource,
                                  templates ? "resource template" : "resource", uri, entry))
            continue;
        auto json = completed(entry, "name", wire::quoted(uri));
        out.push_back({std::move(uri), std::move(json)});
    }
}

} // namespace

Schema const& SchemaSlot::get() const {
    if (made_) return *made_;
    auto compiled = json_.empty() ? Schema::compile("true") : Schema::compile(json_);
    if (!compiled) {
        trouble_ = compiled.error().what;
        compiled = Schema::compile("true");
    }
    made_ = std::move(*compiled);
    return *made_;
}

Tool const* Offer::tool(std::string_view own) const {
    return found_in(tools, tool_names, own);
}
Tool const* Offer::public_tool(std::string_view seen) const {
    return found_in(tools, public_tools, seen);
}
Prompt const* Offer::prompt(std::string_view own) const {
    return found_in(prompts, prompt_names, own);
}
Prompt const* Offer::public_prompt(std::string_view seen) const {
    return found_in(prompts, public_prompts, seen);
}

base::Approve Offer::approve_of(std::string const& tool) const {
    auto const found = rules.find(tool);
    return found != rules.end() && found->second.approve ? *found->second.approve : approve;
}

std::string pinned_text(std::string_view tool_json) {
    auto const whole = parsed(tool_json);
    auto const* const tool = whole.if_object();
    if (tool == nullptr) return std::string(tool_json); // Boost takes less than the wire does
    boost::json::object out;
    for (auto const* const key : {"name", "description", "inputSchema", "outputSchema", "annotations"})
        if (auto const* const value = tool->if_contains(key)) out.emplace(key, sorted(*value));
    return boost::json::serialize(out);
}

void fill_offer(Offer& offer, Lists const& lists,
                std::function<bool(std::string const&, std::string const&)> const& pinned) {
    offer.known = true;
    offer.instructions = lists.instructions;
    offer.capabilities = lists.capabilities;
    std::set<std::string> names, prompts;
    for (auto const& json : lists.tools) {
        auto tool = tool_from(json);
        if (tool.name.empty() || !takes(offer, EntryKind::tool, "tool", tool.name, json) || !is_clear(json)) continue;
        if (!names.insert(tool.name).second) continue;
        tool.json = completed(std::move(tool.json), "inputSchema", R"({"type":"object"})");
        tool.pinned = pinned(tool.name, tool.pin);
        offer.tools.push_back(std::move(tool));
    }
    for (auto const& json : lists.prompts)
        if (auto name = name_in(json, "name"); !name.empty() && is_clear(json) &&
                                               takes(offer, EntryKind::prompt, "prompt", name, json) &&
                                               prompts.insert(name).second)
            offer.prompts.push_back({std::move(name), "", json});
    name_all(offer.tools, offer.name, offer.tool_names, offer.public_tools);
    name_all(offer.prompts, offer.name, offer.prompt_names, offer.public_prompts);
    add_resources(offer, offer.resources, lists.resources, false);
    add_resources(offer, offer.templates, lists.templates, true);
}

void apply_rules(Offer& offer, config::ServerSpec const& spec, config::HostSettings const& settings) {
    offer.name = spec.name;
    offer.label = spec.label;
    offer.taint = spec.taint;
    offer.approve = settings.approve;
    offer.write_down = settings.write_down;
    offer.rules = spec.tools;
    std::string text =
        fmt::format("{} {} {} {} {}\n", offer.identity, static_cast<int>(offer.label), static_cast<int>(offer.taint),
                    static_cast<int>(offer.approve), static_cast<int>(offer.write_down));
    for (auto const& [tool, rules] : offer.rules)
        text += fmt::format("{} {} {}\n", tool, rules.semantics ? static_cast<int>(*rules.semantics) : -1,
                            rules.approve ? static_cast<int>(*rules.approve) : -1);
    offer.policy = base::sha256(text);
}

} // namespace pfar::pipeline
