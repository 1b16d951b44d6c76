// Writer: takes events from any thread and has them written down by a thread of its own, many at once.
//
// The stored form is one JSON object a line, {"seq":N,"ts":"...","kind":"...",...details...,"prev":"...","hash":"..."}: `ts` is when it was
// added, `hash` a keyed hash over the bytes before it, `prev` that of the line before. Any number of processes may write
// one record. Secrets are the caller's business: what is added is written.
#pragma once

#include "audit/event.hpp"
#include "audit/journal.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace pfar::audit {

class Writer {
public:
    using Written = std::function<void(Result<void> const&)>;

    /// Makes the directory (0700) and its key if missing, and nothing else until something is added. [main thread, may block]
    static Result<std::unique_ptr<Writer>> open(std::filesystem::path const& directory, Limits const& limits = {});
    /// Writes what is left.
    ~Writer();
    Writer(Writer const&) = delete;
    Writer& operator=(Writer const&) = delete;

    /// Never waits. `written` is called on the writer's thread once the event is on disk, or with the reason why not; it must not throw, flush, or
    /// destroy the writer. Above 10,000 waiting events or 16 MiB the event is dropped, and an event `lost` counts those. [any thread]
    void add(Event event, Written written = {});
    /// Waits until everything added before is on disk; the first error since the last flush. [any thread but the writer's, may block]
    Result<void> flush();

private:
    struct Waiting {
        std::string entry;
        Written written;
        bool dropped = false; // only to be told
    };
    struct Group { // what is written at once
        std::vector<Waiting> events;
        std::vector<std::string> entries;
        std::uint64_t lost = 0; // that its last entry tells of
    };

    Writer(Journal journal, Limits const& limits) : limits_(limits), journal_(std::move(journal)) {}
    Result<void> wait_in_line(Waiting& event);
    Result<void> start();
    void run();
    std::optional<Group> take();
    void settle(Group const& group, Result<void> const& outcome);

    Limits limits_;
    Journal journal_;  // the writer's thread's
    std::mutex mutex_; // for everything below
    std::condition_variable work_, settled_;
    std::deque<Waiting> waiting_;
    std::size_t waiting_bytes_ = 0;
    std::uint64_t added_ = 0, done_ = 0, lost_ = 0;
    std::optional<Error> first_error_;
    bool stopping_ = false;
    std::thread thread_; // from the first event on
};

} // namespace pfar::audit
