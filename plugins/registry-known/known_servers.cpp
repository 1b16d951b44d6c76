// Merges the two places and answers from the result.
#include "known_servers.hpp"

#include "template_file.hpp"
#include "template_search.hpp"

#include <algorithm>
#include <map>

namespace pfar::registry_known {

namespace {

using ByName = std::map<std::string, KnownServer>;

// Sorted, so that messages do not depend on the directory's order. No directory: no files.
Result<std::vector<std::filesystem::path>> toml_files(std::filesystem::path const& dir) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    std::filesystem::directory_iterator at(dir, error);
    if (error == std::errc::no_such_file_or_directory) return files;
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error))
        if (at->path().extension() == ".toml") files.push_back(at->path());
    if (error) return fail(Errc::io, dir.string() + " cannot be read: " + error.message());
    std::sort(files.begin(), files.end());
    return files;
}

Result<ByName> servers_below(std::filesystem::path const& dir) {
    ByName servers;
    PFAR_TRY(files, toml_files(dir));
    for (auto const& file : files) {
        PFAR_TRY(read, read_templates(file));
        for (auto& server : read) {
            auto const name = server.name;
            if (!servers.emplace(name, std::move(server)).second)
                return fail(Errc::conflict, file.string() + " has " + name + ", and another file in " + dir.string() +
                                                " has it too; remove one");
        }
    }
    return servers;
}

Result<ByName> all_servers(std::filesystem::path const& shipped, std::filesystem::path const& own) {
    PFAR_TRY(servers, servers_below(own));
    PFAR_TRY(known, servers_below(shipped));
    if (known.empty()) return fail(Errc::io, shipped.string() + " has no templates; install pfar again");
    servers.merge(known); // the owner's stay
    return servers;
}

} // namespace

Result<void> KnownServers::configure(PluginContext const& context) {
    PFAR_CHECK(only(context.settings, {}));
    shipped_ = context.share / "templates";
    own_ = context.home / "templates";
    return {};
}

Result<KnownServer> KnownServers::find(std::string const& name) const {
    PFAR_TRY(servers, all_servers(shipped_, own_));
    auto const wanted = folded(name);
    if (auto const found = servers.find(wanted); found != servers.end()) return found->second;
    for (auto const& [key, server] : servers)
        if (is_called(server, wanted)) return server;
    return fail(Errc::not_found, "no template is called " + name + "; put one of your own into " + own_.string());
}

Result<std::vector<KnownServer>> KnownServers::search(std::string const& words) const {
    PFAR_TRY(servers, list());
    return matching(servers, words);
}

Result<std::vector<KnownServer>> KnownServers::list() const {
    PFAR_TRY(servers, all_servers(shipped_, own_));
    std::vector<KnownServer> sorted;
    for (auto& [name, server] : servers) sorted.push_back(std::move(server));
    return sorted;
}

} // namespace pfar::registry_known
