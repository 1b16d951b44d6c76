#include "house/record.hpp"

#include <boost/json.hpp>
#include <spdlog/spdlog.h>

namespace pfar::house {
namespace {

void redact(boost::json::object& details, base::Redactor const& redactor) {
    auto const changed = redactor.redact_json(boost::json::serialize(details));
    if (changed) details = boost::json::parse(*changed).as_object();
}

} // namespace

void Record::open() {
    if (std::exchange(tried_, true)) return;
    auto opened = audit::Writer::open(house_.places.home / "audit");
    if (opened)
        writer_ = std::move(*opened);
    else
        spdlog::error("no audit: {}", opened.error().what);
}

void Record::add(audit::Event event) {
    open();
    if (!writer_) return;
    if (redactor_) redact(event.details, *redactor_);
    writer_->add(std::move(event), [](Result<void> const& written) {
        if (!written) spdlog::error("audit: {}", written.error().what);
    });
}

} // namespace pfar::house
