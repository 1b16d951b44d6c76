// Record: this process's hand in the audit, opened when there is first something to write.
#pragma once

#include "audit/writer.hpp"
#include "base/redact.hpp"
#include "house/house.hpp"

namespace pfar::house {

class Record {
public:
    using Written = audit::Writer::Written;

    explicit Record(House const& house) : house_(house) {}

    /// Never waits, and costs well under a microsecond for an event of ready members. That the record cannot be written is told in
    /// the log, once, and by health(): what was refused stays refused without it. [main thread the first time]
    void add(audit::Event event) { add(std::move(event), {}); }
    /// The same for whoever wants to know that it is on disk: written at once, and `written` called on the writer's thread, or here if
    /// there is no record.
    void add(audit::Event event, Written written);
    /// The same for what must not happen without: waits until it is on disk. [main thread, may block]
    Result<void> write(audit::Event event);
    /// From now on no event has one of its secrets. [any thread]
    void redact_with(std::shared_ptr<base::Redactor const> redactor);
    /// Opens it, so that add() may be called on other threads.
    Result<void> open();
    /// Waits until everything is written.
    void close() { writer_.reset(); }

    /// Why nothing can be written at the moment; fine before it is opened. [any thread once it is open, never waits]
    [[nodiscard]] Result<void> health() const;
    /// When something was last written; the clock's beginning if nothing was. [any thread once it is open]
    [[nodiscard]] std::chrono::steady_clock::time_point last_good() const;

private:
    House const& house_;
    std::unique_ptr<audit::Writer> writer_;
    std::mutex mutex_; // of redactor_
    std::shared_ptr<base::Redactor const> redactor_;
    std::optional<Error> trouble_; // it could not be opened
};

} // namespace pfar::house
