// pread, so that a place in the file is a number and not a state.
#include "audit/line_reader.hpp"

#include "audit/entry.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace pfar::audit {
namespace {

constexpr std::size_t chunk = 2 * longest_line;

} // namespace

Result<LineReader> LineReader::open(std::filesystem::path const& file, std::uint64_t from, std::uint64_t until) {
    base::Fd opened{::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    if (!opened)
        return fail(errno == ENOENT ? Errc::not_found : Errc::io,
                    fmt::format("{} could not be read: {}", base::printable(file.native()), base::errno_text(errno)));
    return LineReader(std::move(opened), from, until);
}

Result<std::optional<std::string_view>> LineReader::next() {
    auto searched = taken_;
    for (;;) {
        auto const end = buffer_.find('\n', searched);
        bool const endless = end == std::string::npos && buffer_.size() - taken_ > chunk;
        if (end != std::string::npos || endless) {
            auto const line = std::string_view(buffer_).substr(taken_, endless ? chunk : end - taken_);
            taken_ += line.size() + (endless ? 0 : 1);
            return std::optional(line);
        }
        searched = buffer_.size() - taken_; // where fill() leaves what was searched already
        PFAR_TRY(more, fill());
        if (!more) return std::optional<std::string_view>();
    }
}

Result<bool> LineReader::fill() {
    buffer_.erase(0, std::exchange(taken_, 0));
    auto const size = static_cast<std::size_t>(std::min<std::uint64_t>(chunk, until_ - at_));
    auto const before = buffer_.size();
    buffer_.resize(before + size);
    ssize_t got = 0;
    do got = ::pread(file_.number(), buffer_.data() + before, size, static_cast<off_t>(at_));
    while (got < 0 && errno == EINTR);
    buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) return fail(Errc::io, fmt::format("the record could not be read: {}", base::errno_text(errno)));
    at_ += static_cast<std::uint64_t>(got);
    return got > 0;
}

} // namespace pfar::audit
