// FileWatch: tells when something in one of several directories has changed; once for many changes at a time.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace pfar::house {

class FileWatch : public std::enable_shared_from_this<FileWatch> {
public:
    /// `changed` is called 100 ms after the first of some changes. [main thread, as all of it]
    FileWatch(boost::asio::any_io_executor const& executor, std::function<void()> changed);

    /// These from now on; one that is not there is waited for. Call it again after each change: a directory may have been replaced.
    void watch(std::vector<std::filesystem::path> const& directories);
    void stop();
    /// Whether a change was heard of that `changed` has not been called for yet; true once.
    bool take_heard() { return std::exchange(news_, false); }
    /// The same for what has changed until now: costs a system call.
    bool take_news();

private:
    bool drain();
    void add(std::filesystem::path const& directory);
    void hear_soon();
    void hear();

    std::function<void()> changed_;
    boost::asio::posix::stream_descriptor events_;
    boost::asio::steady_timer pause_;
    std::map<int, std::filesystem::path> watched_;
    bool waiting_ = false, news_ = false;
};

} // namespace pfar::house
