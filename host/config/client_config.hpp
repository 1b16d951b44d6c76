// A client's configuration as people paste it: which servers it names, as that client would start them.
//
// {"mcpServers": {...}} (Claude, Cursor, Windsurf), {"servers": {...}} (VS Code), {"mcp": {...}}, {"context_servers": {...}} (Zed), a map of servers, the
// inside of one, or one server alone; with comments and commas at the end, as VS Code permits.
#pragma once

#include <pfar/result.hpp>
#include <pfar/secret.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pfar::config {

struct ClientServer {
    std::string name; // as it stood there; empty for a server alone
    std::string command;
    std::vector<std::string> args;
    std::vector<std::pair<std::string, Secret>> env; // any of them may be one
    std::string cwd, description;
    std::string env_file{}; // VS Code, Cursor: a .env file with more of env, which wins over it
    bool disabled = false;
    std::vector<std::string> left_out{}; // sentences: what was there and is not taken over
};

/// What left_out says of an env_file, for whoever does not read it.
inline constexpr char const* env_file_left_out =
    "envFile is left out; pfar import FILE, with the client's own file, takes its values over too";

inline constexpr std::size_t most_client_config = 1U << 20U;

/// At least one. Errc::invalid says what is wrong and where, and never repeats a value; Errc::unsupported for a remote server. Everything that the
/// text is taken apart into is wiped. Pure. [any thread]
Result<std::vector<ClientServer>> read_client_config(std::string_view json);

/// A valid server name as near to this one as can be: "GitHub_MCP" -> "github-mcp". Empty if nothing is left of it.
std::string near_server_name(std::string_view name);

} // namespace pfar::config
