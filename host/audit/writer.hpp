// Writer: takes events from any thread and has them written down by a thread of its own, many at once.
//
// The stored form is one JSON object a line, {"seq":N,"ts":"...","kind":"...",...details...,"prev":"...","hash":"..."}: `ts` is when it was
// added, `hash` a keyed hash over the bytes before it, `prev` that of the line before. Any number of processes may write
// one record. Secrets are the caller's business: what is added is written, but what Event::redactor finds.
//
// An event waits Limits::delay for others, so that all of them cost one sync; the very first does not, nor does whoever wants to know that
// his is on disk. While the record cannot be written, what comes is lost and counted, and it is tried again until it can.
#pragma once

#include "audit/entry.hpp"
#include "audit/journal.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <thread>

namespace pfar::audit {

class Writer {
public:
    /// Called on the writer's thread; must not throw, flush, or destroy the writer.
    using Written = std::function<void(Result<void> const&)>;
    using Clock = std::chrono::steady_clock;

    /// Makes the directory (0700) and its key if missing, and nothing else until something is added. `on_health` hears why the
    /// record cannot be written any more, once, and when it can again. [main thread, may block]
    static Result<std::unique_ptr<Writer>> open(std::filesystem::path const& directory, Limits const& limits = {},
                                                Written on_health = {});
    /// Writes what is left.
    ~Writer();
    Writer(Writer const&) = delete;
    Writer& operator=(Writer const&) = delete;

    /// Never waits. `written` is called once the event is on disk, or with the reason why not; with it the event is urgent. Above
    /// 50,000 waiting events or 16 MiB it is dropped, and an event `lost` counts those. [any thread]
    void add(Event event, Written written = {});
    /// Waits until everything added before is on disk; the first error since the last flush. [any thread but the writer's, may block]
    Result<void> flush();

    /// Why events are lost at the moment: the last group could not be written, or too many wait. [any thread, never waits]
    [[nodiscard]] Result<void> health() const;
    /// When a group was last written; the clock's beginning if none was. [any thread]
    [[nodiscard]] Clock::time_point last_good() const { return last_good_.load(std::memory_order_relaxed); }

private:
    struct Waiting {
        std::string kind;
        std::size_t begin, bytes; // its members in the queue's text
        Time when;
        std::shared_ptr<base::Redactor const> redactor;
        Written written;
        bool dropped = false; // only to be told

        [[nodiscard]] std::size_t size() const { return kind.size() + bytes; }
    };
    struct Queue {
        std::vector<Waiting> events;
        std::string text; // one memory for all: what one thread takes and another gives back costs both of them
        void clear() { empty_out(events), empty_out(text); }
    };
    struct Batch { // what had come together
        Queue queue;
        std::uint64_t lost = 0; // before it
        bool last = false;      // nothing can follow
    };
    struct Group { // of a batch, what is written at once
        std::span<Waiting const> events;
        std::size_t entries = 0;
        std::uint64_t lost = 0; // that its last entry tells of
    };
    enum class Doze { no, until_first, until_enough };

    Writer(Journal journal, Limits const& limits, Written on_health)
        : limits_(limits), on_health_(std::move(on_health)), journal_(std::move(journal)) {}
    Result<void> start();
    void admit(Event event, Time when, Written written);
    bool must_wake(bool urgent);
    void run();
    bool take(Batch& batch);
    void doze(std::unique_lock<std::mutex>& lock);
    Result<void> write(Batch const& batch);
    Group begin_of(std::span<Waiting const> events, std::string_view text);
    void settle(Group const& group, Result<void> const& outcome);
    void count(Group const& group, Result<void> const& outcome);
    void tell_health(std::optional<Error> const& before, Result<void> const& now);

    Limits limits_;
    Written on_health_;
    Journal journal_;      // the writer's thread's
    bool is_told_ = false; // likewise: that it cannot be written
    Entries entries_;      // likewise: of the group that is being written
    std::atomic<bool> healthy_ = true;
    std::atomic<Clock::time_point> last_good_ = Clock::time_point();
    mutable std::mutex mutex_; // for everything below
    std::condition_variable work_, settled_;
    Queue waiting_;
    std::size_t kept_events_ = 0, kept_bytes_ = 0; // waiting or being written
    std::uint64_t added_ = 0, done_ = 0, lost_ = 0;
    std::optional<Error> first_error_, trouble_;
    Clock::time_point tried_{};
    Doze dozing_ = Doze::no;
    bool hurry_ = true; // the first event shows whether the record can be written
    bool stopping_ = false;
    std::thread thread_; // from the first event on
};

} // namespace pfar::audit
