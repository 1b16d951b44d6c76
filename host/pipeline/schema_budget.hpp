// Budget: how much work one compilation or one check may be. A step is a schema applied, a value compared, some bytes read: about 20 ns.
#pragma once

#include <cstdint>

namespace pfar::pipeline::schemas {

inline constexpr std::uint64_t most_steps = 3'000'000;

class Budget {
public:
    /// False: used up, now and from now on.
    bool spend(std::uint64_t steps) {
        left_ = left_ > steps ? left_ - steps : 0;
        return left_ != 0;
    }
    void spend_all() { left_ = 0; }
    [[nodiscard]] bool spent() const { return left_ == 0; }

private:
    std::uint64_t left_ = most_steps;
};

} // namespace pfar::pipeline::schemas
