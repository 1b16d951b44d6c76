// Environments hold secrets, and command lines are everybody's to read. So the variables come as a script that the shell reads from a descriptor.
#include "house/install_outside.hpp"

#include "spawn/run_to_end.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {
namespace {

constexpr int variables_fd = 4;
constexpr std::size_t kept_answer = std::size_t{1} << 20U;

bool is_shell_name(std::string_view name) {
    auto const part = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), part);
}

std::string single_quoted(std::string_view text) {
    std::string out = "'";
    for (char const c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

/// pfar's own variables are nobody else's: the vault may be among them.
std::string exports(servers::OwnerFacts const& owner, std::filesystem::path const& program) {
    std::string out;
    for (auto const& [name, value] : owner.environment)
        if (is_shell_name(name) && !name.starts_with("PFAR_") && name != "PATH" && name != "HOME" && name != "PWD")
            out += fmt::format("export {}={}\n", name, single_quoted(value));
    out += fmt::format("export HOME={}\n", single_quoted(owner.user_home.native()));
    auto const path = program.parent_path().native() + ":" + search_path_of(owner); // its own node, its own python
    return out + fmt::format("export PATH={}\n", single_quoted(path));
}

} // namespace

std::string variable_of(servers::OwnerFacts const& owner, std::string const& name) {
    auto const found = owner.environment.find(name);
    return found == owner.environment.end() ? "" : found->second;
}

std::string search_path_of(servers::OwnerFacts const& owner) {
    auto const path = variable_of(owner, "PATH");
    return path.empty() ? "/usr/local/bin:/usr/bin:/bin" : path;
}

Result<Ended> ask_outside(servers::OwnerFacts const& owner, std::vector<std::string> const& argv,
                          std::chrono::milliseconds patience) {
    LaunchPlan plan;
    plan.argv = {"/bin/sh", "-c",
                 ". /dev/fd/4; exec 4<&-; cd -- \"$HOME\" 2>/dev/null || cd /; exec \"$@\" 2>/dev/null", "sh"};
    plan.argv.insert(plan.argv.end(), argv.begin(), argv.end());
    plan.data.push_back({variables_fd, exports(owner, argv.front())});
    return spawn::run_to_end(plan, patience, kept_answer);
}

} // namespace pfar::house
