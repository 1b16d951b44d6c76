// Secrets are looked for on the writer's thread, by whoever knew them when the event was added.
#include "house/record.hpp"

#include <spdlog/spdlog.h>

namespace pfar::house {
namespace {

void log_health(Result<void> const& health) {
    if (health)
        spdlog::info("audit: the record is written again");
    else
        spdlog::error("audit: {}; what happens from now on is lost to the record", health.error().what);
}

} // namespace

void Record::redact_with(std::shared_ptr<base::Redactor const> redactor) {
    if (redactor && redactor->empty()) redactor.reset();
    std::scoped_lock const lock(mutex_);
    redactor_.swap(redactor);
}

Result<void> Record::open() {
    if (trouble_) return *trouble_;
    if (writer_) return {};
    audit::Limits limits;
    limits.delay = house_.settings.audit_delay;
    auto opened = audit::Writer::open(house_.places.home / "audit", limits, log_health);
    if (opened) {
        writer_ = std::move(*opened);
        return {};
    }
    trouble_ = fail(opened.error().code, "no audit: " + opened.error().what);
    spdlog::error("{}", trouble_->what);
    return *trouble_;
}

void Record::add(audit::Event event, Written written) {
    if (auto const opened = open(); !opened) {
        if (written) written(opened);
        return;
    }
    {
        std::scoped_lock const lock(mutex_);
        event.redactor = redactor_;
    }
    writer_->add(std::move(event), std::move(written));
}

Result<void> Record::write(audit::Event event) {
    PFAR_CHECK(open());
    Result<void> outcome;
    add(std::move(event), [&](Result<void> const& written) { outcome = written; });
    (void)writer_->flush(); // its error may be of an event before this one
    return outcome;
}

Result<void> Record::health() const {
    if (trouble_) return *trouble_;
    return writer_ ? writer_->health() : Result<void>();
}

std::chrono::steady_clock::time_point Record::last_good() const {
    return writer_ ? writer_->last_good() : std::chrono::steady_clock::time_point();
}

} // namespace pfar::house
