// What killed conversations have left is cleared away: a journal is read again, and goes on as if its process were still there.
#include "base/files.hpp"
#include "config/values.hpp"
#include "house/flow_arguments.hpp"
#include "house/flow_journal.hpp"
#include "house/flow_journal_files.hpp"
#include "house/flow_undo.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace pfar::house {

namespace {
namespace fs = std::filesystem;
namespace json = boost::json;
} // namespace

bool FlowJournal::any_left(fs::path const& home) {
    for (auto const& directory : journals(home))
        if (lock_journal(directory)) return true; // and let go again
    return false;
}

/// As much of it as can be read.
FlowJournal FlowJournal::read_left(fs::path const& home, fs::path const& directory, base::Fd lock) {
    FlowJournal left(home, directory, std::move(lock));
    std::error_code unknown;
    left.done_ = fs::exists(directory / done_name, unknown);
    auto const text = base::read_file(directory / (left.done_ ? done_name : journal_name), most_journal);
    boost::system::error_code bad;
    auto const read = text ? json::parse(*text, bad) : json::value();
    if (!text || bad || !read.is_object()) return left;
    left.about_ = text_at(read.get_object(), "about");
    auto const* const steps = read.get_object().if_contains("steps");
    if (steps == nullptr || !steps->is_array()) return left;
    for (auto const& step : steps->get_array())
        if (step.is_object()) left.steps_.push_back(step.get_object());
    return left;
}

/// Its own, which went with its process.
Result<void> FlowJournal::claim_again() {
    for (auto const& step : steps_) {
        auto const server = text_at(step, "claim");
        if (!config::parse_server_name(server) || claims_.contains(server)) continue;
        PFAR_TRY(claim, Claim::take(home_ / "run", server));
        claims_.emplace(server, std::move(claim));
    }
    return {};
}

std::vector<FlowJournal::Left> FlowJournal::recover(House const& house, OpenVault const& vault,
                                                    std::function<void()> const& settle,
                                                    std::function<void(std::string const&)> const& disable) {
    std::vector<Left> out;
    if (journals(house.places.home).empty()) return out;
    auto const turn = turn_to_recover(house.places.home);
    for (auto const& directory : journals(house.places.home)) {
        auto lock = lock_journal(directory);
        if (!lock) continue; // it goes on
        auto left = read_left(house.places.home, directory, std::move(*lock));
        if (!left.claim_again()) continue; // another one is about that server by now
        auto const about = left.about_;
        bool const tells = !left.empty() && !left.done_;
        auto const disabled = left.done_ ? std::vector<std::string>() : left.disabled();
        std::for_each(disabled.begin(), disabled.end(), disable);
        auto const result = left.done_ ? left.clear(vault) : left.undo(vault, settle);
        std::for_each(disabled.begin(), disabled.end(), disable);
        if (tells || !result) out.push_back({about, result, left.done_});
    }
    return out;
}

} // namespace pfar::house
