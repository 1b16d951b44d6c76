// Entries: texts one behind the other in memory that is used again, because a busy record has a hundred thousand of them a second.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pfar::audit {

inline constexpr std::size_t most_spare_bytes = 1U << 20U;

/// For the next use; what a rare rush has made large is given back.
template <class Buffer> void empty_out(Buffer& buffer) {
    buffer.clear();
    if (buffer.capacity() * sizeof buffer[0] > most_spare_bytes) buffer = {};
}

class Entries {
public:
    /// To be appended to; end_entry() makes one of what was appended since the last.
    std::string& text() { return text_; }
    void end_entry() { ends_.push_back(text_.size()); }

    [[nodiscard]] std::size_t bytes() const { return text_.size(); }
    [[nodiscard]] std::size_t count() const { return ends_.size(); }
    [[nodiscard]] std::string_view operator[](std::size_t i) const {
        auto const begin = i == 0 ? 0 : ends_[i - 1];
        return std::string_view(text_).substr(begin, ends_[i] - begin);
    }
    void clear() { empty_out(text_), empty_out(ends_); }

private:
    std::string text_;
    std::vector<std::size_t> ends_;
};

} // namespace pfar::audit
