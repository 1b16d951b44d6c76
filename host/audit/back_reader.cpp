#include "audit/back_reader.hpp"

#include "audit/entry.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace pfar::audit {
namespace {

constexpr std::size_t piece = longest_line;

Error unreadable(std::filesystem::path const& file) {
    return fail(errno == ENOENT ? Errc::not_found : Errc::io,
                fmt::format("{} could not be read: {}", base::printable(file.native()), base::errno_text(errno)));
}

} // namespace

Result<BackReader> BackReader::open(std::filesystem::path const& file) {
    base::Fd opened{::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    struct stat status {};
    if (!opened || ::fstat(opened.number(), &status) != 0) return unreadable(file);
    BackReader reader(std::move(opened), static_cast<std::uint64_t>(status.st_size));
    PFAR_CHECK(reader.skip_torn());
    return reader;
}

Result<void> BackReader::skip_torn() {
    while (begin_ > 0) {
        buffer_.clear();
        PFAR_CHECK(grow());
        if (auto const end = buffer_.rfind('\n'); end != std::string::npos)
            return buffer_.resize(end + 1), Result<void>();
    }
    buffer_.clear();
    return {};
}

Result<std::optional<std::string_view>> BackReader::previous() {
    for (;;) {
        auto const before = buffer_.size() < 2 ? std::string::npos : buffer_.rfind('\n', buffer_.size() - 2);
        if (before == std::string::npos && begin_ > 0 && buffer_.size() <= 2 * piece) {
            PFAR_CHECK(grow());
            continue;
        }
        if (buffer_.empty()) return std::optional<std::string_view>();
        auto const start = before == std::string::npos ? 0 : before + 1;
        line_.assign(buffer_, start, buffer_.size() - 1 - start);
        buffer_.resize(start);
        return std::optional<std::string_view>(line_);
    }
}

/// What was cut off in the meantime reads as nothing.
Result<void> BackReader::grow() {
    auto const size = static_cast<std::size_t>(std::min<std::uint64_t>(piece, begin_));
    std::string bytes(size, '\n');
    ssize_t got = 0;
    do got = ::pread(file_.number(), bytes.data(), size, static_cast<off_t>(begin_ - size));
    while (got < 0 && errno == EINTR);
    if (got < 0) return fail(Errc::io, fmt::format("the record could not be read: {}", base::errno_text(errno)));
    begin_ -= size;
    buffer_.insert(0, bytes);
    return {};
}

} // namespace pfar::audit
