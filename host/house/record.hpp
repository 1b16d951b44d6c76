// Record: this process's hand in the audit, opened when there is first something to write.
#pragma once

#include "audit/writer.hpp"
#include "base/redact.hpp"
#include "house/house.hpp"

namespace pfar::house {

class Record {
public:
    using Written = audit::Writer::Written;

    explicit Record(House const& house) : house_(house), delay_(house.settings.audit_delay) {}

    /// Never waits, and costs well under a microsecond for an event of ready members. That the record cannot be written is told in
    /// the log, once, and by health(): what was refused stays refused without it. [any thread]
    void add(audit::Event event) { add(std::move(event), {}); }
    /// The same for whoever wants to know that it is on disk: written at once, and `written` called on the writer's thread, or here if
    /// there is no record.
    void add(audit::Event event, Written written) { (void)give(std::move(event), std::move(written)); }
    /// The same for what must not happen without: waits until it is on disk. [main thread, may block]
    Result<void> write(audit::Event event);
    /// From now on no event has one of its secrets. [any thread]
    void redact_with(std::shared_ptr<base::Redactor const> redactor);
    /// Opens it now. One that could not be opened is tried again when there is something to write, once a second at most. [any thread, may block]
    Result<void> open();
    /// Has it follow `audit.delay` from now on. Not while it cannot be written: who tells how much was lost is kept. [main thread, may block]
    void settings_changed();
    /// Waits until everything so far is written. [any thread, may block]
    void settle();
    /// Waits until everything is written.
    void close();

    /// Why nothing can be written at the moment; fine before it is opened. [any thread, never waits]
    [[nodiscard]] Result<void> health() const;
    /// When something was last written; the clock's beginning if nothing was. [any thread]
    [[nodiscard]] std::chrono::steady_clock::time_point last_good() const;

private:
    using Clock = std::chrono::steady_clock;
    using WriterPtr = std::shared_ptr<audit::Writer>;

    [[nodiscard]] Result<WriterPtr> make_writer() const;
    Result<WriterPtr> writer(); // with the mutex held
    Result<WriterPtr> give(audit::Event event, Written written);
    WriterPtr exchange(WriterPtr next);

    House const& house_;
    mutable std::mutex mutex_; // for everything below
    WriterPtr writer_;
    std::chrono::milliseconds delay_; // a copy: settings are the main thread's
    std::shared_ptr<base::Redactor const> redactor_;
    std::optional<Error> trouble_; // it could not be opened
    Clock::time_point tried_{};
};

} // namespace pfar::house
