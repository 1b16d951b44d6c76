// A file that is written needs its folder: servers put a new file in its place, which a grant of the file alone would not let them.
#include "house/import_grants.hpp"

#include "base/paths.hpp"
#include "base/text.hpp"
#include "house/client_words.hpp"
#include "servers/root_files.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t longest_path = 4096;

fs::path without_slash(fs::path const& path) {
    auto const plain = path.lexically_normal();
    return plain.has_filename() || plain == plain.root_path() ? plain : plain.parent_path();
}

/// What may be granted, and the question about it.
struct Place {
    fs::path to_read, to_write;
    std::string prompt;
    char const* usual = "read";
    bool runs = false; // what lies in it
};

class GrantQuestions {
public:
    GrantQuestions(Granting const& granting, config::ClientServer& wanted, config::ServerSpec& spec)
        : granting_(granting), places_(granting.places), wanted_(wanted), spec_(spec) {}

    Result<void> ask_all() {
        PFAR_CHECK(ask_directory());
        for (auto& argument : wanted_.args) {
            auto const path = path_in(argument);
            std::error_code error;
            if (!path || !fs::is_directory(*path, error)) continue;
            if (argument.starts_with("~/")) argument = path->native();
            if (is_out_of_question(*path)) continue;
            PFAR_CHECK(ask(
                {*path, *path, fmt::format("It is given {}. What may it do there?", shown(*path)), usual_for(*path)}));
        }
        for (auto& [variable, value] : wanted_.env) {
            auto const path = path_in(value.reveal());
            if (!path || is_left_alone(*path)) continue;
            auto const place = place_of(*path, base::printable(variable));
            if (!place) continue;
            if (value.reveal().starts_with("~/")) value = Secret(path->native());
            PFAR_CHECK(ask(*place));
        }
        return {};
    }

private:
    static std::string shown(fs::path const& path) { return base::printable(path.native()); }

    [[nodiscard]] std::string in_full(std::string_view text) const {
        return text.starts_with("~/") ? (places_.user_home / text.substr(2)).native() : std::string(text);
    }

    [[nodiscard]] std::optional<fs::path> path_in(std::string_view text) const {
        if (text.size() > longest_path || !(text.starts_with('/') || text.starts_with("~/"))) return {};
        if (text.find("${") != text.npos || text.find('\0') != text.npos) return {};
        return without_slash(in_full(text));
    }

    /// Where it starts: without it there it starts in its own.
    Result<void> ask_directory() {
        if (wanted_.cwd.empty()) return {};
        auto const cwd = without_slash(places_.directory / in_full(wanted_.cwd));
        std::error_code error;
        bool const may_ask = fs::is_directory(cwd, error) && !is_out_of_question(cwd);
        if (may_ask)
            PFAR_CHECK(ask(
                {cwd, cwd, fmt::format("It starts in {}. What may it do there?", shown(cwd)), usual_for(cwd), true}));
        if (is_granted(cwd, false)) return {};
        granting_.setting.talk.say(
            fmt::format("  {}, so it starts in a directory of its own.",
                        may_ask ? "It does not see that" : shown(cwd) + " is no directory that it may see"));
        leave(cwd);
        return {};
    }

    /// What it names from there is named in full.
    void leave(fs::path const& cwd) {
        auto const settle = [&](std::string& text) {
            std::error_code error;
            bool const is_name = text.find('/') != text.npos || text.find('.') != text.npos;
            bool const relative = !text.empty() && std::string_view("-/~$").find(text[0]) == std::string_view::npos;
            if (is_name && relative && text.size() < longest_path && fs::exists(cwd / text, error))
                text = (cwd / text).lexically_normal().native();
        };
        if (wanted_.command.find('/') != std::string::npos) settle(wanted_.command);
        for (auto& argument : wanted_.args) settle(argument);
        wanted_.cwd.clear();
    }

    /// No server is shown all there is, or what is pfar's.
    [[nodiscard]] bool is_out_of_question(fs::path const& path) const {
        if (path != "/" && !base::lies_in(path, places_.home)) return false;
        granting_.setting.talk.say(fmt::format("  It is given {}, which no server is shown.", shown(path)));
        return true;
    }

    [[nodiscard]] char const* usual_for(fs::path const& folder) const {
        return holds_too_much(folder) ? "nothing" : "read";
    }

