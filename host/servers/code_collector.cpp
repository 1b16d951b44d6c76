// Everything is judged by canonical paths. Both ends of a link are covered, and so are the links between them.
#include "servers/code_collector.hpp"

#include "base/paths.hpp"
#include "base/text.hpp"
#include "servers/find_command.hpp"
#include "servers/package.hpp"
#include "servers/shebang.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace pfar::servers {
namespace {

namespace fs = std::filesystem;

constexpr int most_interpreters = 4; // an interpreter may be a script itself; the kernel's bound
constexpr std::array code_extensions{".js", ".mjs", ".cjs", ".ts",  ".mts", ".py",  ".rb",
                                     ".pl", ".sh",  ".lua", ".php", ".jar", ".wasm"};

std::string shown(fs::path const& path) {
    return base::printable(path.native());
}

bool is_executable(fs::path const& path) {
    return is_file(path) && ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
}

Error escapes(fs::path const& from, fs::path const& to) {
    return fail(Errc::refused,
                fmt::format("{} leads out of the installed server's directory, to {}; install the server "
                            "again, or name that path itself",
                            shown(from), shown(to)));
}

/// What an installed server may need of the machine beyond the system: a runtime (the base of its venv; never another venv), or a
/// compiled program such as bun or uv. Whatever else its links and scripts name is somebody's files.
bool is_foreign_program(fs::path const& program) {
    auto const prefix = prefix_of(program);
    return prefix ? !prefix->venv : is_binary(program) && !outermost_modules(program);
}

Error not_to_be_shown(fs::path const& path) {
    return fail(Errc::refused, fmt::format("{} lies where no server may look; move the server's code to a directory of "
                                           "its own, such as mcp-servers/NAME in pfar's home directory",
                                           shown(path)));
}

} // namespace

CodeCollector::CodeCollector(CodeQuery const& query)
    : query_(query), bounds_(query.user_home, query.pfar_home, query.writable) {}

Result<void> CodeCollector::add_program(fs::path const& path, int depth) {
    PFAR_TRY(whole_way, follow(path));
    PFAR_TRY(program, in_canonical_directory(path));
    PFAR_TRY(way, follow(program));
    auto const& end = way.end;
    if (!is_executable(end))
        return fail(Errc::invalid, fmt::format("{0} is not executable; run: chmod +x {0}", shown(path)));
    if (!is_system(end) && !bounds_.may_show_file(end)) return not_to_be_shown(end);
    if (strays(whole_way) && !is_foreign_program(end)) return escapes(path, end);

    add_links(way);
    for (auto const& link : way.links)
        if (!bounds_.leaves_installed(program, link.inside)) add_prefix(link.inside, program, false);
    bool const known = add_prefix(end, program, true);
    PFAR_CHECK(add_script({program, end, depth}));
    if (!is_covered(end)) add_tree(end, "the program");
    add_bin(program.parent_path());
    if (known) add_bin(end.parent_path());
    return {};
}

/// A script's own package, and what runs it. A program among node_modules has its libraries there, script or not.
Result<void> CodeCollector::add_script(Place const& place) {
    PFAR_TRY(line, shebang_of(place.end));
    for (auto const& file : {place.program, place.end})
        if (!is_system(file) && (line || outermost_modules(file))) add_package(file);
    if (!line) return {};
    if (place.depth == most_interpreters)
        return fail(Errc::invalid,
                    fmt::format("{} needs an interpreter that is a script itself, and so on; name a program",
                                shown(place.end)));
    bool const by_env = !line->env_name.empty() && is_system(line->interpreter);
    auto added = by_env ? add_env_interpreter(line->env_name, place) : add_interpreter(line->interpreter, place);
    if (!added)
        return fail(added.error().code,
                    fmt::format("{} needs an interpreter: {}", shown(place.end), added.error().what));
    return {};
}

