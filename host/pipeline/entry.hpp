// Entry: a call's place in the record: a line before it is sent, a line when it is over, or one line if it was refused.
#pragma once

#include "pipeline/pipeline.hpp"

namespace pfar::pipeline {

class Pipeline::Entry {
public:
    Entry(Means const& means, Call const& call, std::uint64_t number)
        : means_(means), call_(call), number_(number), begun_(Clock::now()) {}

    /// To be written before it is sent.
    audit::Event sending(base::Semantics semantics);
    /// `result`: the result or the error object; may be empty.
    void over(std::string_view outcome, std::string_view why, std::string_view result);

private:
    using Clock = std::chrono::steady_clock;
    /// With room for `more` bytes.
    [[nodiscard]] std::string beginning(std::string_view outcome, std::size_t more) const;

    Means const& means_;
    Call const& call_;
    std::uint64_t number_;
    Clock::time_point begun_;
    bool sent_ = false;
};

} // namespace pfar::pipeline
