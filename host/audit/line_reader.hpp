// LineReader: a file's lines one after the other, in bounded memory.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace pfar::audit {

class LineReader {
public:
    /// Reads from byte `from` on, and nothing at or behind byte `until`. Errc::not_found if there is no such file. [may block]
    static Result<LineReader> open(std::filesystem::path const& file, std::uint64_t from, std::uint64_t until);

    /// The next line without its newline, valid until the next call; none at the end, or where only a part of a line is left.
    /// What is longer than any line of ours comes as if it were one. [may block]
    Result<std::optional<std::string_view>> next();

    /// How many bytes without a newline were left at the end.
    [[nodiscard]] std::uint64_t rest() const { return buffer_.size() - taken_; }

    /// Where in the file the next line begins.
    [[nodiscard]] std::uint64_t place() const { return at_ - rest(); }

private:
    LineReader(base::Fd file, std::uint64_t at, std::uint64_t until) : file_(std::move(file)), at_(at), until_(until) {}
    Result<bool> fill();

    base::Fd file_;
    std::uint64_t at_, until_; // what is read next, and where it ends
    std::string buffer_;
    std::size_t taken_ = 0;
};

} // namespace pfar::audit
