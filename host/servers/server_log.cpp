#include "servers/server_log.hpp"

#include "base/text.hpp"

#include <fmt/chrono.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace pfar::servers {
namespace {

constexpr std::size_t most_line = 8U << 10U, most_ring = 256U << 10U, most_remarks = 50;
constexpr std::size_t most_unwritten = 64U << 10U, most_said = 500;
constexpr std::uint64_t most_file = 1U << 20U;
constexpr std::string_view our_mark = "[pfar]";

/// What begins with our mark is ours; a server that writes it is quoted.
bool looks_like_ours(std::string_view line) {
    auto const begin = line.find_first_not_of(" \t");
    return begin != std::string_view::npos && line.substr(begin).starts_with(our_mark);
}

} // namespace

ServerLog::ServerLog(std::filesystem::path file) : file_(std::move(file)) {}

void ServerLog::add(std::string_view chunk) {
    while (!chunk.empty()) {
        auto const stop = chunk.find('\n');
        auto const part = chunk.substr(0, std::min(stop, most_line - half_.size()));
        half_ += part;
        chunk.remove_prefix(part.size() == stop ? stop + 1 : part.size());
        if (part.size() == stop || half_.size() >= most_line) end_line();
    }
    write_out();
}

void ServerLog::finish() {
    end_line();
    write_out();
}

void ServerLog::end_line() {
    auto line = std::exchange(half_, "");
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) return;
    put(looks_like_ours(line) ? "it said: " + line : line);
}

/// What a server does may be a reason for many of them: above 50 a second they are counted.
void ServerLog::remark(std::string_view words) {
    auto const now = std::chrono::steady_clock::now();
    if (now - second_ >= std::chrono::seconds(1)) {
        if (remarks_ > most_remarks)
            put(fmt::format("{} and {} further remarks in that second", our_mark, remarks_ - most_remarks));
        second_ = now, remarks_ = 0;
    }
    if (++remarks_ > most_remarks) return;
    end_line();
    put(fmt::format("{} {}", our_mark, words));
    write_out();
}

/// A flood has many lines a second, and they have one stamp.
std::string ServerLog::stamped(std::string_view line) {
    auto const now = std::time(nullptr);
    if (now != stamp_time_) {
        std::tm parts{};
        ::localtime_r(&now, &parts);
        stamp_ = fmt::format("{:%Y-%m-%dT%H:%M:%S} ", parts);
        stamp_time_ = now;
    }
    return stamp_ + base::printable(line);
}

void ServerLog::put(std::string_view line) {
    auto text = stamped(line);
    ++count_;
    unwritten_ += text;
    unwritten_ += '\n';
    if (unwritten_.size() > most_unwritten) write_out();
    tell(text);
    bytes_ += text.size();
    ring_.push_back(std::move(text));
    while (bytes_ > most_ring) bytes_ -= ring_.front().size(), ring_.pop_front();
}

void ServerLog::tell(std::string const& line) {
    for (auto at = listeners_.begin(); at != listeners_.end();) {
        auto const [number, listener] = *at; // it may take itself away
        listener(line);
        at = listeners_.upper_bound(number);
    }
}

/// Many lines at once: a flood must not cost a system call for each.
void ServerLog::write_out() {
    if (unwritten_.empty()) return;
    auto const text = std::exchange(unwritten_, "");
    if (written_ + text.size() > most_file) out_ = {};
    if (!out_ && !open_file(text.size())) return;
    auto const put = ::write(out_.number(), text.data(), text.size());
    if (put > 0) written_ += static_cast<std::uint64_t>(put);
    if (put != static_cast<ssize_t>(text.size())) out_ = {}; // perhaps there is room at the next time
}

/// A new one if the old one is full; if that cannot be put aside, it is emptied.
bool ServerLog::open_file(std::size_t more) {
    ::mkdir(file_.parent_path().c_str(), 0700);
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    struct stat info {};
    written_ = ::stat(file_.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
    if (written_ + more > most_file) {
        if (::rename(file_.c_str(), (file_.native() + ".1").c_str()) != 0) flags |= O_TRUNC;
        written_ = 0;
    }
    out_ = base::Fd(::open(file_.c_str(), flags, 0600));
    return static_cast<bool>(out_);
}

std::vector<std::string> ServerLog::last(std::size_t lines) const {
    auto const skip = ring_.size() - std::min(lines, ring_.size());
    return {ring_.begin() + static_cast<std::ptrdiff_t>(skip), ring_.end()};
}

std::vector<std::string> ServerLog::said_since(std::uint64_t from, std::size_t most) const {
    std::deque<std::string> out;
    auto const fresh = std::min<std::uint64_t>(count_ - std::min(from, count_), ring_.size());
    for (auto line = ring_.end() - static_cast<std::ptrdiff_t>(fresh); line != ring_.end(); ++line) {
        auto const text = line->substr(std::min(line->find(' '), line->size() - 1) + 1);
        if (!text.starts_with(our_mark))
            out.push_back(base::printable(text.substr(0, most_said))); // the cut may go through a character
        if (out.size() > most) out.pop_front();
    }
    return {out.begin(), out.end()};
}

std::uint64_t ServerLog::listen(Listener listener) {
    listeners_.emplace(++next_, std::move(listener));
    return next_;
}

std::vector<std::string> read_server_log(std::filesystem::path const& file, std::size_t lines) {
    std::deque<std::string> kept;
    for (auto const& part : {file.native() + ".1", file.native()}) {
        std::ifstream in(part);
        for (std::string line; std::getline(in, line);) {
            kept.push_back(base::printable(line));
            if (kept.size() > lines) kept.pop_front();
        }
    }
    return {kept.begin(), kept.end()};
}

} // namespace pfar::servers
