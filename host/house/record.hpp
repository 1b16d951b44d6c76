// Record: this process's hand in the audit, opened when there is first something to write.
#pragma once

#include "audit/writer.hpp"
#include "base/redact.hpp"
#include "house/house.hpp"

namespace pfar::house {

class Record {
public:
    explicit Record(House const& house) : house_(house) {}

    /// Never waits. What cannot be written is told in the log: what was refused stays refused without it. [main thread the first time]
    void add(audit::Event event);
    /// The same for what must not happen without: waits until it is on disk. [main thread, may block]
    Result<void> write(audit::Event event);
    /// From now on no event has one of its secrets. [any thread]
    void redact_with(std::shared_ptr<base::Redactor const> redactor);
    /// Opens it, so that add() may be called on other threads.
    Result<void> open();
    /// Waits until everything is written.
    void close() { writer_.reset(); }

private:
    void redact(boost::json::object& details);

    House const& house_;
    std::unique_ptr<audit::Writer> writer_;
    std::mutex mutex_; // of redactor_
    std::shared_ptr<base::Redactor const> redactor_;
    std::optional<Error> trouble_; // it could not be opened
};

} // namespace pfar::house
