// A step is on disk before what it is about is done.
#include "house/flow_journal.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "house/flow_arguments.hpp"
#include "house/flow_journal_files.hpp"
#include "house/flow_undo.hpp"
#include "house/home_lock.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

bool is_there(fs::path const& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0;
}

std::int64_t seconds_now() {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// A name that nothing in the vault has.
Result<std::string> free_backup(std::string const& entry, Vault& vault) {
    for (int number = 1;; ++number) {
        auto out = fmt::format("{}.was-{}-{}", entry.substr(0, 40), ::getpid(), number);
        PFAR_TRY(taken, vault.has(out));
        if (!taken) return out;
    }
}

bool note(Result<void> const& outcome, std::string& trouble) {
    if (!outcome) trouble += (trouble.empty() ? "" : "; ") + outcome.error().what;
    return outcome.has_value();
}

} // namespace

Result<FlowJournal> FlowJournal::open(House const& house, std::string const& about) {
    auto const all = house.places.home / "run" / "flows";
    std::error_code error;
    fs::create_directories(all, error);
    if (error)
        return fail(Errc::io,
                    fmt::format("{} could not be made: {}; a conversation notes there how to undo what it does",
                                base::printable(all.native()), error.message()));
    for (int number = 1; number < 1000; ++number) {
        auto const name = fmt::format("{}-{}", ::getpid(), number);
        auto const fresh = all / ("." + name), directory = all / name; // nobody looks at it before it is locked
        if (is_there(directory)) continue;
        if (::mkdir(fresh.c_str(), 0700) != 0 && errno != EEXIST)
            return fail(Errc::io, fmt::format("{} could not be made: {}", base::printable(fresh.native()),
                                              base::errno_text(errno)));
        PFAR_TRY(lock, lock_journal(fresh));
        PFAR_CHECK(rename_path(fresh, directory));
        FlowJournal out(house.places.home, directory, std::move(lock));
        out.about_ = about;
        PFAR_CHECK(out.write());
        return out;
    }
    return fail(Errc::io, "too many conversations were left in run/flows; look at that directory");
}

Result<void> FlowJournal::write() const {
    json::array steps(steps_.begin(), steps_.end());
    json::object const all{{"about", about_}, {"steps", std::move(steps)}};
    return base::write_file(directory_ / (done_ ? done_name : journal_name), json::serialize(all), 0600);
}

json::object* FlowJournal::step_of(std::string_view key, std::string_view value) {
    auto const found =
        std::find_if(steps_.begin(), steps_.end(), [&](auto const& step) { return text_at(step, key) == value; });
    return found == steps_.end() ? nullptr : &*found;
}

bool FlowJournal::empty() const {
    return std::all_of(steps_.begin(), steps_.end(), [](auto const& step) { return step.contains("claim"); });
}

Result<void> FlowJournal::add(json::object step) {
    steps_.push_back(std::move(step));
    return write();
}

Result<void> FlowJournal::claim(std::string const& server) {
    if (claims_.contains(server)) return {};
    PFAR_TRY(claim, Claim::take(home_ / "run", server));
    for (auto const& directory : journals(home_))
        if (directory != directory_ && read_left(home_, directory, {}).step_of("claim", server) != nullptr)
            return fail(Errc::conflict,
                        fmt::format("what an earlier conversation about {} has left has to be cleared away first; say "
                                    "it again (and open the vault, if that is locked: pfar vault unlock)",
                                    server));
    claims_.emplace(server, std::move(claim));
    return add({{"claim", server}});
}

Result<void> FlowJournal::changes_file(fs::path const& path, std::optional<std::string_view> next) {
    auto* const earlier = step_of("path", path.native());
    json::object step = earlier != nullptr ? *earlier : json::object{{"path", path.native()}};
    if (auto* const written = step.if_contains("wrote"); next && (written != nullptr || earlier == nullptr)) {
        json::array digests = written != nullptr && written->is_array() ? written->get_array() : json::array();
        digests.emplace_back(base::sha256(*next));
        step["wrote"] = std::move(digests);
    }
    if (earlier != nullptr) { // what it was before the first change counts
        if (!next) step.erase("wrote");
        *earlier = std::move(step);
        return write();
    }
    auto const text = base::read_file(home_ / path, most_journal);
    if (text) {
        auto const kept = fmt::format("{}.was", steps_.size());
        PFAR_CHECK(base::write_file(directory_ / kept, *text, 0600));
        step["kept"] = kept;
    } else if (text.error().code != Errc::not_found) {
        return text.error();
    }
    return add(std::move(step));
}

Result<void> FlowJournal::changes_package(std::string const& server) {
    for (auto const& earlier : steps_)
        if (text_at(earlier, "package") == server) return {};
    return add({{"package", server}, {"had", is_there(home_ / "mcp-servers" / server)}});
}

