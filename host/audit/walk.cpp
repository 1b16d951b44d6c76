// Recovery and verification walk alike, so what one adopts the other accepts.
#include "audit/walk.hpp"

#include "audit/files.hpp"
#include "audit/line_reader.hpp"

#include <fmt/format.h>

#include <limits>

namespace pfar::audit {
namespace {

bool is_last(Walk const& how, Head const& at) {
    return how.until && at.file >= how.until->file;
}

std::string fault_at(Head const& end, std::string_view what) {
    return fmt::format("{}:{}: {}", file_name(end.file), end.line + 1, what);
}

/// The rest of one file. False if there is no such file.
Result<bool> walk_file(Walk const& how, Walked& walked) {
    auto& end = walked.end;
    auto const limit = is_last(how, end) ? how.until->size : std::numeric_limits<std::int64_t>::max();
    auto reader = LineReader::open(how.directory / file_name(end.file), end.size, limit);
    if (!reader && reader.error().code == Errc::not_found) return false;
    if (!reader) return reader.error();
    for (;;) {
        PFAR_TRY(line, reader->next());
        if (!line) break;
        if (auto const follows = follow(*line, end.mark, how.key); !follows) {
            walked.fault = fault_at(end, "the line " + follows.error().what);
            return true;
        }
        end.size += line->size() + 1;
        ++end.line;
        if (how.on_line) how.on_line(end.mark);
    }
    walked.torn = reader->rest();
    return true;
}

/// What the head says of the place that was reached.
void compare(Walked& walked, Head const& head) {
    auto const& end = walked.end;
    if (walked.torn > 0 || end.mark.seq < head.mark.seq)
        walked.fault =
            fault_at(end, fmt::format("the record ends here, but it had {} lines: its end was cut off", head.mark.seq));
    else if (end.mark != head.mark)
        walked.fault = fault_at(end, "the line before this one is not the one that the head names");
}

} // namespace

Result<Walked> walk(Walk const& how, Head const& from) {
    Walked walked{from, 0, {}};
    PFAR_TRY(there, walk_file(how, walked));
    if (!there && how.until && how.until->mark.seq > from.mark.seq)
        walked.fault = fmt::format("{} is missing", file_name(from.file));
    while (!walked.fault && !is_last(how, walked.end)) {
        // Only a whole file goes on in the next one.
        auto next = walked;
        next.end = {walked.end.mark, walked.end.file + 1, 0, 0};
        next.torn = 0;
        PFAR_TRY(goes_on, walk_file(how, next));
        if (!goes_on && how.until) walked.fault = fmt::format("{} is missing", file_name(next.end.file));
        if (!goes_on) break;
        if (walked.torn > 0) {
            walked.fault = fault_at(walked.end, "the line was cut off");
            break;
        }
        walked = std::move(next);
    }
    if (!walked.fault && how.until) compare(walked, *how.until);
    return walked;
}

} // namespace pfar::audit
