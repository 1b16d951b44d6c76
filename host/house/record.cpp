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
    if (redactor_) redact(event.details, *redactor_);
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
