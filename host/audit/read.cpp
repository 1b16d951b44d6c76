// Several processes write, and each line has the time when its event was added. So one may be a little older than the one before it; where
// reading begins or ends by time, it allows for a minute of that.
#include "audit/read.hpp"

#include "audit/back_reader.hpp"
#include "audit/entry.hpp"
#include "audit/files.hpp"
#include "audit/line_reader.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <limits>

namespace pfar::audit {
namespace {

namespace json = boost::json;

/// One line, taken apart in memory that is used again.
class Parsed {
public:
    /// Null if it is no line of a record.
    json::object const* operator()(std::string_view line) {
        value_.reset();
        memory_.emplace(buffer_, sizeof buffer_);
        json::parse_options options;
        options.max_depth = 256; // what was called with may be nested
        boost::system::error_code error;
        value_.emplace(json::parse(line, error, &*memory_, options));
        auto const* const event = error ? nullptr : value_->if_object();
        bool const is_line =
            event != nullptr && event->contains("seq") && !text_in(*event, "ts").empty() && event->contains("kind");
        return is_line ? event : nullptr;
    }
    Parsed() = default;
    Parsed(Parsed const&) = delete;
    Parsed& operator=(Parsed const&) = delete;
    ~Parsed() = default;

private:
    unsigned char buffer_[16384];
    std::optional<json::monotonic_resource> memory_;
    std::optional<json::value> value_;
};

/// Of the first line that is one; empty if there is none.
std::string first_time(std::filesystem::path const& file) {
    auto reader = LineReader::open(file, 0, std::numeric_limits<std::int64_t>::max());
    Parsed parsed;
    while (reader) {
        auto const line = reader->next();
        if (!line || !*line) break;
        if (auto const* const event = parsed(**line)) return std::string(text_in(*event, "ts"));
    }
    return {};
}

} // namespace

Reader::Reader(std::filesystem::path directory, Filter filter, std::optional<Time> since)
    : directory_(std::move(directory)), filter_(std::move(filter)) {
    if (!since) return;
    since_ = time_text(*since);
    long_before_ = time_text(*since - std::chrono::minutes(1));
}

bool Reader::is_wanted(json::object const& event) const {
    return text_in(event, "ts") >= since_ && matches(filter_, event);
}

Result<void> Reader::go_to_last(std::uint64_t count) {
    auto files = files_of(directory_);
    std::reverse(files.begin(), files.end());
    auto left = count;
    for (auto const file : files) {
        PFAR_TRY(further, count_back(file, left));
        if (!further) return {};
    }
    return {};
}

/// False: far enough.
Result<bool> Reader::count_back(std::uint32_t file, std::uint64_t& left) {
    auto reader = BackReader::open(directory_ / file_name(file));
    if (!reader && reader.error().code == Errc::not_found) return true;
    if (!reader) return reader.error();
    file_ = file;
    at_ = reader->place();
    for (Parsed parsed; left > 0; at_ = reader->place()) {
        PFAR_TRY(line, reader->previous());
        if (!line) return true;
        auto const* const event = parsed(*line);
        if (event == nullptr) continue;
        if (text_in(*event, "ts") < long_before_) return false;
        if (is_wanted(*event)) --left;
    }
    return false;
}

/// The last file that begins before it.
void Reader::go_to_since() {
    auto const files = files_of(directory_);
    if (files.empty()) return;
    auto const begins_before = [&](std::uint32_t file) {
        auto const begun = first_time(directory_ / file_name(file));
        return !begun.empty() && begun < long_before_;
    };
    auto const last = since_.empty() ? files.rend() : std::find_if(files.rbegin(), files.rend(), begins_before);
    file_ = last == files.rend() ? files.front() : *last;
}

Result<void> Reader::read(Hear const& hear) {
    if (file_ == 0) go_to_since();
    while (file_ != 0) {
        // Looked for first: what has a successor is not written to any more.
        auto const files = files_of(directory_);
        auto const next = std::upper_bound(files.begin(), files.end(), file_);
        PFAR_TRY(further, read_file(hear));
        if (!further || next == files.end()) return {};
        skipped_ += is_torn_ ? 1 : 0;
        file_ = *next;
        at_ = 0;
    }
    return {};
}

/// False: enough was heard.
Result<bool> Reader::read_file(Hear const& hear) {
    auto const file = directory_ / file_name(file_);
    std::error_code error;
    if (auto const size = std::filesystem::file_size(file, error); !error) at_ = std::min<std::uint64_t>(at_, size);
    auto reader = LineReader::open(file, at_, std::numeric_limits<std::int64_t>::max());
    is_torn_ = false;
    if (!reader && reader.error().code == Errc::not_found) return true;
    if (!reader) return reader.error();
    for (Parsed parsed;;) {
        PFAR_TRY(line, reader->next());
        at_ = reader->place();
        if (!line) break;
        auto const* const event = parsed(*line);
        if (event == nullptr)
            ++skipped_;
        else if (is_wanted(*event) && !hear(*line, *event))
            return false;
    }
    is_torn_ = reader->rest() > 0;
    return true;
}

} // namespace pfar::audit
