// Never touches a byte before the head.
#include "audit/recover.hpp"

#include "audit/files.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace pfar::audit {
namespace {

namespace fs = std::filesystem;

std::uint64_t size_of(fs::path const& file) {
    std::error_code error;
    auto const size = fs::file_size(file, error);
    return error ? 0 : size;
}

Event event_of(std::string why, Head const& at) {
    return {"recovered", {{"why", std::move(why)}, {"file", file_name(at.file)}}};
}

Recovered in_new_file(fs::path const& directory, Head const& head, std::string why) {
    auto const next = std::max(last_file(directory), head.file) + 1;
    return {{head.mark, next, 0, 0}, event_of(std::move(why), head)};
}

/// What follows the last good line, kept beside the record if whole lines may be in it.
Result<void> cut(fs::path const& directory, Walked const& walked) {
    auto const file = directory / file_name(walked.end.file);
    if (walked.fault) {
        PFAR_TRY(content, base::read_file(file, std::size_t{1} << 28U));
        auto const tail = std::string_view(content).substr(std::min<std::size_t>(content.size(), walked.end.size));
        PFAR_CHECK(base::write_file(directory / fmt::format("cut-{}", walked.end.mark.seq + 1), tail, 0600));
    }
    if (::truncate(file.c_str(), static_cast<off_t>(walked.end.size)) != 0)
        return fail(Errc::io, fmt::format("{} could not be cut behind its last whole line: {}",
                                          base::printable(file.native()), base::errno_text(errno)));
    return {};
}

Result<Recovered> repair(fs::path const& directory, Walked const& walked, bool had_head) {
    bool const unconfirmed = walked.end.file == last_file(directory) && (had_head || !walked.fault);
    if (!unconfirmed) return in_new_file(directory, walked.end, walked.fault.value_or("the last line was cut off"));
    auto const bytes = size_of(directory / file_name(walked.end.file)) - walked.end.size;
    PFAR_CHECK(cut(directory, walked));
    return Recovered{walked.end,
                     event_of(fmt::format("a line was not written to its end: {} bytes cut off", bytes), walked.end)};
}

} // namespace

Result<Recovered> recover(fs::path const& directory, Key const& key) {
    PFAR_TRY(head, read_head(directory, key));
    if (!head && last_file(directory) == 0) return Recovered{};
    auto const from = head.value_or(Head{});
    if (size_of(directory / file_name(from.file)) < from.size)
        return in_new_file(directory, from, "lines that had been written are missing at the end");

    PFAR_TRY(walked, walk({directory, key, {}, {}}, from));
    if (!walked.clean()) return repair(directory, walked, head.has_value());
    Recovered out{walked.end, {}};
    if (!head)
        out.event = event_of("the head was missing or not whole", walked.end);
    else if (auto const more = walked.end.mark.seq - from.mark.seq; more > 0)
        out.event = event_of(fmt::format("{} lines were behind the head: adopted", more), walked.end);
    return out;
}

} // namespace pfar::audit
