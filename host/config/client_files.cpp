#include "config/client_files.hpp"

#include "base/text.hpp"
#include "config/jsonc.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pfar::config {
namespace {

struct ClientPlace {
    char const *client, *below;
};

constexpr std::array of_projects{ClientPlace{"Claude Code", ".mcp.json"}, ClientPlace{"Cursor", ".cursor/mcp.json"},
                                 ClientPlace{"VS Code", ".vscode/mcp.json"},
                                 ClientPlace{"VS Code", ".vscode/settings.json"}}; // the last one in older versions

constexpr std::array of_people{ClientPlace{"Claude Code", ".claude.json"},
                               ClientPlace{"Cursor", ".cursor/mcp.json"},
                               ClientPlace{"VS Code", ".config/Code/User/mcp.json"},
                               ClientPlace{"VS Code", ".config/Code/User/settings.json"},
                               ClientPlace{"VS Code", ".config/Code - Insiders/User/mcp.json"},
                               ClientPlace{"VS Code", ".config/VSCodium/User/mcp.json"},
                               ClientPlace{"VS Code", ".vscode-server/data/User/mcp.json"}};

/// Null if it is not there, or twice: which of two is meant depends on the reader.
JsoncMember const* only_member(std::vector<JsoncMember> const& members, std::string_view key) {
    JsoncMember const* found = nullptr;
    for (auto const& member : members) {
        if (member.key != key) continue;
        if (found != nullptr) return nullptr;
        found = &member;
    }
    return found;
}

void add_entries(std::vector<ClientEntry>& out, std::string_view map, std::vector<std::string> const& above,
                 std::string const& project) {
    for (auto const& member : jsonc_members(map)) {
        if (!member.is_object()) continue;
        auto pointer = above;
        pointer.push_back(member.key);
        out.push_back({std::move(pointer), member.value, project});
    }
}

void add_of_projects(std::vector<ClientEntry>& out, std::string_view projects) {
    for (auto const& project : jsonc_members(projects))
        for (auto const& member : jsonc_members(project.value))
            if (member.key == "mcpServers")
                add_entries(out, member.value, {"projects", project.key, "mcpServers"}, project.key);
}

std::string text_under(boost::json::object const& object, char const* key) {
    auto const* const value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

ClientInput input_from(boost::json::object const& object) {
    ClientInput out{
        text_under(object, "id"), text_under(object, "description"), text_under(object, "default"), {}, false};
    auto const* const password = object.if_contains("password");
    out.hidden = password != nullptr && *password == boost::json::value(true);
    auto const* const options = object.if_contains("options");
    if (options == nullptr || !options->is_array()) return out;
    for (auto const& option : options->get_array()) {
        if (option.is_string()) out.options.emplace_back(option.get_string());
        if (option.is_object()) out.options.push_back(text_under(option.get_object(), "value"));
    }
    return out;
}

void add_inputs(std::vector<ClientInput>& out, std::string_view array) {
    boost::json::parse_options loose;
    loose.allow_comments = loose.allow_trailing_commas = true;
    boost::system::error_code bad;
    auto const read = boost::json::parse({array.data(), array.size()}, bad, {}, loose);
    if (bad || !read.is_array()) return;
    for (auto const& one : read.get_array())
        if (one.is_object()) out.push_back(input_from(one.get_object()));
}

std::string pointer_words(std::vector<std::string> const& pointer) {
    std::string out;
    for (auto const& key : pointer) out += (out.empty() ? "" : " > ") + base::printable(base::whole_text(key, 100));
    return out;
}

} // namespace

std::string client_of(std::filesystem::path const& path) {
    auto const is_at = [&](ClientPlace const& place) {
        return path.native().ends_with("/" + std::string(place.below));
    };
    if (auto const* const found = std::find_if(of_people.begin(), of_people.end(), is_at); found != of_people.end())
        return found->client;
    auto const* const found = std::find_if(of_projects.begin(), of_projects.end(), is_at);
    return found != of_projects.end() ? found->client : path.filename().native();
}

std::vector<ClientFile> client_files(std::filesystem::path const& user_home,
                                     std::optional<std::filesystem::path> const& project) {
    std::vector<ClientFile> out;
    auto const look = [&out](std::filesystem::path const& root, auto const& places, bool of_project) {
        for (auto const& place : places) {
            auto const path = (root / place.below).lexically_normal();
            bool const known = std::any_of(out.begin(), out.end(), [&](auto const& file) { return file.path == path; });
            if (std::error_code error; !known && std::filesystem::is_regular_file(path, error))
                out.push_back({place.client, path, of_project});
        }
    };
    if (project && project->lexically_normal() != user_home.lexically_normal()) look(*project, of_projects, true);
    look(user_home, of_people, false);
    return out;
}

Result<std::vector<ClientEntry>> client_servers(std::string_view text) {
    PFAR_TRY(root, jsonc_value(text));
    std::vector<ClientEntry> out;
    for (auto const& member : jsonc_members(root)) {
        if (member.key == "mcpServers" || member.key == "servers") add_entries(out, member.value, {member.key}, "");
        if (member.key == "projects") add_of_projects(out, member.value);
        if (member.key != "mcp") continue;
        for (auto const& inner : jsonc_members(member.value))
            if (inner.key == "servers") add_entries(out, inner.value, {"mcp", "servers"}, "");
    }
    return out;
}

std::vector<ClientInput> client_inputs(std::string_view text) {
    std::vector<ClientInput> out;
    auto const root = jsonc_value(text);
    if (!root) return out;
    for (auto const& member : jsonc_members(*root)) {
        if (member.key == "inputs") add_inputs(out, member.value);
        if (member.key != "mcp") continue;
        for (auto const& inner : jsonc_members(member.value))
            if (inner.key == "inputs") add_inputs(out, inner.value);
    }
    return out;
}

Result<std::string> with_entry(std::string_view text, std::vector<std::string> const& pointer,
                               std::string_view new_object) {
    PFAR_TRY(place, jsonc_value(text));
    PFAR_TRY(object, jsonc_value(new_object));
    if (!object.starts_with('{')) return fail(Errc::invalid, "the server's new entry is no object");
    auto const not_there = [&] {
        return fail(Errc::refused,
                    fmt::format("{} is not in the file exactly once, so nothing was changed; change it by hand",
                                pointer_words(pointer)));
    };
    if (pointer.empty()) return not_there();
    for (auto const& key : pointer) {
        auto const members = jsonc_members(place);
        auto const* const member = only_member(members, key);
        if (member == nullptr || !member->is_object()) return not_there();
        place = member->value;
    }
    auto const begin = static_cast<std::size_t>(place.data() - text.data());
    std::string out(text.substr(0, begin));
    out += object;
    out += text.substr(begin + place.size());
    return out;
}

} // namespace pfar::config
