// First, under the lock, what lies behind the head (little, and still changing); then everything before it, which nobody changes any more.
#include "audit/verify.hpp"

#include "audit/files.hpp"
#include "audit/lock.hpp"
#include "audit/walk.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

namespace pfar::audit {
namespace {

namespace fs = std::filesystem;

/// The key and the lines belong together.
Result<Key> key_of(fs::path const& directory) {
    auto key = Key::read(directory);
    if (key || key.error().code != Errc::not_found) return key;
    if (last_file(directory) > 0)
        return fail(Errc::invalid, fmt::format("{} is missing, and without it no line can be verified; put it back",
                                               base::printable((directory / "key").native())));
    return fail(Errc::not_found,
                fmt::format("{} has no record: nothing was written yet", base::printable(directory.native())));
}

Result<void> passed(fs::path const& directory, Walked const& walked) {
    if (!walked.fault) return {};
    return fail(Errc::invalid, fmt::format("{}/{}", base::printable(directory.native()), *walked.fault));
}

struct End {
    std::optional<Head> head; // as it is kept
    Walked rest;              // what is behind it
};

/// Without a head the whole record is walked here.
Result<End> find_end(Walk const& how) {
    auto const held = hold(how.directory);
    if (!held && held.error().code != Errc::not_found) return held.error(); // not_found: a copy without its lock
    PFAR_TRY(head, read_head(how.directory, how.key));
    PFAR_TRY(walked, walk(how, head.value_or(Head{})));
    auto const highest = last_file(how.directory);
    if (highest > walked.end.file && !walked.fault) walked.fault = file_name(walked.end.file + 1) + " is missing";
    return End{head, std::move(walked)};
}

} // namespace

Result<Verified> verify(fs::path const& directory, std::optional<std::string> const& head) {
    PFAR_TRY(key, key_of(directory));
    bool found = !head || *head == Mark{}.hash;
    Walk how{directory, key, {}, [&](Mark const& mark) { found = found || mark.hash == *head; }};
    PFAR_TRY(end, find_end(how));
    if (end.head) { // first, because what is wrong here moves everything behind it
        how.until = end.head;
        PFAR_TRY(walked, walk(how, Head{}));
        PFAR_CHECK(passed(directory, walked));
    }
    PFAR_CHECK(passed(directory, end.rest));
    auto const& last = end.rest.end;
    if (!end.head && !head && last.mark.seq > 0)
        return fail(
            Errc::invalid,
            fmt::format("{} is missing or not whole: what there is fits together, but an end that was cut off would "
                        "not show",
                        base::printable((directory / "head").native())));
    if (!found)
        return fail(Errc::invalid, fmt::format("{}: no line has the hash {}: the record was cut off before it, or "
                                               "exchanged",
                                               base::printable(directory.native()), base::printable(*head)));
    return Verified{last.mark.seq, last.mark.hash};
}

} // namespace pfar::audit
