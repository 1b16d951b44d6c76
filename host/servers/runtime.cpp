// Known by content, not by where version managers put things: nvm, pyenv, uv, asdf, volta and mise all differ in that.
#include "servers/runtime.hpp"

#include "base/files.hpp"
#include "base/paths.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace pfar::servers {
namespace {

namespace fs = std::filesystem;

constexpr std::array stores{"/nix/store", "/gnu/store", "/home/linuxbrew/.linuxbrew"};
constexpr std::array own_marks{"lib/node_modules", "include/node", "lib/ruby",
                               "lib/perl5",        "lib/jvm.cfg",  "lib/modules"};
constexpr int most_seen = 4096;

bool is_there(fs::path const& path) {
    std::error_code error;
    return fs::exists(path, error);
}

/// python3.11, but not python3-config or pythonic.
bool is_python_library(std::string_view name) {
    return name.starts_with("python") && name.size() > 6 && name.find_first_not_of("0123456789.", 6) == name.npos;
}

void find_python_libraries(Prefix& prefix) {
    std::error_code error;
    int seen = 0;
    for (fs::directory_iterator entry(prefix.root / "lib", error), end; !error && entry != end; entry.increment(error))
        if (++seen > most_seen)
            return;
        else if (is_python_library(entry->path().filename().native()))
            prefix.parts.push_back(entry->path());
}

std::string_view trimmed(std::string_view text) {
    auto const begin = text.find_first_not_of(" \t\r");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// The value of `home = ...`.
std::optional<fs::path> base_of(fs::path const& config) {
    auto const text = base::read_file(config, 65536);
    if (!text) return std::nullopt;
    for (std::string_view rest = *text; !rest.empty();) {
        auto const line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        auto const equals = line.find('=');
        if (equals == line.npos || trimmed(line.substr(0, equals)) != "home") continue;
        auto const value = trimmed(line.substr(equals + 1));
        if (value.starts_with('/') && value.find('\0') == value.npos) return fs::path(value);
    }
    return std::nullopt;
}

} // namespace

std::optional<Prefix> prefix_at(fs::path const& root) {
    Prefix prefix{root, {}, false, {}};
    auto const config = root / "pyvenv.cfg";
    if (is_there(config)) {
        prefix.venv = true;
        prefix.base = base_of(config);
        prefix.parts.push_back(config);
    }
    for (auto const* const mark : own_marks)
        if (is_there(root / mark)) prefix.parts.push_back(root / mark);
    find_python_libraries(prefix);
    if (prefix.parts.empty()) return std::nullopt;
    return prefix;
}

std::optional<Prefix> prefix_of(fs::path const& program) {
    for (auto const* const store : stores)
        if (base::lies_in(program, store)) return Prefix{store, {}, false, {}};
    auto const directory = program.parent_path();
    if (directory.filename() != "bin") return std::nullopt;
    return prefix_at(directory.parent_path());
}

} // namespace pfar::servers
