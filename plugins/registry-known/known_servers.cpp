// Merges the two places and answers from the result.
#include "known_servers.hpp"

#include "template_file.hpp"
#include "template_names.hpp"
#include "template_search.hpp"

#include <algorithm>
#include <map>

namespace pfar::registry_known {

namespace {

using ByName = std::map<std::string, KnownServer>;

struct Known {
    ByName servers;
    std::vector<LeftOut> left_out;
};

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

Result<Known> known_below(std::filesystem::path const& dir) {
    Known out;
    PFAR_TRY(files, toml_files(dir));
    for (auto const& file : files) {
        auto read = read_templates(file);
        for (auto& left : read.left_out) out.left_out.push_back(std::move(left));
        for (auto& server : read.servers) {
            auto const names = names_of(server);
            if (!out.servers.emplace(names[0], std::move(server)).second)
                out.left_out.push_back(
                    {names, fail(Errc::conflict, file.string() + " has " + names[0] + ", and another file in " +
                                                     dir.string() + " has it too; remove one")});
        }
    }
    return out;
}

/// Nothing else stands in for what is left out, by none of its names.
void take_out(LeftOut& left, ByName& servers) {
    auto const names = left.names;
    for (auto const& name : names) {
        auto const found = servers.find(folded(name));
        if (found == servers.end()) continue;
        auto const& aliases = found->second.aliases;
        left.names.insert(left.names.end(), aliases.begin(), aliases.end());
        servers.erase(found);
    }
}

Result<Known> all_known(std::filesystem::path const& shipped, std::filesystem::path const& own) {
    PFAR_TRY(known, known_below(own));
    PFAR_TRY(others, known_below(shipped));
    if (!others.left_out.empty()) return others.left_out[0].why;
    if (others.servers.empty()) return fail(Errc::io, shipped.string() + " has no templates; install pfar again");
    known.servers.merge(others.servers); // the owner's stay
    for (auto& left : known.left_out) take_out(left, known.servers);
    return known;
}

} // namespace

Result<void> KnownServers::configure(PluginContext const& context) {
    PFAR_CHECK(only(context.settings, {}));
    shipped_ = context.share / "templates";
    own_ = context.home / "templates";
    return {};
}

Result<KnownServer> KnownServers::find(std::string const& name) const {
    PFAR_TRY(known, all_known(shipped_, own_));
    auto const wanted = folded(name);
    for (auto const& left : known.left_out)
        for (auto const& one : left.names)
            if (folded(one) == wanted) return left.why;
    if (auto const found = known.servers.find(wanted); found != known.servers.end()) return found->second;
    for (auto const& [key, server] : known.servers)
        if (is_called(server, wanted)) return server;
    return fail(Errc::not_found, "no template is called " + name + "; put one of your own into " + own_.string());
}

Result<std::vector<KnownServer>> KnownServers::search(std::string const& words) const {
    PFAR_TRY(servers, list());
    return matching(servers, words);
}

Result<std::vector<KnownServer>> KnownServers::list() const {
    PFAR_TRY(known, all_known(shipped_, own_));
    std::vector<KnownServer> sorted;
    for (auto& [name, server] : known.servers) sorted.push_back(std::move(server));
    return sorted;
}

Result<std::vector<Error>> KnownServers::left_out() const {
    PFAR_TRY(known, all_known(shipped_, own_));
    std::vector<Error> out;
    for (auto& left : known.left_out) out.push_back(std::move(left.why));
    return out;
}

} // namespace pfar::registry_known
