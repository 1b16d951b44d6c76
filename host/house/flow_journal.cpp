// A step is on disk before what it is about is done.
#include "house/flow_journal.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "house/flow_arguments.hpp"
#include "house/flow_undo.hpp"
#include "house/home_lock.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::chrono::minutes just_begun{1};
constexpr char const *journal_name = "journal.json", *done_name = "done.json"; // renamed when all is well

bool is_there(fs::path const& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0;
}

Result<base::Fd> take_lock(fs::path const& directory) {
    base::Fd lock{::open((directory / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    if (!lock)
        return fail(Errc::io, fmt::format("{} cannot be opened: {}", directory.native(), base::errno_text(errno)));
    if (::flock(lock.number(), LOCK_EX | LOCK_NB) != 0)
        return fail(Errc::conflict, fmt::format("{} belongs to a conversation that is going on", directory.native()));
    return lock;
}

/// ".PID-NUMBER", of a process that is no more.
bool maker_is_gone(fs::path const& directory) {
    auto const pid = std::atoi(directory.filename().c_str() + 1);
    return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

std::vector<fs::path> journals(fs::path const& home) {
    std::vector<fs::path> out;
    std::error_code error;
    for (fs::directory_iterator at(home / "run" / "flows", error); !error && at != fs::directory_iterator();
         at.increment(error)) {
        std::error_code unknown;
        bool const fresh = at->path().filename().native().starts_with('.') && !maker_is_gone(at->path()) &&
                           fs::file_time_type::clock::now() - fs::last_write_time(at->path(), unknown) < just_begun;
        if (!fresh) out.push_back(at->path()); // one that stays so was killed at its beginning
    }
    std::sort(out.begin(), out.end());
    return out;
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
        PFAR_TRY(lock, take_lock(fresh));
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
    return base::write_file(directory_ / journal_name, json::serialize(all), 0600);
}

Result<void> FlowJournal::add(json::object step) {
    steps_.push_back(std::move(step));
    return write();
}

Claim::~Claim() {
    if (lock_) ::unlink(place_.c_str()); // while it is still locked, so that nobody else's is removed
}

/// Once more if its file was removed by whoever had it, before it was locked.
Result<Claim> Claim::take(fs::path const& run, std::string const& server) {
    auto const place = run / fmt::format("flow-{}.lock", server);
    for (;;) {
        base::Fd lock{::open(place.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
        if (!lock)
            return fail(Errc::io, fmt::format("{} cannot be opened: {}", place.native(), base::errno_text(errno)));
        if (::flock(lock.number(), LOCK_EX | LOCK_NB) != 0)
            return fail(
                Errc::conflict,
                fmt::format("another conversation is about {} just now; finish or cancel that one first", server));
        struct stat ours {
        }, there{};
        bool const same = ::fstat(lock.number(), &ours) == 0 && ::stat(place.c_str(), &there) == 0 &&
                          ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
        if (same) return Claim(place, std::move(lock));
    }
}

Result<void> FlowJournal::claim(std::string const& server) {
    if (claims_.contains(server)) return {};
    PFAR_TRY(claim, Claim::take(directory_.parent_path().parent_path(), server));
    claims_.emplace(server, std::move(claim));
    return {};
}

Result<void> FlowJournal::changes_file(fs::path const& path) {
    json::object step{{"path", path.native()}};
    for (auto const& earlier : steps_)
        if (text_at(earlier, "path") == path.native()) return {}; // what it was before the first change counts
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
    for (auto const& earlier : steps_)
        if (text_at(earlier, "entry") == entry) return {};
    PFAR_TRY(there, vault.has(entry));
    if (!there) return add({{"entry", entry}});
    auto const backup = fmt::format("{}.was-{}", entry.substr(0, 48), ::getpid());
    PFAR_CHECK(add({{"entry", entry}, {"backup", backup}}));
    return vault.rename(entry, backup);
}

Result<void> FlowJournal::makes_entry(std::string const& entry, Vault& vault) {
    PFAR_TRY(there, vault.has(entry));
    return there ? Result<void>() : add({{"entry", entry}});
}

Result<void> FlowJournal::may_make(std::vector<fs::path> const& paths) {
    json::array made;
    for (auto const& path : paths)
        if (!is_there(home_ / path)) made.emplace_back(path.native());
    return made.empty() ? Result<void>() : add({{"made", std::move(made)}});
}

Result<void> FlowJournal::when_done_remove(fs::path const& path) {
    return add({{"remove", path.native()}});
}

Result<void> FlowJournal::when_done_forget(std::string const& entry) {
    return add({{"forget", entry}});
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
    base::Fd const directory(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory) ::fsync(directory.number());
    return {};
}

Result<void> FlowJournal::clear(OpenVault const& vault) {
    for (auto const& step : steps_) PFAR_CHECK(finish_step(step, {home_, directory_}, vault));
    return remove_itself();
}

Result<void> FlowJournal::undo(OpenVault const& vault, std::function<void()> const& settle, bool keep_entries) {
    std::string trouble;
    auto const undo_those = [&](bool made) {
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
            if (auto const undone = step->contains("made") == made
                                        ? undo_step(*step, {home_, directory_}, vault, keep_entries)
                                        : Result<void>();
                !undone)
                trouble += (trouble.empty() ? "" : "; ") + undone.error().what;
    };
    {
        PFAR_TRY(held, lock_home(home_));
        undo_those(false);
    }
    if (!steps_.empty() && settle) settle();
    undo_those(true);
    if (!trouble.empty()) return fail(Errc::io, trouble);
    return remove_itself();
}

bool FlowJournal::any_left(fs::path const& home) {
    for (auto const& directory : journals(home))
        if (take_lock(directory)) return true; // and let go again
    return false;
}

std::vector<FlowJournal::Left> FlowJournal::recover(House const& house, OpenVault const& vault,
                                                    std::function<void()> const& settle) {
    std::vector<Left> out;
    for (auto const& directory : journals(house.places.home)) {
        auto lock = take_lock(directory);
        if (!lock) continue; // it goes on
        FlowJournal left(house.places.home, directory, std::move(*lock));
        bool const done = is_there(directory / done_name);
        auto const text = base::read_file(directory / (done ? done_name : journal_name), most_journal);
        boost::system::error_code bad;
        auto const read = text ? json::parse(*text, bad) : json::value();
        if (text && !bad && read.is_object() && read.get_object().contains("steps")) {
            left.about_ = text_at(read.get_object(), "about");
            if (auto const* const steps = read.at("steps").if_array())
                for (auto const& step : *steps)
                    if (step.is_object()) left.steps_.push_back(step.get_object());
        }
        auto const about = left.about_;
        bool const tells = !left.steps_.empty() && !done;
        auto const result = done ? left.clear(vault) : left.undo(vault, settle);
        if (tells || !result) out.push_back({about, result});
    }
    return out;
}

} // namespace pfar::house
