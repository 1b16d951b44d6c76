#include "house/known_secrets.hpp"

#include "base/log.hpp"

namespace pfar::house {

void KnownSecrets::add(std::shared_ptr<base::Redactor const> const& redactor) {
    all_.reset();
    base::redact_log(nullptr); // the union before kept those alive that nobody needs any more
    record_.redact_with(nullptr);
    std::erase_if(known_, [](auto const& one) { return one.expired(); });
    known_.push_back(redactor);
    std::vector<std::shared_ptr<base::Redactor const>> parts;
    for (auto const& weak : known_)
        if (auto part = weak.lock()) parts.push_back(std::move(part));
    all_ = std::make_shared<base::Redactor const>(std::move(parts));
    base::redact_log(all_);
    record_.redact_with(all_);
}

} // namespace pfar::house
