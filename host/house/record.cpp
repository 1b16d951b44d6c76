#include "house/record.hpp"

#include <boost/json.hpp>
#include <spdlog/spdlog.h>

namespace pfar::house {

void Record::redact_with(std::shared_ptr<base::Redactor const> redactor) {
    std::scoped_lock const lock(mutex_);
    redactor_.swap(redactor);
}

void Record::redact(boost::json::object& details) {
    std::unique_lock lock(mutex_);
    auto const redactor = redactor_;
    lock.unlock();
    auto const changed = redactor ? redactor->redact_json(boost::json::serialize(details)) : std::nullopt;
    if (changed) details = boost::json::parse(*changed).as_object();
}

Result<void> Record::open() {
    if (trouble_) return *trouble_;
    if (writer_) return {};
    auto opened = audit::Writer::open(house_.places.home / "audit");
    if (opened) {
        writer_ = std::move(*opened);
        return {};
    }
    trouble_ = fail(opened.error().code, "no audit: " + opened.error().what);
    spdlog::error("{}", trouble_->what);
    return *trouble_;
}

void Record::add(audit::Event event) {
    if (!open()) return;
    redact(event.details);
    writer_->add(std::move(event), [](Result<void> const& written) {
        if (!written) spdlog::error("audit: {}", written.error().what);
    });
}

Result<void> Record::write(audit::Event event) {
    PFAR_CHECK(open());
    add(std::move(event));
    return writer_->flush();
}

} // namespace pfar::house
