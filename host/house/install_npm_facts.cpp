// The lock file says what came from the registry; the package's own description says how it is started.
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "house/install_npm.hpp"
#include "house/install_outside.hpp"
#include "servers/find_command.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t most_lock = std::size_t{64} << 20U;
constexpr std::size_t most_description = std::size_t{4} << 20U;

/// "esbuild@0.25.0: postinstall", for each that has scripts and is there.
std::vector<std::string> scripts_in(fs::path const& root, json::object const& packages) {
    std::vector<std::string> out;
    for (auto const& [place, value] : packages) {
        auto const* const package = value.if_object();
        auto const* const has = package != nullptr ? package->if_contains("hasInstallScript") : nullptr;
        if (has == nullptr || !has->is_bool() || !has->get_bool()) continue;
        auto const directory = root / std::string(place);
        auto const description = read_description(root, directory / "package.json", most_description);
        if (!description) continue; // for another kind of machine
        std::vector<std::string_view> names;
        auto const* const scripts = object_in(*description, "scripts");
        for (std::string_view const name : {"preinstall", "install", "postinstall"})
            if (scripts != nullptr && scripts->contains(name)) names.push_back(name);
        std::error_code error;
        if (names.empty() && fs::exists(fs::symlink_status(directory / "binding.gyp", error)))
            names.emplace_back("node-gyp rebuild");
        if (names.empty()) names.emplace_back("install");
        std::string_view const whole = place;
        auto const own =
            whole.substr(whole.rfind("node_modules/") == whole.npos ? 0 : whole.rfind("node_modules/") + 13);
        out.push_back(
            base::printable(fmt::format("{}@{}: {}", own, text_in(*package, "version"), base::listed(names))));
    }
    return out;
}

/// What the package calls its programs, and their files in it.
std::map<std::string, std::string> programs_in(json::object const& description, std::string const& package) {
    std::map<std::string, std::string> out;
    if (auto const only = text_in(description, "bin"); !only.empty()) out.emplace(last_part(package), only);
    if (auto const* const all = object_in(description, "bin"))
        for (auto const& [name, file] : *all)
            if (file.is_string()) out.emplace(name, file.get_string());
    return out;
}

/// What follows "node" in `#!/usr/bin/env -S node --flag`; none if it is not for node.
std::optional<std::vector<std::string>> node_flags(std::string_view first_line) {
    std::vector<std::string> words;
    for (auto rest = first_line.substr(2); !rest.empty();) {
        auto const begin = std::min(rest.find_first_not_of(" \t\r"), rest.size());
        rest.remove_prefix(begin);
        auto const word = rest.substr(0, rest.find_first_of(" \t\r"));
        if (!word.empty()) words.emplace_back(word);
        rest.remove_prefix(word.size());
    }
    auto const node = std::find_if(words.begin(), words.end(), [](auto const& word) {
        return fs::path(word).filename() == "node" || word == "nodejs";
    });
    if (node == words.end()) return std::nullopt;
    return std::vector<std::string>(node + 1, words.end());
}

/// A package may say how node has to run it, and not what else is named on its command line: what that names is shown to it.
bool is_plain_flag(std::string const& word) {
    return word.size() > 2 && word.starts_with("--") &&
           word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=,") == word.npos;
}

/// Flags for node in front of the file; none if the file is a program by itself.
Result<std::optional<std::vector<std::string>>> how_node_runs(fs::path const& file) {
    base::Fd const fd{::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
    char buffer[256];
    auto const got = fd ? ::read(fd.number(), buffer, sizeof buffer) : -1;
    if (got < 0) return fail(Errc::invalid, fmt::format("{} cannot be read", base::printable(file.native())));
    std::string_view const begin(buffer, static_cast<std::size_t>(got));
    using Flags = std::optional<std::vector<std::string>>;
    if (begin.starts_with("\x7f"
                          "ELF"))
        return Flags();
    auto const extension = file.extension();
    bool const script = extension == ".js" || extension == ".mjs" || extension == ".cjs";
    if (!begin.starts_with("#!")) return Flags(std::in_place);
    auto flags = node_flags(begin.substr(0, begin.find('\n')));
    if (!flags && script) flags.emplace();
    if (flags && !std::all_of(flags->begin(), flags->end(), is_plain_flag))
        return fail(Errc::unsupported,
                    fmt::format("it wants to be started by \"{}\", and a package may give node only flags such as "
                                "--no-warnings; nothing was installed",
                                base::printable(std::string(begin.substr(2, begin.find('\n') - 2)))));
    return flags;
}

/// In a server file ${ would be the beginning of a variable.
std::string plain_text(std::string text) {
    for (auto at = text.find("${"); at != std::string::npos; at = text.find("${", at + 3)) text.insert(at, "$");
    return text;
}

Result<void> add_entry(Installed& out, InstallJob const& job, fs::path const& package_directory, fs::path const& root) {
    auto const& package = job.wish.package;
    PFAR_TRY(description, read_description(root, package_directory / "package.json", most_description));
    PFAR_TRY(named, program_of(programs_in(description, package.name), job.wish));
    auto const below = fs::path(named).lexically_normal();
    auto const file = inside_of(package_directory, package_directory / below.relative_path());
    std::error_code error;
    if (!file || *below.begin() == ".." || !fs::is_regular_file(*file, error))
        return fail(Errc::invalid, fmt::format("{} says that it starts from {}, which is no file of its own",
                                               package.name, base::printable(named)));
    PFAR_TRY(flags, how_node_runs(*file));
    auto const part = file->lexically_relative(root).native();
    if (!flags) {
        out.command = (out.directory / part).native();
        return {};
    }
    PFAR_TRY(node, servers::find_command("node", search_path_of(job.owner), job.owner.user_home));
    out.command = node.native();
    out.args = std::move(*flags);
    out.args.push_back(fmt::format("${{PFAR_HOME}}/mcp-servers/{}/{}", job.wish.server, plain_text(part)));
    return {};
}

} // namespace

Result<Installed> npm_facts(InstallJob const& job) {
    auto const& package = job.wish.package;
    std::error_code error;
    auto const root = fs::canonical(job.staging, error);
    if (error) return fail(Errc::io, fmt::format("{} is gone", base::printable(job.staging.native())));
    PFAR_TRY(lock, read_description(root, root / "package-lock.json", most_lock));
    auto const* const packages = object_in(lock, "packages");
    auto const place = "node_modules/" + package.name;
    auto const* const own = packages != nullptr ? object_in(*packages, place) : nullptr;
    if (own == nullptr) return fail(Errc::io, fmt::format("npm has not installed {}", package.name));
    Installed out;
    out.directory = job.owner.pfar_home / "mcp-servers" / job.wish.server;
    out.version = text_in(*own, "version");
    out.integrity = text_in(*own, "integrity");
    if (out.version.empty() || (!package.version.empty() && out.version != package.version))
        return fail(Errc::refused, fmt::format("npm installed version {} of {}, not {}; nothing was installed",
                                               base::printable(out.version), package.name, package.version));
    if (out.integrity.empty())
        return fail(Errc::refused,
                    fmt::format("the registry does not say what {} has to be (no integrity); nothing was "
                                "installed",
                                package.name));
    auto const directory = inside_of(root, root / place);
    if (!directory || *directory != root / place)
        return fail(Errc::invalid, fmt::format("{} was not installed as a directory of its own", package.name));
    PFAR_CHECK(add_entry(out, job, *directory, root));
    out.skipped_scripts = scripts_in(root, *packages);
    return out;
}

} // namespace pfar::house
