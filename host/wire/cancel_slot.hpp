// CancelSlot: a way to cancel what was asked, before or after it was sent.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace pfar::wire {

class CancelSlot {
public:
    void cancel(std::string why) {
        if (why_) return;
        why_.emplace(std::move(why));
        if (act_) std::exchange(act_, nullptr)(*why_);
    }
    [[nodiscard]] bool cancelled() const { return why_.has_value(); }
    /// Whoever works on it now. One at a time.
    void join(std::function<void(std::string const&)> act) {
        if (why_)
            act(*why_);
        else
            act_ = std::move(act);
    }
    void leave() { act_ = nullptr; }

private:
    std::optional<std::string> why_;
    std::function<void(std::string const&)> act_;
};

} // namespace pfar::wire
