// Only rmdir is used: the kernel itself refuses to remove a group that anybody is in.
#include "spawn/cgroup_name.hpp"

#include "spawn/cgroup_files.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <atomic>
#include <cctype>

namespace pfar::spawn {
namespace {

constexpr std::string_view prefix = "pfar.";
constexpr std::size_t longest_name = 64;

/// In clock ticks since the machine started; 0 if there is no such process.
std::uint64_t start_of(std::uint64_t pid) {
    auto const stat = text_of(fmt::format("/proc/{}/stat", pid));
    auto at = stat.rfind(')'); // the name before it may contain anything
    for (int field = 2; at != std::string::npos && field < 22; ++field) at = stat.find(' ', at + 1);
    return at == std::string::npos ? 0 : number_after(std::string_view(stat).substr(at + 1), "");
}

bool is_leftover(std::string_view name) {
    if (!name.starts_with(prefix)) return false;
    name.remove_prefix(prefix.size());
    auto const dot = name.find('.');
    if (dot == std::string_view::npos) return false;
    auto const pid = number_after(name, "");
    return pid != 0 && start_of(pid) != number_after(name.substr(dot + 1), "");
}

} // namespace

std::string group_name(std::string_view name) {
    static std::atomic<unsigned> count{0};
    std::string plain(name.substr(0, longest_name));
    for (auto& letter : plain)
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_' && letter != '-') letter = '_';
    auto const self = static_cast<std::uint64_t>(::getpid());
    return fmt::format("{}{}.{}.{}-{}", prefix, self, start_of(self), ++count, plain);
}

void remove_leftovers(std::filesystem::path const& directory) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
         entry.increment(error))
        if (is_leftover(entry->path().filename().native())) ::rmdir(entry->path().c_str());
}

} // namespace pfar::spawn
