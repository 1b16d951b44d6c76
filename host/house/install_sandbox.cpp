// What it has done so far is seen by looking at the directory, never by reading what it says: that is for people, and changes.
#include "house/install_sandbox.hpp"

#include "base/text.hpp"
#include "house/flow_verbs.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <csignal>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t most_said = 64U << 10U;

struct TreeSize {
    std::uint64_t bytes = 0, files = 0, packages = 0;
};

/// node_modules/NAME and node_modules/@SCOPE/NAME, or NAME.dist-info.
bool is_package(fs::path const& directory) {
    auto const name = directory.filename().native();
    if (name.starts_with('.') || name.starts_with('@')) return false;
    if (name.ends_with(".dist-info")) return true;
    auto const parent = directory.parent_path();
    if (parent.filename() == "node_modules") return true;
    return parent.filename().native().starts_with('@') && parent.parent_path().filename() == "node_modules";
}

TreeSize size_of_tree(fs::path const& directory) {
    TreeSize out;
    std::vector<fs::path> open{directory};
    while (!open.empty()) {
        auto const next = std::move(open.back());
        open.pop_back();
        std::error_code error;
        for (fs::directory_iterator at(next, error), end; !error && at != end; at.increment(error)) {
            struct stat status {};
            if (::lstat(at->path().c_str(), &status) != 0) continue;
            out.bytes += static_cast<std::uint64_t>(status.st_blocks) * 512U;
            ++out.files;
            if (!S_ISDIR(status.st_mode)) continue;
            if (is_package(at->path())) ++out.packages;
            open.push_back(at->path());
        }
    }
    return out;
}

/// Looks as often as it can without being a burden itself.
class Watching {
public:
    Watching(InstallRun const& run, InstallProgress const& progress)
        : directory_(run.directory), limits_(run.limits), progress_(progress) {}

    /// Why it has to end; empty: it may go on.
    std::string look() {
        auto const now = SteadyClock::now();
        if (now - began_ > limits_.patience) {
            timed_out_ = true;
            return fmt::format("it was not done after {} minutes and was ended; try again",
                               std::chrono::ceil<std::chrono::minutes>(limits_.patience).count());
        }
        if (now < next_) return "";
        auto out = measure();
        next_ = SteadyClock::now() + 4 * (SteadyClock::now() - now);
        return out;
    }
    /// Why it is too large; empty: it is not.
    std::string measure() {
        auto const size = size_of_tree(directory_);
        if (size.bytes > limits_.bytes || size.files > limits_.files)
            return fmt::format("it became larger than {} MiB or {} files; nothing was installed", limits_.bytes >> 20U,
                               limits_.files);
        tell(size);
        return "";
    }
    [[nodiscard]] bool timed_out() const { return timed_out_; }

private:
    void tell(TreeSize const& size) {
        auto text = fmt::format("{} MiB", size.bytes >> 20U);
        if (size.packages > 0) text += fmt::format(", {} package{}", size.packages, size.packages == 1 ? "" : "s");
        if (!progress_ || text == told_) return;
        progress_(text);
        told_ = std::move(text);
    }

    fs::path directory_;
    InstallLimits limits_;
    InstallProgress const& progress_;
    SteadyClock::time_point began_ = SteadyClock::now(), next_{};
    std::string told_;
    bool timed_out_ = false;
};

servers::Wish wish_for_install(InstallRun const& run) {
    servers::Wish wish;
    wish.name = run.server;
    wish.command = run.program;
    wish.args = run.args;
    wish.rule = servers::ArgRule::scripts_only;
    wish.state = run.directory;
    wish.env_set = run.environment;
    wish.env_set.emplace("HOME", "/tmp");
    for (auto const* const name : {"NO_PROXY", "no_proxy"})
        wish.env_set.emplace(name, ""); // a registry may be at 127.0.0.1
    wish.sandbox.memory_limit = run.limits.memory;
    wish.domains = run.domains;
    wish.allow_private = run.allow_private;
    for (auto const& [name, value] : run.files) wish.auth_files.push_back({name, {}, {}});
    return wish;
}

/// A third copy, and the last: the sandbox gets it.
Credentials copies_of(InstallRun const& run) {
    Credentials out;
    for (auto const& [name, value] : run.files) out.files.emplace_back(name, value.clone());
    return out;
}

std::string without_secrets(std::string said, InstallRun const& run) {
    std::vector<base::Redactor::Known> known;
    for (auto const& [name, value] : run.hidden) known.push_back({name, &value});
    if (known.empty()) return said;
    auto redacted = base::Redactor(known).redact(said);
    return redacted ? std::move(*redacted) : said;
}

/// exec() has taken the signal: whoever has a handler for it hears of it, too.
void hand_on(int signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0) return;
    if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) std::raise(signal);
}

} // namespace

Result<InstallEnd> run_install(House const& house, InstallRun run, InstallProgress const& progress, Record& record) {
    std::string said;
    Watching watching(run, progress);
    ExecTask task{wish_for_install(run), [](std::string const&) {}};
    task.credentials = [&]() -> Result<Credentials> { return copies_of(run); };
    task.output = [&](std::string_view text) {
        said += text;
        if (said.size() > 2 * most_said) said.erase(0, said.size() - most_said);
    };
    auto const is_over = [&run] { return run.interrupted && run.interrupted(); }; // before exec() took the signals
    task.tick = [&] { return is_over() ? std::string("it was interrupted") : watching.look(); };
    task.upstream = run.upstream;
    PFAR_TRY(end, exec(house, std::move(task), record));
    if (end.trouble.empty() && end.code == 0)
        end.trouble = watching.measure(); // the last look may have been a while ago
    if (end.interrupted != 0) hand_on(end.interrupted);
    if (end.interrupted != 0 || is_over()) return cancelled();
    auto const program = fs::path(run.program).filename().native();
    if (!end.trouble.empty())
        return fail(watching.timed_out() ? Errc::timeout : Errc::refused, fmt::format("{}: {}", program, end.trouble));
    return InstallEnd{end.code, without_secrets(std::move(said), run), std::move(end.blocked)};
}

} // namespace pfar::house
