// The rarer half of the arithmetic.
#include "base/redact_fingerprint.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace pfar::base::redaction {

Residue power(Residue base, std::uint64_t exponent) {
    Residue result = 1;
    for (; exponent != 0; exponent >>= 1U, base = times(base, base))
        if ((exponent & 1U) != 0) result = times(result, base);
    return result;
}

Residue random_base() {
    std::uint64_t drawn = 0;
    if (::getentropy(&drawn, sizeof drawn) != 0) throw std::system_error(errno, std::generic_category(), "getentropy");
    return 1000 + drawn % (modulus - 2000);
}

void Prefixes::reach(std::size_t begin, std::size_t end) {
    if (known_.empty() || begin < first_ || begin > first_ + known_.size() - 1) {
        known_.assign(1, 0);
        first_ = begin;
    }
    auto const have = first_ + known_.size() - 1;
    if (end <= have) return;
    if (known_.capacity() < end - first_ + 1) known_.reserve(std::max(end - first_ + 1, 2 * known_.capacity()));
    for (auto at = have; at < end; ++at) known_.push_back(extended(known_.back(), base_, text_[at]));
    work_ += end - have;
}

} // namespace pfar::base::redaction
