// SandboxPolicy: everything one process may see and use, as data. What is not in it must not be there.
//
// The host makes it from a server file; a backend enforces it. Paths are absolute and canonical, `~` and symlinks are resolved.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pfar {

enum class Promise : std::uint8_t { files, network, processes, environment, syscalls, limits };
inline constexpr std::array<char const*, 6> promise_names{"files",       "network",  "processes",
                                                          "environment", "syscalls", "limits"};

/// How far a promise is kept. `sampled` (limits only): watched and ended after the fact.
enum class Level : std::uint8_t { no, sampled, yes };

inline char const* level_word(Level level) {
    return level == Level::yes ? "yes" : level == Level::sampled ? "sampled" : "no";
}

struct Guarantees {
    std::array<Level, promise_names.size()> levels{};
    std::string why; // what is missing and how to get it; empty if nothing is

    Level& operator[](Promise promise) { return levels[static_cast<std::size_t>(promise)]; }
    Level operator[](Promise promise) const { return levels[static_cast<std::size_t>(promise)]; }
};

struct Rights {
    bool read = false, create = false, update = false, remove = false, execute = false;

    [[nodiscard]] bool writes() const { return create || update || remove; }
};

/// One path of the machine shown inside. The most specific grant for a path wins.
struct Grant {
    std::filesystem::path host, inside;
    Rights rights;
    std::string why; // "system", "code", "grant in notion.toml": shown by `pfar plan`
};

/// A symbolic link that exists only inside, such as /bin -> usr/bin.
struct Link {
    std::filesystem::path inside;
    std::string target;

    bool operator==(Link const&) const = default;
};

/// A file that exists only inside, such as /etc/passwd with the server's user. Read-only.
struct MadeFile {
    std::filesystem::path inside;
    std::string content;
};

/// Where credential files are put: 0400, the server's own, on a tmpfs that is nobody else's.
inline constexpr char const* secrets_inside = "/run/auth";

/// Without `egress` there is no network at all. With it, the shim listens inside and hands the listeners to the host.
struct Network {
    bool egress = false;
    std::uint16_t proxy_port = 0;
    bool transparent = false;         // also 443, 80, DNS and `ports`, for programs that ignore proxy variables
    std::vector<std::uint16_t> ports; // further ports that allowed_domains names
};

/// Who the process is. `kernel_uid` is set when the host is root: then the process must run as that uid outside as well.
struct Identity {
    uid_t uid = 0;
    gid_t gid = 0;
    std::string user;
    std::optional<uid_t> kernel_uid;
};

/// 0 means no limit.
struct Limits {
    std::uint64_t memory = 0, processes = 0, descriptors = 0, tmp_bytes = 0, shm_bytes = 0;
};

struct SandboxPolicy {
    std::string server; // for messages and for naming what is made
    std::vector<Grant> grants;
    std::vector<Link> links;
    std::vector<std::filesystem::path> masked; // directories below a grant that are shown empty, whatever is in them
    std::vector<MadeFile> made_files;
    std::uint64_t secret_bytes = 0; // not 0: a private tmpfs of this size at secrets_inside, for the shim to fill
    Network network;
    Identity identity;
    Limits limits;
    bool no_unix_sockets = false;  // something of the machine is granted, and a socket in it must not be a way out
    bool read_only_root = true;    // false: a private writable layer of tmp_bytes, discarded at the end
    std::filesystem::path console; // its terminal, shown as /dev/console so that it has a name inside; may be empty
    bool private_tmp = true;       // false: /tmp is empty and read-only
    std::filesystem::path scratch; // in place of a private /tmp, where a backend cannot make one; may be empty
    std::optional<std::vector<std::filesystem::path>> commands; // set: only these may be executed, besides the program
    std::vector<Promise> require;                               // a backend that cannot keep one of these refuses
};

/// What runs inside. The environment here is the whole of it but for secrets, which no backend ever sees.
struct Command {
    std::filesystem::path program;
    std::vector<std::string> args;
    std::filesystem::path cwd;
    std::vector<std::pair<std::string, std::string>> environment;
};

} // namespace pfar
