// BackReader: a file's lines from the last one to the first, in bounded memory.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace pfar::audit {

class BackReader {
public:
    /// Begins at the end of the last whole line. Errc::not_found if there is no such file. [may block]
    static Result<BackReader> open(std::filesystem::path const& file);

    /// The line before, without its newline, valid until the next call; none at the beginning. What is longer than any line of ours
    /// comes in pieces, as if they were lines. [may block]
    Result<std::optional<std::string_view>> previous();

    /// Where in the file the line begins that was returned last; before that, where the last whole line ends.
    [[nodiscard]] std::uint64_t place() const { return begin_ + buffer_.size(); }

private:
    BackReader(base::Fd file, std::uint64_t begin) : file_(std::move(file)), begin_(begin) {}
    Result<void> skip_torn();
    Result<void> grow();

    base::Fd file_;
    std::uint64_t begin_; // of what is in the buffer, in the file
    std::string buffer_;  // ends behind a newline
    std::string line_;
};

} // namespace pfar::audit