/// The kernel goes by the very words of the line, so every link on that way has to be there.
Result<void> CodeCollector::add_interpreter(fs::path const& interpreter, Place const& place) {
    PFAR_TRY(found, find_command(interpreter.native(), "", query_.user_home));
    PFAR_TRY(way, follow(found));
    if (bounds_.leaves_installed(place.end, way.end) && !is_foreign_program(way.end))
        return escapes(place.end, way.end);
    if (found == interpreter) {
        add_links(way);
    } else { // a version manager's stand-in
        PFAR_TRY(stand_in, in_canonical_directory(interpreter));
        code_.links.push_back({stand_in, found.native()});
    }
    return add_program(found, place.depth + 1);
}

Result<void> CodeCollector::add_env_interpreter(std::string const& name, Place const& place) {
    auto const own =
        prefix_of(place.program) ? place.program.parent_path().native() + ":" : ""; // nvm's npx: nvm's node
    PFAR_TRY(found, find_command(name, own + query_.search_path, query_.user_home));
    PFAR_TRY(way, follow(found));
    if (bounds_.leaves_installed(place.end, way.end) && !is_foreign_program(way.end))
        return escapes(place.end, way.end);
    return add_program(found, place.depth + 1);
}

/// True if `program` belongs to a runtime, which is covered now: its prefix, or the parts of one that may not be shown whole.
bool CodeCollector::add_prefix(fs::path const& program, fs::path const& from, bool with_parts) {
    if (is_system(program)) return false;
    auto const prefix = prefix_of(program);
    if (!prefix || (prefix->venv && bounds_.leaves_installed(from, prefix->root))) return false;
    bool const whole = bounds_.may_show_tree(prefix->root);
    if (!whole && !with_parts && !prefix->venv) return false;
    if (!prefixes_.insert(prefix->root).second) return true;
    auto const name = shown(program.filename());
    if (whole)
        add_tree(prefix->root, prefix->venv ? "virtual environment of " + name : name + "'s own prefix");
    else
        add_parts(*prefix);
    if (!prefix->base) return true;
    if (auto const base = follow(*prefix->base)) {
        add_links(*base);
        add_prefix(base->end / "python", prefix->root / "pyvenv.cfg", true);
    }
    return true;
}

/// ~/.local and the like: not the directory, but the libraries in it.
void CodeCollector::add_parts(Prefix const& prefix) {
    std::error_code error;
    bool const user_base = prefix.root == fs::weakly_canonical(query_.user_home / ".local", error);
    for (auto const& part : prefix.parts) {
        auto const way = follow(part);
        if (!way || strays(*way) || !bounds_.may_show_tree(way->end)) continue;
        add_links(*way);
        add_tree(way->end, "libraries in " + shown(prefix.root));
        if (user_base && part.filename().native().starts_with("python") && code_.environment.empty())
            code_.environment.emplace_back("PYTHONUSERBASE", prefix.root.native()); // it goes by HOME otherwise
    }
}

Result<std::string> CodeCollector::add_argument(std::string const& argument) {
    if (!argument.starts_with('/') || !is_file(argument)) return argument;
    auto const whole_way = follow(argument);
    auto const place = in_canonical_directory(argument);
    auto const way = place ? follow(*place) : place.error();
    if (!whole_way || !way || !is_file(way->end) || is_system(way->end) || bounds_.is_elsewhere(way->end))
        return argument;
    if (query_.rule == ArgRule::scripts_only && !is_code(way->end)) return argument;
    if (!bounds_.may_show_file(way->end)) return not_to_be_shown(way->end);
    if (strays(*whole_way)) return escapes(argument, way->end);

    add_links(*way);
    if (*place != way->end) add_package(*place);
    if (!add_package(way->end) && !is_covered(way->end))
        code_.roots.push_back({way->end, "argument " + shown(way->end.filename())});
    if (code_.roots.size() > most_roots)
        return fail(Errc::invalid,
                    fmt::format("the arguments name more than {} places of code; give the server fewer, or "
                                "a directory by [access] fs",
                                most_roots));
    return place->native();
}

