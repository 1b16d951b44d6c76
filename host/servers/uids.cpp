// The range is systemd's DynamicUser range, which no account has. Leases are locks on single bytes of one file: nothing is left behind.
#include "servers/uids.hpp"

#include "base/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <map>

namespace pfar::servers {
namespace {

constexpr uid_t first_server = 61184, first_lease = 65000, last_lease = 65518; // 65519 is the probe's
constexpr std::size_t most_bytes = 4U << 20U;

Error no_uids(std::filesystem::path const& file, std::string const& why) {
    return fail(Errc::io, fmt::format("{} could not be used: {}", file.native(), why));
}

std::map<std::string, uid_t> parse(std::string_view text) {
    std::map<std::string, uid_t> out;
    while (!text.empty()) {
        auto const line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        uid_t uid = 0;
        auto const [end, error] = std::from_chars(line.data(), line.data() + line.size(), uid);
        bool const whole = error == std::errc() && end != line.data() + line.size() && *end == ' ';
        if (whole && uid >= first_server && uid < first_lease)
            out.emplace(line.substr(static_cast<std::size_t>(end - line.data()) + 1), uid);
    }
    return out;
}

uid_t first_free(std::map<std::string, uid_t> const& taken) {
    for (uid_t uid = first_server; uid < first_lease; ++uid) {
        bool used = false;
        for (auto const& [name, other] : taken) used = used || other == uid;
        if (!used) return uid;
    }
    return 0;
}

} // namespace

Result<UidLease> lease_uid(std::filesystem::path const& pfar_home) {
    ::mkdir((pfar_home / "run").c_str(), 0700);
    auto const file = pfar_home / "run/uids";
    base::Fd lock{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (!lock) return no_uids(file, base::errno_text(errno));
    for (uid_t uid = first_lease; uid <= last_lease; ++uid) {
        struct flock byte {};
        byte.l_type = F_WRLCK, byte.l_whence = SEEK_SET, byte.l_start = uid, byte.l_len = 1;
        if (::fcntl(lock.number(), F_OFD_SETLK, &byte) == 0) return UidLease{uid, std::move(lock)};
        if (errno != EAGAIN && errno != EACCES) return no_uids(file, base::errno_text(errno));
    }
    return fail(Errc::unavailable,
                fmt::format("all {} uids for sandboxes are in use; end some first", last_lease - first_lease + 1));
}

Result<uid_t> uid_of(std::filesystem::path const& pfar_home, std::string const& identity) {
    auto const file = pfar_home / "uids";
    base::Fd const lock{::open(pfar_home.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!lock || ::flock(lock.number(), LOCK_EX) != 0) return no_uids(pfar_home, base::errno_text(errno));
    auto const text = base::read_file(file, most_bytes);
    if (!text && text.error().code != Errc::not_found) return text.error();
    auto taken = parse(text ? *text : "");
    if (auto const known = taken.find(identity); known != taken.end()) return known->second;
    if (identity.find('\n') != std::string::npos) return no_uids(file, "a server's file has a line break in its name");
    auto const uid = first_free(taken);
    if (uid == 0) return no_uids(file, "all uids are given away; remove lines of servers that are gone");
    bool const torn = text && !text->empty() && text->back() != '\n'; // a line that somebody left without its end
    PFAR_CHECK(
        base::write_file(file, (text ? *text : "") + fmt::format("{}{} {}\n", torn ? "\n" : "", uid, identity), 0600));
    return uid;
}

} // namespace pfar::servers
