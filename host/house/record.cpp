// Secrets are looked for on the writer's thread, by whoever knew them when the event was added.
#include "house/record.hpp"

#include <spdlog/spdlog.h>

namespace pfar::house {
namespace {

constexpr std::chrono::seconds between_tries{1};

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

Result<Record::WriterPtr> Record::make_writer() const {
    audit::Limits limits;
    limits.delay = delay_;
    PFAR_TRY(opened, audit::Writer::open(house_.places.home / "audit", limits, log_health));
    return WriterPtr(std::move(opened));
}

Result<Record::WriterPtr> Record::writer() {
    if (writer_) return writer_;
    if (trouble_ && Clock::now() - tried_ < between_tries) return *trouble_;
    tried_ = Clock::now();
    auto made = make_writer();
    if (made) {
        if (trouble_) log_health({});
        trouble_.reset();
        return writer_ = std::move(*made);
    }
    bool const is_new = !trouble_;
    trouble_ = fail(made.error().code, "no audit: " + made.error().what);
    if (is_new) spdlog::error("{}", trouble_->what);
    return *trouble_;
}

Record::WriterPtr Record::exchange(WriterPtr next) {
    std::scoped_lock const lock(mutex_);
    return std::exchange(writer_, std::move(next));
}

Result<void> Record::open() {
    std::scoped_lock const lock(mutex_);
    PFAR_CHECK(writer());
    return {};
}

void Record::settings_changed() {
    auto const wanted = house_.settings.audit_delay;
    std::unique_lock lock(mutex_);
    if (delay_ == wanted || (writer_ && !writer_->health())) return;
    delay_ = wanted;
    auto const before = writer_;
    lock.unlock();
    if (!before) return;
    (void)before->flush(); // what came before stands before
    if (auto next = make_writer()) (void)exchange(std::move(*next));
}

void Record::settle() {
    std::unique_lock lock(mutex_);
    auto const here = writer_;
    lock.unlock();
    if (here) (void)here->flush(); // what could not be written is in health()
}

void Record::close() {
    (void)exchange({});
}

Result<Record::WriterPtr> Record::give(audit::Event event, Written written) {
    std::unique_lock lock(mutex_);
    auto here = writer();
    event.redactor = redactor_;
    lock.unlock();
    if (here)
        (*here)->add(std::move(event), std::move(written));
    else if (written)
        written(here.error());
    return here;
}

Result<void> Record::write(audit::Event event) {
    Result<void> outcome;
    PFAR_TRY(here, give(std::move(event), [&](Result<void> const& written) { outcome = written; }));
    (void)here->flush(); // its error may be of an event before this one
    return outcome;
}

Result<void> Record::health() const {
    std::scoped_lock const lock(mutex_);
    if (writer_) return writer_->health();
    return trouble_ ? Result<void>(*trouble_) : Result<void>();
}

std::chrono::steady_clock::time_point Record::last_good() const {
    std::scoped_lock const lock(mutex_);
    return writer_ ? writer_->last_good() : Clock::time_point();
}

} // namespace pfar::house
