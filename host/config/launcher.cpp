// What is run is found behind the programs that only run another one; then its own name and first word decide.
#include "config/launcher.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

namespace pfar::config {
namespace {

using Line = std::vector<std::string>;

/// "C:\\x\\npx.cmd" and "/usr/bin/npx" -> npx
std::string base_name(std::string_view program) {
    auto const slash = program.find_last_of("/\\");
    std::string name(slash == std::string_view::npos ? program : program.substr(slash + 1));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    for (std::string_view const ending : {".exe", ".cmd", ".bat", ".ps1"})
        if (name.ends_with(ending)) name.resize(name.size() - ending.size());
    return name;
}

Line split(std::string const& text) {
    std::istringstream in(text);
    Line words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

bool is_shell(std::string const& name) {
    constexpr std::array shells{"sh", "bash", "zsh", "dash", "fish", "ash"};
    return std::find(shells.begin(), shells.end(), name) != shells.end();
}

/// The line behind `env A=B`, `cmd /c` or `sh -c`; empty if it is none of these.
Line unwrapped(Line const& line) {
    auto const name = base_name(line[0]);
    auto rest = Line(line.begin() + 1, line.end());
    auto const is_option = [&](std::string const& word) {
        return name == "env" ? word.starts_with('-') || word.find('=') != std::string::npos
                             : word.starts_with(name == "cmd" ? '/' : '-');
    };
    if (name != "env" && name != "cmd" && !is_shell(name)) return {};
    if (is_shell(name) && std::none_of(rest.begin(), rest.end(),
                                       [](auto const& word) { return word.starts_with('-') && word.ends_with('c'); }))
        return {};
    rest.erase(rest.begin(), std::find_if_not(rest.begin(), rest.end(), is_option));
    if (!is_shell(name) || rest.empty()) return rest;
    auto words = split(rest[0]);
    if (!words.empty() && words[0] == "exec") words.erase(words.begin());
    return words;
}

/// The first word that is no option.
std::string first_word(Line const& line) {
    auto const found = std::find_if(line.begin() + 1, line.end(), [](auto const& w) { return !w.starts_with('-'); });
    return found == line.end() ? "" : *found;
}

enum class Kind : std::uint8_t { server, node_package, python_package, container, windows };

Kind kind_of(Line const& line) {
    auto const name = base_name(line[0]), word = first_word(line);
    if (name == "npx" || name == "bunx" || name == "pnpx") return Kind::node_package;
    if ((name == "npm" || name == "pnpm" || name == "yarn" || name == "bun") &&
        (word == "exec" || word == "x" || word == "dlx"))
        return Kind::node_package;
    if (name == "uvx" || (name == "pipx" && word == "run")) return Kind::python_package;
    if (name == "uv" && (word == "tool" || word == "x")) return Kind::python_package;
    if (name == "docker" || name == "podman" || name == "nerdctl") return Kind::container;
    return name == "cmd" || name == "powershell" || name == "pwsh" || name == "wsl" ? Kind::windows : Kind::server;
}

/// "pkg@1.2.3" -> pkg, 1.2.3; only an exact version is one.
void take_version(Fetched& out, std::string const& word) {
    auto const at = out.python ? word.find("==") : word.find('@', 1);
    out.package = word.substr(0, at);
    if (out.python) out.package = out.package.substr(0, out.package.find('['));
    if (at == std::string::npos) {
        if (auto const tag = word.find('@', 1); out.python && tag != std::string::npos)
            out.package = word.substr(0, tag);
        return;
    }
    auto const version = word.substr(at + (out.python ? 2 : 1));
    bool const exact = !version.empty() && std::isdigit(static_cast<unsigned char>(version[0])) != 0 &&
                       version.find_first_of("^~*x<> |") == std::string::npos &&
                       std::count(version.begin(), version.end(), '.') >= (out.python ? 1 : 2);
    if (exact) out.version = version;
}

/// Options of npx and uvx that name the package; the rest has none, or says nothing.
std::optional<Fetched> fetched_in(Line const& line, std::size_t at, bool python) {
    Fetched out;
    out.python = python;
    std::string package;
    for (; at < line.size() && line[at].starts_with('-'); ++at) {
        auto const& word = line[at];
        if (word == "-y" || word == "--yes" || word == "-q" || word == "--quiet" || word == "--") continue;
        bool const names = word == "-p" || word == "--package" || word == "--from" || word == "--spec";
        if (names && at + 1 < line.size())
            package = line[++at];
        else if (word.starts_with("--package=") || word.starts_with("--from="))
            package = word.substr(word.find('=') + 1);
        else
            return {};
    }
    if (at >= line.size()) return {};
    if (!package.empty()) out.entry = line[at];
    take_version(out, package.empty() ? line[at] : package);
    out.args.assign(line.begin() + static_cast<std::ptrdiff_t>(at) + 1, line.end());
    bool const plain = !out.package.empty() && out.package.find_first_of(":\\ ") == std::string::npos &&
                       (out.package.find('/') == std::string::npos || out.package.starts_with('@'));
    return plain ? std::optional(out) : std::nullopt;
}

std::string sentence(Kind kind, std::string const& name, std::string const& how, std::string const& package) {
    auto const fetches =
        fmt::format("{}: {} fetches a package anew when it starts, and whatever the registry has that day would "
                    "run; install it once",
                    name, how);
    auto const later = package.empty() ? "" : fmt::format("; or let pfar do all that: pfar connect {}", package);
    switch (kind) {
    case Kind::node_package:
        return fmt::format("{} (npm install --prefix DIR PACKAGE) and add what was installed: pfar add {} -- "
                           "DIR/node_modules/.bin/PROGRAM{}",
                           fetches, name, later);
    case Kind::python_package:
        return fmt::format("{} (python3 -m venv DIR && DIR/bin/pip install PACKAGE) and add what was installed: pfar "
                           "add {} -- DIR/bin/PROGRAM{}",
                           fetches, name, later);
    case Kind::container:
        return fmt::format("{}: {} runs it in a container, by a daemon and beyond pfar's sandbox; add the program that "
                           "is in the image instead, installed on this machine: pfar add {} -- PROGRAM",
                           name, how, name);
    default:
        return fmt::format("{}: {} belongs to Windows; add the program that it would run: pfar add {} -- PROGRAM", name,
                           how, name);
    }
}

} // namespace

std::optional<Fetched> fetched_package(std::string const& command, std::vector<std::string> const& args) {
    Line line{command};
    line.insert(line.end(), args.begin(), args.end());
    for (int depth = 0; depth < 4 && !line.empty(); ++depth) {
        auto inner = unwrapped(line);
        if (inner.empty()) break;
        line = std::move(inner);
    }
    if (line.empty()) return {};
    auto const kind = kind_of(line);
    if (kind != Kind::node_package && kind != Kind::python_package) return {};
    auto const name = base_name(line[0]);
    bool const has_word = name != "npx" && name != "bunx" && name != "pnpx" && name != "uvx"; // npm exec, uv tool run
    std::size_t at = has_word ? 2 : 1;
    if (name == "uv" && at < line.size() && line[at] == "run") ++at;
    return fetched_in(line, at, kind == Kind::python_package);
}

Result<void> refuse_launcher(std::string const& name, std::string const& command,
                             std::vector<std::string> const& args) {
    Line line{command};
    line.insert(line.end(), args.begin(), args.end());
    for (int depth = 0; depth < 4; ++depth) {
        auto behind = unwrapped(line);
        if (behind.empty()) break;
        line = std::move(behind);
    }
    auto kind = kind_of(line);
    if (kind == Kind::server && base_name(command) == "cmd") kind = Kind::windows, line = {command};
    if (kind == Kind::server) return {};
    auto const program = base_name(line[0]), word = first_word(line);
    bool const by_word = program != "npx" && program != "bunx" && program != "pnpx" && program != "uvx" &&
                         kind != Kind::windows && !word.empty();
    auto const how = base::printable(by_word ? fmt::format("{} {}", program, word) : program);
    auto const fetched = fetched_package(command, args);
    auto const package = !fetched ? "" : (fetched->python ? "pypi:" : "npm:") + base::printable(fetched->package);
    return fail(Errc::unsupported, sentence(kind, name, how, package));
}

} // namespace pfar::config