    /// Folders that hold much else: a file in them is no reason to show them.
    [[nodiscard]] bool holds_too_much(fs::path const& folder) const {
        return base::lies_in(places_.user_home, folder) || base::lies_in(places_.home, folder);
    }

    [[nodiscard]] bool is_left_alone(fs::path const& path) const {
        constexpr std::array system{"/etc", "/tmp", "/var/tmp", "/var/run", "/run", "/proc", "/sys", "/dev", "/boot"};
        if (path == "/" || base::lies_in(path, places_.home)) return true;
        if (base::lies_in(path, places_.user_home)) return false;
        return servers::is_system(path) || std::any_of(system.begin(), system.end(), [&](auto const* directory) {
                   return base::lies_in(path, directory);
               });
    }

    std::optional<Place> place_of(fs::path const& path, std::string const& variable) const {
        std::error_code error;
        auto const status = fs::status(path, error);
        if (fs::is_directory(status))
            return Place{path, path, fmt::format("It is given {} as {}. What may it do there?", shown(path), variable),
                         usual_for(path)};
        if (fs::is_regular_file(status)) return place_of_file(path, variable);
        if (status.type() != fs::file_type::not_found) return {};
        return place_of_missing(path, variable);
    }

    [[nodiscard]] Place place_of_file(fs::path const& path, std::string const& variable) const {
        auto const folder = path.parent_path();
        auto const given = fmt::format("It is given the file {} as {}. What may it do with it?", shown(path), variable);
        if (holds_too_much(folder))
            return {path, path,
                    fmt::format("{} It gets the file alone, because {} holds much else; if it puts a new file in its "
                                "place, as many servers do, it needs one in a folder of its own",
                                given, shown(folder))};
        return {path, folder,
                fmt::format("{} To write it, it gets all of its folder {}, because many servers put a new file in its "
                            "place",
                            given, shown(folder))};
    }

    std::optional<Place> place_of_missing(fs::path const& path, std::string const& variable) const {
        auto const folder = path.parent_path();
        std::error_code error;
        if (!fs::is_directory(folder, error)) return {};
        if (!holds_too_much(folder))
            return Place{folder, folder,
                         fmt::format("It is given {} as {}, which is not there yet. What may it do in its folder {}?",
                                     shown(path), variable, shown(folder))};
        if (folder == places_.user_home)
            granting_.setting.talk.say(fmt::format("  It is given {} as {}, which is not there, and all of {} is too "
                                                   "much to show: it will not see it. Let it be in a folder of its own",
                                                   shown(path), variable, shown(folder)));
        return {};
    }

    [[nodiscard]] bool is_granted(fs::path const& path, bool writes) const {
        if (!spec_.access) return false;
        auto const& files = spec_.access->files;
        return std::any_of(files.begin(), files.end(), [&](auto const& grant) {
            return base::lies_in(path, grant.path) && (grant.rights.writes() || !writes);
        });
    }

    Result<void> ask(Place const& place) {
        if (!asked_.emplace(place.to_read, place.to_write).second || is_granted(place.to_write, true)) return {};
        bool const is_seen = is_granted(place.to_read, false);
        json::array choices{"read and write", "read"};
        if (!is_seen) choices.emplace_back("nothing");
        json::object const wish{{"name", "grant"},
                                {"prompt", place.prompt},
                                {"choices", std::move(choices)},
                                {"default", is_seen ? "read" : place.usual}};
        PFAR_TRY(may, granting_.verbs.run("ask", {wish}));
        bool const writes = may.value == "read and write";
        if (may.value == "nothing" || (is_seen && !writes)) return {};
        if (!spec_.access) spec_.access.emplace();
        spec_.access->files.push_back(
            {writes ? place.to_write : place.to_read, Rights{true, writes, writes, writes, place.runs}});
        return {};
    }

    Granting const& granting_;
    config::Places const& places_;
    config::ClientServer& wanted_;
    config::ServerSpec& spec_;
    std::set<std::pair<fs::path, fs::path>> asked_;
};

} // namespace

Result<void> ask_grants(Granting const& granting, config::ClientServer& wanted, config::ServerSpec& spec) {
    return GrantQuestions(granting, wanted, spec).ask_all();
}

} // namespace pfar::house
