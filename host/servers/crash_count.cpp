#include "servers/crash_count.hpp"

#include <random>

namespace pfar::servers {
namespace {
constexpr std::chrono::minutes window{10};
constexpr std::size_t most_in_window = 3;
} // namespace

std::optional<std::chrono::seconds> CrashCount::crashed(Time now) {
    if (!crashes_.empty() && now - crashes_.back() >= window) forget();
    while (!crashes_.empty() && now - crashes_.front() >= window) crashes_.pop_front();
    crashes_.push_back(now);
    ++count_;
    if (crashes_.size() >= most_in_window) return {};
    if (count_ == 1) return std::chrono::seconds(1);
    return std::chrono::seconds(count_ == 2 ? 5 : 30);
}

std::chrono::milliseconds with_jitter(std::chrono::seconds wait) {
    thread_local std::minstd_rand random{std::random_device{}()};
    auto const whole = std::chrono::milliseconds(wait).count();
    return std::chrono::milliseconds(
        std::uniform_int_distribution<long>(whole - whole / 10, whole + whole / 10)(random));
}

} // namespace pfar::servers
