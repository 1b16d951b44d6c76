// Where Claude Code, Cursor and VS Code keep their servers, and one of them exchanged in such a file with everything else left as it was, comments and all.
#pragma once

#include <pfar/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::config {

struct ClientFile {
    std::string client; // "Claude Code", "Cursor", "VS Code"
    std::filesystem::path path;
    bool project = false; // of the project, not of the person
};

/// Those that are there, the project's first; no project: the person's alone. [may block]
std::vector<ClientFile> client_files(std::filesystem::path const& user_home,
                                     std::optional<std::filesystem::path> const& project);

/// Whose such a file is, by where it lies; its own name where that does not tell. Pure. [any thread]
std::string client_of(std::filesystem::path const& path);

/// A server in such a file.
struct ClientEntry {
    std::vector<std::string> pointer; // keys down to its object
    std::string_view json;            // its own text, a view of the file's: it may hold secrets, so it is not copied
    std::string project{};            // that it is for, by Claude Code's own file; empty: every one
    [[nodiscard]] std::string const& name() const { return pointer.back(); }
};

/// In their order: mcpServers and projects.PATH.mcpServers (Claude Code, Cursor), servers and mcp.servers (VS Code). Empty if it names none.
/// Errc::invalid if the text is not JSON, as editors permit it. Pure. [any thread]
Result<std::vector<ClientEntry>> client_servers(std::string_view text);

/// What VS Code asks for before it starts a server: ${input:ID}.
struct ClientInput {
    std::string id, description, fallback;
    std::vector<std::string> options; // none: whatever one types
    bool hidden = false;              // a credential
};
/// Of `inputs`, or `mcp.inputs` in settings. What cannot be read there is left out. Pure. [any thread]
std::vector<ClientInput> client_inputs(std::string_view text);

/// The text with exactly that object exchanged. Errc::refused if it is not there exactly once. Pure. [any thread]
Result<std::string> with_entry(std::string_view text, std::vector<std::string> const& pointer,
                               std::string_view new_object);

} // namespace pfar::config