Result<void> CodeCollector::add_extra(fs::path const& path) {
    auto const way = follow(path);
    if (!way) return fail(way.error().code, way.error().what + "; mend [server] code");
    if (is_system(way->end)) return {};
    if (strays(*way)) return escapes(path, way->end);
    std::error_code error;
    bool const tree = fs::is_directory(way->end, error);
    if (tree ? !bounds_.may_show_tree(way->end) : !bounds_.may_show_file(way->end))
        return fail(Errc::refused, fmt::format("[server] code names {}, which no server may see as a whole; name the "
                                               "directory of the code in it",
                                               shown(way->end)));
    if (!tree && !is_file(way->end))
        return fail(Errc::invalid, shown(way->end) + " is neither a file nor a directory; mend [server] code");
    add_tree(way->end, "[server] code");
    add_links(*way);
    return {};
}

Result<Code> CodeCollector::finish() {
    for (std::size_t i = 0; i < code_.roots.size() && i < most_roots; ++i) {
        auto const root = code_.roots[i].path; // a copy: the list grows
        std::error_code error;
        if (root.filename() == "node_modules") add_linked_packages(root);
        if (fs::is_directory(root / "node_modules", error)) add_linked_packages(root / "node_modules");
    }
    auto& roots = code_.roots;
    std::sort(roots.begin(), roots.end(), [](auto const& a, auto const& b) { return a.path < b.path; });
    std::vector<CodeRoot> kept; // what holds others comes before them
    for (auto& root : roots)
        if (kept.empty() || !base::lies_in(root.path, kept.back().path)) kept.push_back(std::move(root));
    roots = std::move(kept);
    if (roots.size() > most_roots)
        return fail(Errc::invalid, fmt::format("the server's code is in more than {} places; bring it together in one "
                                               "directory",
                                               most_roots));
    tidy_links();
    return std::move(code_);
}

/// One link of a place, and none where it is there anyway.
void CodeCollector::tidy_links() {
    auto& links = code_.links;
    std::stable_sort(links.begin(), links.end(), [](auto const& a, auto const& b) { return a.inside < b.inside; });
    auto const same = [](auto const& a, auto const& b) { return a.inside == b.inside; };
    links.erase(std::unique(links.begin(), links.end(), same), links.end());
    std::erase_if(links, [&](auto const& link) {
        return is_system(link.inside) || is_covered(link.inside) || base::lies_in(link.inside, "/etc/alternatives") ||
               base::lies_in(link.inside, "/proc");
    });
}

void CodeCollector::add_links(Followed const& way) {
    code_.links.insert(code_.links.end(), way.links.begin(), way.links.end());
}

void CodeCollector::add_tree(fs::path const& path, std::string why) {
    if (!is_system(path) && !is_covered(path)) code_.roots.push_back({path, std::move(why)});
}

void CodeCollector::add_bin(fs::path const& directory) {
    auto& all = code_.bin_dirs;
    if (!is_system(directory) && std::find(all.begin(), all.end(), directory) == all.end()) all.push_back(directory);
}

bool CodeCollector::is_code(fs::path const& file) const {
    if (bounds_.holds_keys(file)) return false;
    return std::find(code_extensions.begin(), code_extensions.end(), file.extension()) != code_extensions.end() ||
           is_executable(file);
}

bool CodeCollector::strays(Followed const& way) const {
    return std::any_of(way.links.begin(), way.links.end(),
                       [&](auto const& link) { return bounds_.leaves_installed(link.inside, way.end); });
}

bool CodeCollector::is_covered(fs::path const& path) const {
    return std::any_of(code_.roots.begin(), code_.roots.end(),
                       [&](auto const& root) { return base::lies_in(path, root.path); });
}

} // namespace pfar::servers
