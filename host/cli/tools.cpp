// pfar tools
#include "cli/host_client.hpp"
#include "cli/host_commands.hpp"
#include "cli/json.hpp"

#include "base/text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace pfar::cli {
namespace {

constexpr std::size_t shown = 72;

/// The first line of a description, cut: it is a stranger's, and may be long.
std::string brief(boost::json::value const& tool) {
    auto const* const value = tool.as_object().if_contains("description");
    if (value == nullptr || !value->is_string()) return "";
    std::string_view text = value->get_string();
    text = text.substr(0, text.find('\n'));
    if (text.size() <= shown) return base::printable(text);
    auto stop = shown;
    while (stop > 0 && (static_cast<unsigned char>(text[stop]) & 0xC0U) == 0x80U) --stop;
    return base::printable(text.substr(0, stop)) + "...";
}

/// It is new, or another than the one that was agreed to.
bool is_unpinned(boost::json::value const& tool) {
    auto const* const pinned = tool.is_object() ? tool.get_object().if_contains("pinned") : nullptr;
    return pinned != nullptr && pinned->is_bool() && !pinned->get_bool();
}

void print_tools(boost::json::array const& tools, Console& console) {
    std::vector<std::vector<std::string>> rows;
    std::set<std::string> changed;
    for (auto const& tool : tools) {
        if (!tool.is_object()) continue;
        if (is_unpinned(tool)) changed.insert(text_of(tool, "server"));
        rows.push_back({text_of(tool, "name") + (is_unpinned(tool) ? " !" : ""), text_of(tool, "semantics"),
                        text_of(tool, "approve"), text_of(tool, "label"), brief(tool)});
    }
    console.table({"NAME", "SEMANTICS", "ASKS", "LABEL", "DESCRIPTION"}, rows);
    for (auto const& server : changed)
        console.print(
            fmt::format("! new or changed, so it asks each time: pfar tools accept {} shows what differs\n", server));
}

void print_whole(boost::json::value const& tool, Console& console) {
    auto const line = [&](char const* title, char const* key) {
        if (auto const text = text_of(tool, key); !text.empty()) console.print(fmt::format("{:<12} {}\n", title, text));
    };
    line("name", "name"), line("title", "title"), line("semantics", "semantics"), line("because", "why");
    line("asks", "approve"), line("label", "label");
    if (is_unpinned(tool))
        console.print(
            fmt::format("{:<12} new or changed, so it asks each time: pfar tools accept {} shows what differs\n", "!",
                        text_of(tool, "server")));
    std::string_view description;
    if (auto const* const value = tool.as_object().if_contains("description"); value != nullptr && value->is_string())
        description = value->get_string();
    if (!description.empty()) console.print("\n");
    while (!description.empty()) {
        auto const part = description.substr(0, description.find('\n'));
        console.print(fmt::format("  {}\n", base::printable(part)));
        description.remove_prefix(std::min(description.size(), part.size() + 1));
    }
    if (auto const* const schema = tool.as_object().if_contains("input_schema");
        schema != nullptr && !schema->is_null())
        console.print(fmt::format("\narguments:\n{}", to_text(*schema)));
}

int explain_tool(boost::json::array const& tools, std::string const& name, bool json, Console& console) {
    std::vector<std::string> names;
    std::vector<boost::json::value const*> found;
    for (auto const& tool : tools) {
        auto const full = text_of(tool, "name");
        if (full == name || full == fmt::format("{}.{}", text_of(tool, "server"), name)) found.push_back(&tool);
        names.push_back(name.find('.') == std::string::npos ? full.substr(full.find('.') + 1) : full);
    }
    if (found.size() > 1)
        return failed(console, fail(Errc::conflict, fmt::format("several servers have a tool {}; say which: {} or {}",
                                                                base::printable(name), text_of(*found[0], "name"),
                                                                text_of(*found[1], "name"))));
    if (!found.empty()) {
        if (json)
            console.print(to_text(*found[0]));
        else
            print_whole(*found[0], console);
        return exit_ok;
    }
    auto const meant = base::nearest(name, {names.begin(), names.end()});
    return failed(console, fail(Errc::not_found,
                                fmt::format("there is no tool \"{}\"{}; pfar tools lists all", base::printable(name),
                                            meant ? fmt::format(" (did you mean {}?)", *meant) : "")));
}

} // namespace

int run_tools(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    boost::json::object params;
    if (!arguments.operands.empty()) params["server"] = arguments.operands[0];
    auto const text = boost::json::serialize(params);
    auto const tools = ask_any_host({"tools", text}, console, code);
    if (!tools) return code;
    if (!tools->is_array()) return failed(console, fail(Errc::internal, "the host's answer makes no sense"));
    if (arguments.has("explain"))
        return explain_tool(tools->get_array(), arguments.options.at("explain"), arguments.has("json"), console);
    if (arguments.has("json"))
        console.print(to_text(*tools));
    else if (tools->get_array().empty())
        console.print("no tools; pfar list tells how the servers are\n");
    else
        print_tools(tools->get_array(), console);
    return exit_ok;
}

} // namespace pfar::cli
