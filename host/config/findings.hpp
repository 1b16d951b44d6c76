// Findings: collects the mistakes of one file, and quotes the line for each.
#pragma once

#include "config/mistake.hpp"
#include "config/source.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace pfar::config {

class Findings {
public:
    /// `whole`: false if a part of the file could not be read; then nothing is said to be missing.
    Findings(Source const& source, bool whole) : source_(source), whole_(whole) {}

    void error(Where where, Wrong wrong) { add(Severity::error, where, std::move(wrong)); }
    void warning(Where where, Wrong wrong) { add(Severity::warning, where, std::move(wrong)); }
    void take(std::vector<Mistake> mistakes) {
        for (auto& mistake : mistakes) mistakes_.push_back(std::move(mistake));
    }

    [[nodiscard]] bool whole() const { return whole_; }
    /// False where a value must not be quoted.
    [[nodiscard]] bool may_quote(Where where) const { return source_.may_quote(where.line); }
    [[nodiscard]] bool has_errors() const { return count(mistakes_, Severity::error) > 0; }
    /// Of each severity; what a stranger wrote must not make a message of any length.
    static constexpr std::size_t most = 100;
    /// In the order of the file.
    [[nodiscard]] std::vector<Mistake> sorted() && {
        std::stable_sort(mistakes_.begin(), mistakes_.end(),
                         [](auto const& a, auto const& b) { return a.where < b.where; });
        return std::move(mistakes_);
    }

private:
    /// Two readers may trip over the same thing; it is said once.
    void add(Severity severity, Where where, Wrong wrong) {
        if (count(mistakes_, severity) >= most) return;
        for (auto const& known : mistakes_)
            if (known.where == where && known.what == wrong.what) return;
        mistakes_.push_back({severity, where, std::move(wrong.what), std::move(wrong.expected), std::move(wrong.fix),
                             source_.shown(where.line)});
    }

    Source const& source_;
    bool whole_;
    std::vector<Mistake> mistakes_;
};

} // namespace pfar::config
