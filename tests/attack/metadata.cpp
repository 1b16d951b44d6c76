// What Landlock alone does not cover (looks, modes, attributes, times), and every place that can be written unexpectedly.
#include "attack.hpp"

#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace attack {
namespace {

constexpr char not_there[] = "ENOENT,EACCES,EPERM,ENOTDIR,EROFS";

std::string key_file(Facts const& facts) {
    return fact(facts, "home") + "/.ssh/id_ed25519";
}

Outcome look(Facts const& facts) {
    struct stat about {};
    return judged(::stat(key_file(facts).c_str(), &about), "size and times of a secret file");
}

Outcome change_directory(Facts const& facts) {
    return judged(::chdir((fact(facts, "home") + "/.ssh").c_str()), "chdir into the home directory");
}

Outcome change_mode(Facts const& facts) {
    return judged(::chmod(key_file(facts).c_str(), 0600), "chmod of a secret file");
}

Outcome change_times(Facts const& facts) {
    return judged(::utimensat(AT_FDCWD, key_file(facts).c_str(), nullptr, 0), "times of a secret file");
}

Outcome change_attribute(Facts const& facts) {
    auto const path = key_file(facts);
    if (::setxattr(path.c_str(), "user.pfar", "x", 1, 0) != 0 && errno != EOPNOTSUPP) return refused("setxattr");
    ::removexattr(path.c_str(), "user.pfar");
    return success("setxattr of a secret file");
}

Outcome change_owner(Facts const& facts) {
    return judged(::chown(key_file(facts).c_str(), static_cast<uid_t>(-1), static_cast<gid_t>(-1)),
                  "chown of a secret file");
}

/// The directories of all mounts, and those that systems have.
std::vector<std::string> directories() {
    std::vector<std::string> out{"/",          "/dev", "/run", "/var",      "/var/tmp",    "/etc",     "/usr",
                                 "/usr/local", "/opt", "/srv", "/mnt",      "/home",       "/var/lib", "/root",
                                 "/bin",       "/lib", "/sys", "/proc/sys", "/lost+found", "/run/lock"};
    auto const mounts = slurp("/proc/self/mountinfo");
    for (std::size_t at = 0; at < mounts.size();) {
        auto const end = mounts.find('\n', at);
        auto const line = mounts.substr(at, end - at);
        at = end == std::string::npos ? mounts.size() : end + 1;
        std::size_t field = 0;
        for (int i = 0; i < 4; ++i) field = line.find(' ', field) + 1;
        out.push_back(line.substr(field, line.find(' ', field) - field));
    }
    return out;
}

bool may_be_written(Facts const& facts, std::string const& directory) {
    for (std::string const& place : {std::string("/tmp"), std::string("/dev/shm"), fact(facts, "granted")})
        if (directory == place || directory.rfind(place + "/", 0) == 0) return true;
    return false;
}

Outcome write_anywhere(Facts const& facts) {
    int error = ENOENT;
    for (auto const& directory : directories()) {
        if (may_be_written(facts, directory)) continue;
        auto const path = directory + "/pfar-attack-probe";
        if (spill(path, "x", O_CREAT | O_EXCL)) {
            ::unlink(path.c_str());
            return success("wrote in " + directory);
        }
        if (errno != ENOENT && errno != ENOTDIR) error = errno;
    }
    errno = error;
    return refused("a file outside /tmp, /dev/shm and the grants");
}

/// The way to the program's file may be private directories inside; so it is looked for outside.
Outcome beside_program(Facts const& facts) {
    auto const path = fact(facts, "program") + ".planted";
    return spill(path, "x", O_CREAT) ? success("a file beside the program") : refused("a file beside the program");
}

bool beside_program_seen(Facts const& facts) {
    return ::unlink((fact(facts, "program") + ".planted").c_str()) == 0;
}

} // namespace

Rows metadata_rows() {
    return {
        {"look", "files", "looks at the size and times of a secret file", not_there, look},
        {"chdir-out", "files", "changes into the home directory", not_there, change_directory},
        {"chmod-out", "files", "changes the mode of a secret file", not_there, change_mode},
        {"chown-out", "files", "changes the owner of a secret file", not_there, change_owner},
        {"times-out", "files", "changes the times of a secret file", not_there, change_times},
        {"xattr-out", "files", "changes attributes of a secret file", not_there, change_attribute},
        {"write-anywhere", "files", "creates a file wherever that is possible", not_there, write_anywhere},
        {"beside-program", "files", "creates a file beside its own program", "bounded,EACCES,EPERM,EROFS",
         beside_program, beside_program_seen},
    };
}

} // namespace attack