Result<void> FlowJournal::changes_entry(std::string const& entry, Vault& vault) {
    if (auto* const earlier = step_of("entry", entry)) {
        earlier->erase("set"); // whatever is there next, is ours until has_set() knows better
        (*earlier)["at"] = seconds_now();
        return write();
    }
    json::object step{{"entry", entry}, {"at", seconds_now()}};
    PFAR_TRY(there, vault.has(entry));
    if (!there) return add(std::move(step));
    PFAR_TRY(backup, free_backup(entry, vault));
    step["backup"] = backup;
    PFAR_CHECK(add(std::move(step)));
    return vault.rename(entry, backup);
}

Result<void> FlowJournal::makes_entry(std::string const& entry, Vault& vault) {
    PFAR_TRY(there, vault.has(entry));
    return there ? Result<void>() : add({{"entry", entry}, {"at", seconds_now()}});
}

Result<void> FlowJournal::has_set(std::string const& entry, Vault& vault) {
    auto* const step = step_of("entry", entry);
    if (step == nullptr) return {};
    PFAR_TRY(time, set_time(vault, entry));
    if (!time) return {};
    (*step)["set"] = *time;
    return write();
}

Result<void> FlowJournal::may_make(std::vector<fs::path> const& paths) {
    json::array made;
    for (auto const& path : paths)
        if (!is_there(home_ / path)) made.emplace_back(path.native());
    return made.empty() ? Result<void>() : add({{"made", std::move(made)}});
}

Result<fs::path> FlowJournal::moves_aside(fs::path const& path) {
    for (int number = 1;; ++number) {
        fs::path const aside = fmt::format("{}.before-{}", path.native(), number);
        if (is_there(home_ / aside)) continue;
        PFAR_CHECK(add({{"moved", path.native()}, {"aside", aside.native()}}));
        PFAR_CHECK(rename_path(home_ / path, home_ / aside));
        return aside;
    }
}

Result<void> FlowJournal::was_disabled(std::string const& server) {
    return add({{"disabled", server}});
}

std::vector<std::string> FlowJournal::disabled() const {
    std::vector<std::string> out;
    for (auto const& step : steps_)
        if (config::parse_server_name(text_at(step, "disabled"))) out.push_back(text_at(step, "disabled"));
    return out;
}

Result<void> FlowJournal::when_done_remove(fs::path const& path) {
    return add({{"remove", path.native()}});
}

Result<void> FlowJournal::when_done_forget(std::string const& entry, Vault& vault) {
    PFAR_TRY(time, set_time(vault, entry));
    json::object step{{"forget", entry}};
    if (time) step["set"] = *time; // one that is set later is not meant
    return add(std::move(step));
}

std::vector<std::string> FlowJournal::new_entries() const {
    std::vector<std::string> out;
    for (auto const& step : steps_)
        if (step.contains("entry") && !step.contains("backup")) out.push_back(text_at(step, "entry"));
    return out;
}

Result<void> FlowJournal::remove_itself() {
    auto const removed = remove_tree(directory_);
    lock_ = base::Fd();
    return removed;
}

std::vector<std::string> FlowJournal::forgotten() const {
    std::vector<std::string> out;
    for (auto const& step : steps_)
        if (step.contains("forget")) out.push_back(text_at(step, "forget"));
    return out;
}

Result<void> FlowJournal::commit() {
    PFAR_CHECK(rename_path(directory_ / journal_name, directory_ / done_name));
    done_ = true;
    base::Fd const directory(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory) ::fsync(directory.number());
    return {};
}

/// What is over is not done again: by then its owner may have made something of his own in its place.
Result<void> FlowJournal::keep_only(std::vector<bool> const& over, std::string const& trouble) {
    std::vector<json::object> left;
    for (std::size_t i = 0; i < steps_.size(); ++i)
        if (!over[i] || steps_[i].contains("claim")) left.push_back(std::move(steps_[i]));
    steps_ = std::move(left);
    PFAR_CHECK(write());
    return fail(Errc::io, trouble);
}

Result<void> FlowJournal::clear(OpenVault const& vault) {
    std::string trouble;
    std::vector<bool> over(steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i)
        over[i] = note(finish_step(steps_[i], {home_, directory_}, vault), trouble);
    return trouble.empty() ? remove_itself() : keep_only(over, trouble);
}

Result<void> FlowJournal::undo(OpenVault const& vault, std::function<void()> const& settle, bool keep_entries) {
    std::string trouble;
    std::vector<bool> over(steps_.size());
    auto const undo_those = [&](bool made) {
        for (auto i = steps_.size(); i-- > 0;)
            if ((steps_[i].contains("made") || steps_[i].contains("moved")) == made)
                over[i] = note(undo_step(steps_[i], {home_, directory_}, vault, keep_entries), trouble);
    };
    {
        PFAR_TRY(held, lock_home(home_));
        undo_those(false);
    }
    if (!empty() && settle) settle();
    undo_those(true);
    return trouble.empty() ? remove_itself() : keep_only(over, trouble);
}

} // namespace pfar::house
