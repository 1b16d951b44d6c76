// The order is what makes a crash harmless: lines, their sync, the head.
#include "audit/journal.hpp"

#include "audit/entry.hpp"
#include "audit/files.hpp"
#include "audit/lock.hpp"
#include "audit/recover.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace pfar::audit {
namespace {

constexpr std::size_t around_an_entry = 192; // seq, prev and hash

Error io_error(std::filesystem::path const& file, char const* what) {
    auto const error = errno;
    return fail(Errc::io, fmt::format("the audit record {} could not be {}: {}", base::printable(file.native()), what,
                                      base::errno_text(error)));
}

bool write_all(int file, std::string_view bytes, std::uint64_t at) {
    while (!bytes.empty()) {
        auto const put = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
        at += static_cast<std::uint64_t>(put);
    }
    return true;
}

base::Fd open_file(std::filesystem::path const& file) {
    return base::Fd{::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)};
}

/// Somebody may have moved the files away under us.
bool is_there(base::Fd const& file, std::uint64_t size) {
    struct stat status {};
    return file && ::fstat(file.number(), &status) == 0 && status.st_nlink > 0 &&
           static_cast<std::uint64_t>(status.st_size) == size;
}

} // namespace

Result<void> Journal::append(Entries const& entries) {
    PFAR_TRY(held, hold(directory_, limits_.lock));
    PFAR_TRY(recovered, catch_up());
    if (head_.size >= limits_.file_bytes) PFAR_CHECK(begin_file());

    auto next = head_;
    text_.reserve(entries.bytes() + entries.count() * around_an_entry);
    if (recovered)
        append_line(text_, entry_text(std::move(*recovered), std::chrono::system_clock::now()), next.mark, key_);
    for (std::size_t i = 0; i < entries.count(); ++i) append_line(text_, entries[i], next.mark, key_);
    next.size += text_.size();
    next.line += next.mark.seq - head_.mark.seq;
    auto written = write(next);
    empty_out(text_);
    return written;
}

bool Journal::is_current() const {
    char text[head_size];
    return is_there(lines_, head_.size) && is_there(head_file_, head_size) &&
           ::pread(head_file_.number(), text, head_size, 0) == static_cast<ssize_t>(head_size) &&
           head_text_ == std::string_view(text, head_size);
}

Result<std::optional<Event>> Journal::catch_up() {
    if (is_current()) return std::optional<Event>();
    PFAR_TRY(recovered, recover(directory_, key_));
    head_ = recovered.head;
    PFAR_CHECK(open_files());
    return std::move(recovered.event);
}

/// The head comes first: a record without one has lost it.
Result<void> Journal::open_files() {
    auto const file = directory_ / file_name(head_.file);
    head_file_ = open_file(directory_ / "head");
    if (!head_file_) return io_error(directory_ / "head", "opened");
    if (!is_there(head_file_, head_size)) write_head();
    bool const is_new = head_.size == 0;
    lines_ = open_file(file);
    if (!lines_) return io_error(file, "opened");
    if (!is_new) return {};
    base::Fd const parent{::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!parent || ::fsync(parent.number()) != 0) return io_error(directory_, "synced");
    return {};
}

Result<void> Journal::begin_file() {
    ::fsync(head_file_.number()); // so that it is never more than one file behind
    auto const before = head_;
    head_ = {head_.mark, std::max(last_file(directory_), head_.file) + 1, 0, 0};
    auto opened = open_files();
    if (!opened) lines_ = {}, head_ = before; // found anew next time
    return opened;
}

Result<void> Journal::write(Head const& next) {
    auto const number = lines_.number();
    if (!write_all(number, text_, head_.size) || ::fdatasync(number) != 0) {
        auto error = io_error(directory_ / file_name(head_.file), "written");
        if (::ftruncate(number, static_cast<off_t>(head_.size)) != 0) lines_ = {}; // then recovery cuts it
        return error;
    }
    head_ = next;
    write_head();
    return {};
}

/// If it cannot be written, the lines are there all the same, and the next writer adopts them.
void Journal::write_head() {
    head_text_ = to_text(head_, key_);
    if (!write_all(head_file_.number(), head_text_, 0)) head_text_.clear();
}

} // namespace pfar::audit
