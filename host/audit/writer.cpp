// An event becomes text on the thread that adds it: its size is known then, and what it was made of is given back at once.
#include "audit/writer.hpp"

#include "audit/entry.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <pthread.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace pfar::audit {
namespace {

constexpr std::size_t most_group_bytes = 1U << 20U; // so that a file is not much longer than it should be

Error too_many() {
    return fail(Errc::unavailable, "too many events wait to be written to the audit record; this one was dropped");
}

/// Signals are the main thread's; a full quota must be an error here, not a SIGXFSZ.
class NoSignals {
public:
    NoSignals() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    NoSignals(NoSignals const&) = delete;
    NoSignals& operator=(NoSignals const&) = delete;
    ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

} // namespace

Result<std::unique_ptr<Writer>> Writer::open(std::filesystem::path const& directory, Limits const& limits) {
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return fail(Errc::io, fmt::format("{} could not be made: {}", base::printable(directory.native()),
                                          base::errno_text(errno)));
    PFAR_TRY(key, Key::open(directory));
    return std::unique_ptr<Writer>(new Writer(Journal(directory, std::move(key), limits), limits));
}

Writer::~Writer() {
    {
        std::lock_guard const guard(mutex_);
        stopping_ = true;
    }
    work_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void Writer::add(Event event, Written written) {
    Waiting waiting{entry_text(std::move(event), std::chrono::system_clock::now()), std::move(written), false};
    if (auto const failed = wait_in_line(waiting); failed)
        work_.notify_one();
    else if (waiting.written) // there is no thread that could tell
        waiting.written(failed);
}

Result<void> Writer::wait_in_line(Waiting& event) {
    std::lock_guard const guard(mutex_);
    if (auto started = start(); !started) {
        ++lost_;
        if (!first_error_) first_error_ = started.error();
        return started;
    }
    if (waiting_.size() >= limits_.waiting_events || waiting_bytes_ + event.entry.size() > limits_.waiting_bytes) {
        ++lost_;
        if (!first_error_) first_error_ = too_many();
        if (!event.written) return {};
        event.entry.clear();
        event.dropped = true;
    }
    ++added_;
    waiting_bytes_ += event.entry.size();
    waiting_.push_back(std::move(event));
    return {};
}

Result<void> Writer::start() {
    if (thread_.joinable()) return {};
    NoSignals const blocked;
    try {
        thread_ = std::thread([this] { run(); });
    } catch (std::system_error const& error) {
        return fail(Errc::unavailable,
                    fmt::format("the audit record cannot be written: no thread for it ({})", error.what()));
    }
    return {};
}

Result<void> Writer::flush() {
    std::unique_lock lock(mutex_);
    settled_.wait(lock, [this, until = added_] { return done_ >= until; });
    if (!first_error_) return {};
    return *std::exchange(first_error_, std::nullopt);
}

void Writer::run() {
    while (auto const group = take()) {
        auto const outcome = group->entries.empty() ? Result<void>() : journal_.append(group->entries);
        settle(*group, outcome);
        if (!outcome && group->events.empty()) return; // stopping, and even the loss cannot be told
    }
}

std::optional<Writer::Group> Writer::take() {
    std::unique_lock lock(mutex_);
    work_.wait(lock, [this] { return !waiting_.empty() || stopping_; });
    Group group;
    for (std::size_t bytes = 0; !waiting_.empty() && bytes < most_group_bytes; waiting_.pop_front()) {
        auto& event = group.events.emplace_back(std::move(waiting_.front()));
        bytes += event.entry.size();
        waiting_bytes_ -= event.entry.size();
        if (!event.dropped) group.entries.push_back(std::move(event.entry));
    }
    group.lost = lost_;
    if (group.lost > 0)
        group.entries.push_back(entry_text({"lost", {{"count", group.lost}}}, std::chrono::system_clock::now()));
    return group.events.empty() && group.entries.empty() ? std::nullopt : std::optional(std::move(group));
}

void Writer::settle(Group const& group, Result<void> const& outcome) {
    Result<void> const dropped = too_many();
    for (auto const& event : group.events)
        if (event.written) event.written(event.dropped ? dropped : outcome);
    {
        std::lock_guard const guard(mutex_);
        done_ += group.events.size();
        if (outcome)
            lost_ -= group.lost;
        else
            lost_ += group.entries.size() - (group.lost > 0 ? 1 : 0);
        if (!outcome && !first_error_) first_error_ = outcome.error();
    }
    settled_.notify_all();
}

} // namespace pfar::audit
