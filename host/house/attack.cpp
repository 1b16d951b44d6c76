// Each row is a process of its own with a scene of its own, so that no attempt can spoil another, and none this process.
#include "house/attack.hpp"

#include "base/files.hpp"
#include "spawn/run_to_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace pfar::house {
namespace {

constexpr std::chrono::seconds patience{300}; // each attempt has 30 s of its own
constexpr int no_such_row = 12;

/// A directory (0700) that goes with this object.
class Scratch {
public:
    static Result<Scratch> make() {
        std::error_code error;
        auto pattern = (std::filesystem::temp_directory_path(error) / "pfar-attack-XXXXXX").native();
        if (error || ::mkdtemp(pattern.data()) == nullptr)
            return fail(Errc::io, "no temporary directory for the attacks: " + base::errno_text(errno));
        Scratch scratch;
        scratch.path_ = pattern;
        return scratch;
    }
    Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    Scratch& operator=(Scratch&&) = delete;
    ~Scratch() {
        std::error_code error;
        if (!path_.empty()) std::filesystem::remove_all(path_, error);
    }
    [[nodiscard]] std::string const& path() const { return path_; }

private:
    Scratch() = default;
    std::string path_;
};

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        auto const part = text.substr(0, text.find(separator));
        parts.emplace_back(part);
        text.remove_prefix(std::min(text.size(), part.size() + 1));
    }
    return parts;
}

/// `row NAME GROUP WHAT`, then `COLUMN OUTCOME HOW DETAIL` for each column, separated by tabs.
Result<AttackRow> read_row(Ended const& ended, std::vector<std::string> const& columns) {
    AttackRow row;
    for (auto const& line : split(ended.output, '\n')) {
        auto words = split(line, '\t');
        words.resize(4);
        if (words[0] == "row")
            row = {words[1], words[2], words[3], {}};
        else if (row.cells.size() < columns.size() && words[0] == columns[row.cells.size()])
            row.cells.push_back({words[1], words[2], words[3]});
    }
    if (row.cells.size() == columns.size()) return row;
    return fail(Errc::internal, fmt::format("pfar-attack ended with {} and said: {}", ended.status, ended.output));
}

void count(AttackReport& report, AttackRow const& row) {
    for (auto const& cell : row.cells) {
        if (cell.outcome == "succeeded") ++report.successes;
        if (cell.outcome == "unexpected" || cell.outcome == "untried" || cell.outcome == "broken") ++report.doubts;
    }
}

} // namespace

Result<AttackReport> run_attacks(House const& house, std::vector<std::string> const& backends,
                                 std::function<void(AttackRow const&)> const& progress) {
    PFAR_TRY(scratch, Scratch::make());
    auto const attack = house.layout.shim.parent_path() / "pfar-attack";
    auto const program = std::filesystem::read_symlink("/proc/self/exe").native();
    AttackReport report;
    report.columns = backends;
    report.columns.insert(report.columns.begin(), "bare");
    for (std::size_t number = 0;; ++number) {
        LaunchPlan plan;
        plan.argv = {"/usr/bin/env",         "PFAR_HOME=" + house.settings_file.parent_path().native(),
                     attack.native(),        "row",
                     std::to_string(number), program,
                     scratch.path()};
        plan.argv.insert(plan.argv.end(), backends.begin(), backends.end());
        PFAR_TRY(ended, spawn::run_to_end(plan, patience));
        if (ended.status == no_such_row && number > 0) return report;
        PFAR_TRY(row, read_row(ended, report.columns));
        count(report, row);
        if (progress) progress(row);
        report.rows.push_back(std::move(row));
    }
}

} // namespace pfar::house
