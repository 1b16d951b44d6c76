// KnownSecrets: what running servers were given, so that no log line and no record of this process has any of it.
#pragma once

#include "house/record.hpp"

namespace pfar::house {

class KnownSecrets {
public:
    explicit KnownSecrets(Record& record) : record_(record) {}

    /// Known from now on, for as long as somebody keeps it. [main thread]
    void add(std::shared_ptr<base::Redactor const> const& redactor);
    /// Of everything that is known; may be null.
    [[nodiscard]] std::shared_ptr<base::Redactor const> all() const { return all_; }

private:
    Record& record_;
    std::vector<std::weak_ptr<base::Redactor const>> known_;
    std::shared_ptr<base::Redactor const> all_;
};

} // namespace pfar::house
