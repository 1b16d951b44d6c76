// What every sandbox's root has, whatever runs in it: the system's own directories, the harmless part of /etc, and made files in
// place of the rest of it.
#pragma once

#include <pfar/result.hpp>
#include <pfar/sandbox_policy.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace pfar::servers {

struct SystemFiles {
    std::vector<Grant> grants;
    std::vector<Link> links;
};

/// What of the system this machine has: read and execute for programs and libraries, read for /etc. Private keys below /etc/ssl
/// and /etc/pki are not among it. `machine` is where the machine's root is looked at. [any thread, may block]
SystemFiles system_grants(std::filesystem::path const& machine = "/");

/// True for what system_grants() shows in every sandbox: /usr, /bin, /sbin, /lib*. `path` is lexically normal. Pure.
bool is_system(std::filesystem::path const& path);

struct RootFacts {
    Identity identity;
    std::filesystem::path home; // inside
    std::string hostname;
    bool transparent = false; // the shim answers DNS at 127.0.0.1
};

/// passwd, group, hosts, nsswitch.conf, resolv.conf, hostname and machine-id (random, new each time). Names that would break a
/// line or a field are made harmless. [any thread]
Result<std::vector<MadeFile>> made_files(RootFacts const& facts);

} // namespace pfar::servers
