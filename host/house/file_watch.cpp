// The directories are watched, not the files: editors write a new file and rename it.
#include "house/file_watch.hpp"

#include <spdlog/spdlog.h>

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pfar::house {
namespace {

constexpr std::chrono::milliseconds debounce{100};
constexpr std::uint32_t of_interest = IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE |
                                      IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;

} // namespace

FileWatch::FileWatch(boost::asio::any_io_executor const& executor, std::function<void()> changed)
    : changed_(std::move(changed)), events_(executor), pause_(executor) {
    base::Fd events(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (events)
        events_.assign(events.release());
    else
        spdlog::warn("changed files will not be noticed before a reload: {}", std::strerror(errno));
}

void FileWatch::watch(std::vector<std::filesystem::path> const& directories) {
    if (!events_.is_open()) return;
    for (auto const& directory : directories) add(directory);
    if (!std::exchange(waiting_, true)) hear_soon();
}

/// The nearest directory that is there: what is missing below it will be made in it.
void FileWatch::add(std::filesystem::path const& directory) {
    auto place = directory;
    for (int up = 0; up < 4; ++up, place = place.parent_path()) {
        int const number = ::inotify_add_watch(events_.native_handle(), place.c_str(), of_interest);
        if (number >= 0) {
            watched_[number] = place;
            return;
        }
        if (!place.has_relative_path()) return;
    }
}

void FileWatch::hear_soon() {
    events_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [weak = weak_from_this()](boost::system::error_code const& error) {
                           if (auto const self = weak.lock(); self && !error) self->hear();
                       });
}

bool FileWatch::drain() {
    alignas(inotify_event) char events[16 << 10];
    bool any = false;
    while (::read(events_.native_handle(), events, sizeof events) > 0) any = true;
    return any;
}

bool FileWatch::take_news() {
    bool const now = drain();
    return take_heard() || now;
}

void FileWatch::hear() {
    news_ = drain() || news_;
    pause_.expires_after(debounce);
    pause_.async_wait([weak = weak_from_this()](boost::system::error_code const& error) {
        auto const self = weak.lock();
        if (!self || error) return;
        self->drain();
        self->news_ = false;
        self->changed_();
        self->hear_soon();
    });
}

void FileWatch::stop() {
    boost::system::error_code ignored;
    events_.close(ignored);
    pause_.cancel();
}

} // namespace pfar::house
