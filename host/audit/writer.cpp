// What an event is made of becomes text on the thread that adds it, the line on the writer's. The thread that adds wakes the writer only if that
// sleeps and should not: for the first event, and for one that cannot wait.
#include "audit/writer.hpp"

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

Result<std::unique_ptr<Writer>> Writer::open(std::filesystem::path const& directory, Limits const& limits,
                                             Written on_health) {
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return fail(Errc::io, fmt::format("{} could not be made: {}", base::printable(directory.native()),
                                          base::errno_text(errno)));
    PFAR_TRY(key, Key::open(directory));
    return std::unique_ptr<Writer>(
        new Writer(Journal(directory, std::move(key), limits), limits, std::move(on_health)));
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
    bool const urgent = event.urgent || written;
    auto const when = std::chrono::system_clock::now();
    make_text(event);
    std::unique_lock lock(mutex_);
    if (auto const started = start(); !started) {
        lock.unlock();
        if (written) written(started); // there is no thread that could tell
        return;
    }
    admit(std::move(event), when, std::move(written));
    bool const wake = must_wake(urgent);
    lock.unlock();
    if (wake) work_.notify_one();
}

Result<void> Writer::start() {
    if (thread_.joinable()) return {};
    NoSignals const blocked;
    try {
        thread_ = std::thread([this] { run(); });
        return {};
    } catch (std::system_error const& error) {
        trouble_ = fail(Errc::unavailable,
                        fmt::format("the audit record cannot be written: no thread for it ({})", error.what()));
    }
    ++lost_;
    healthy_ = false;
    if (!first_error_) first_error_ = trouble_;
    return *trouble_;
}

void Writer::admit(Event event, Time when, Written written) {
    auto const size = event.kind.size() + event.members.size();
    bool const dropped = kept_events_ >= limits_.waiting_events || kept_bytes_ + size > limits_.waiting_bytes;
    if (dropped) {
        ++lost_;
        if (!first_error_) first_error_ = too_many();
        if (!trouble_) trouble_ = too_many();
        healthy_ = false;
        if (!written) return;
        event.members.clear();
    }
    auto& [events, text] = waiting_;
    events.push_back({std::move(event.kind), text.size(), event.members.size(), when, std::move(event.redactor),
                      std::move(written), dropped});
    text += event.members;
    ++added_;
    ++kept_events_;
    kept_bytes_ += events.back().size();
}

bool Writer::must_wake(bool urgent) {
    bool const enough = kept_bytes_ >= limits_.waiting_bytes / 4 || kept_events_ >= limits_.waiting_events / 4;
    hurry_ = hurry_ || urgent || enough;
    bool const wake = dozing_ == Doze::until_first || (dozing_ == Doze::until_enough && hurry_);
    if (wake) dozing_ = Doze::no; // it is told once
    return wake;
}

Result<void> Writer::flush() {
    std::unique_lock lock(mutex_);
    if ((!waiting_.events.empty() || lost_ > 0) && must_wake(true)) work_.notify_one();
    settled_.wait(lock, [this, until = added_] { return done_ >= until && (lost_ == 0 || trouble_); });
    if (!first_error_) return {};
    return *std::exchange(first_error_, std::nullopt);
}

Result<void> Writer::health() const {
    if (healthy_.load(std::memory_order_relaxed)) return {};
    std::lock_guard const guard(mutex_);
    if (!trouble_) return {};
    return *trouble_;
}

void Writer::run() {
    for (Batch batch; take(batch);)
        if (!write(batch) && batch.last) return; // even the loss cannot be told
}

/// Until there is something to write, and a while longer.
void Writer::doze(std::unique_lock<std::mutex>& lock) {
    auto const enough = [this] { return hurry_ || stopping_; };
    if (!trouble_) {
        dozing_ = Doze::until_first;
        work_.wait(lock, [this] { return !waiting_.events.empty() || lost_ > 0 || stopping_; });
    }
    dozing_ = Doze::until_enough;
    auto const until = trouble_ ? tried_ + limits_.retry : Clock::now() + limits_.delay;
    if (trouble_ || limits_.delay.count() > 0) work_.wait_until(lock, until, enough);
    dozing_ = Doze::no;
    hurry_ = false;
}

bool Writer::take(Batch& batch) {
    batch.queue.clear();
    std::unique_lock lock(mutex_);
    doze(lock);
    tried_ = Clock::now();
    std::swap(batch.queue, waiting_);
    batch.lost = lost_;
    batch.last = stopping_ && batch.queue.events.empty();
    return !batch.last || batch.lost > 0;
}

Result<void> Writer::write(Batch const& batch) {
    for (std::span rest(batch.queue.events);;) {
        auto group = begin_of(rest, batch.queue.text);
        rest = rest.subspan(group.events.size());
        if (rest.empty() && batch.lost > 0) {
            group.lost = batch.lost;
            entries_.text() += entry_text({"lost", {{"count", group.lost}}}, std::chrono::system_clock::now());
            entries_.end_entry();
        }
        group.entries = entries_.count();
        auto const outcome = group.entries == 0 ? Result<void>() : journal_.append(entries_);
        entries_.clear();
        settle(group, outcome);
        if (rest.empty()) return outcome;
    }
}

Writer::Group Writer::begin_of(std::span<Waiting const> events, std::string_view text) {
    std::size_t taken = 0;
    for (; taken < events.size() && entries_.bytes() < most_group_bytes; ++taken) {
        auto const& event = events[taken];
        if (event.dropped) continue;
        append_entry(entries_.text(),
                     {event.kind, text.substr(event.begin, event.bytes), event.when, event.redactor.get()});
        entries_.end_entry();
    }
    return {events.first(taken)};
}

void Writer::settle(Group const& group, Result<void> const& outcome) {
    for (auto const& event : group.events)
        if (event.written) event.written(event.dropped ? Result<void>(too_many()) : outcome);
    std::optional<Error> before;
    {
        std::lock_guard const guard(mutex_);
        before = trouble_;
        count(group, outcome);
    }
    settled_.notify_all();
    if (group.entries > 0) tell_health(before, outcome);
}

void Writer::count(Group const& group, Result<void> const& outcome) {
    done_ += group.events.size();
    kept_events_ -= group.events.size();
    for (auto const& event : group.events) kept_bytes_ -= event.size();
    if (group.entries == 0) return;
    if (outcome) {
        lost_ -= group.lost;
        trouble_.reset();
        last_good_ = Clock::now();
    } else {
        lost_ += group.entries - (group.lost > 0 ? 1 : 0);
        trouble_ = outcome.error();
        if (!first_error_) first_error_ = trouble_;
    }
    healthy_ = outcome.has_value();
}

/// What has passed in the meantime is told too.
void Writer::tell_health(std::optional<Error> const& before, Result<void> const& now) {
    if (!on_health_) return;
    bool const was_told = is_told_;
    if (!was_told && (before || !now)) on_health_(now ? Result<void>(*before) : now);
    if (now && (before || was_told)) on_health_(now);
    is_told_ = !now;
}

} // namespace pfar::audit
