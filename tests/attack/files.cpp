// Reading and writing what was not granted: the vault, the home directory, host files, by path, link, process and descriptor.
#include "attack.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace attack {
namespace {

constexpr char not_there[] = "ENOENT,EACCES,EPERM,ENOTDIR";
constexpr char not_writable[] = "ENOENT,EACCES,EPERM,EROFS,ENOTDIR";

std::string in(Facts const& facts, char const* key, char const* rest) {
    return fact(facts, key) + rest;
}

/// Creates `path`; takes it away again, so that the next run finds things as they were.
Outcome plants(std::string const& path) {
    if (!spill(path, "planted\n", O_CREAT | O_EXCL)) return refused(path);
    ::unlink(path.c_str());
    return success("created " + path);
}

Outcome appends(std::string const& path) {
    return spill(path, "", O_APPEND) ? success("opened for writing: " + path) : refused(path);
}

Outcome vault_read(Facts const& facts) {
    return reads_secret(facts, in(facts, "pfar_home", "/vault/secret"));
}

Outcome vault_list(Facts const& facts) {
    DIR* const directory = ::opendir(in(facts, "pfar_home", "").c_str());
    if (directory == nullptr) return refused("listing PFAR_HOME");
    bool seen = false;
    while (dirent const* const entry = ::readdir(directory)) seen = seen || std::string_view(entry->d_name) == "vault";
    ::closedir(directory);
    errno = ENOENT;
    return judged(seen ? 0 : -1, "listing PFAR_HOME");
}

Outcome server_file_plant(Facts const& facts) {
    return plants(in(facts, "pfar_home", "/mcp/planted.toml"));
}

Outcome plugin_plant(Facts const& facts) {
    return plants(in(facts, "pfar_home", "/plugins/planted.so"));
}

Outcome ssh_key(Facts const& facts) {
    return reads_secret(facts, in(facts, "home", "/.ssh/id_ed25519"));
}

Outcome authorized_keys(Facts const& facts) {
    return appends(in(facts, "home", "/.ssh/authorized_keys"));
}

Outcome shell_start(Facts const& facts) {
    return appends(in(facts, "home", "/.bashrc"));
}

Outcome dot_dot(Facts const& facts) {
    return reads_secret(facts, in(facts, "granted", "/../home/.ssh/id_ed25519"));
}

/// An ordinary user may not read it outside either; that it is the host's own can be seen by anybody.
Outcome shadow(Facts const&) {
    struct stat about {};
    if (::access("/etc/shadow", R_OK) == 0) return success("can be read");
    return judged(::stat("/etc/shadow", &about), "is there, to be seen");
}

Outcome host_passwd(Facts const& facts) {
    auto const text = slurp("/etc/passwd");
    if (text.empty()) return refused("/etc/passwd");
    if (digest(text) == fact(facts, "passwd")) return success("the host's own list of users");
    return refused_as("bounded", "another list of users");
}

Outcome symlink_out(Facts const& facts) {
    auto const link = in(facts, "granted", "/link");
    ::unlink(link.c_str());
    if (::symlink(in(facts, "pfar_home", "/vault/secret").c_str(), link.c_str()) != 0) return untried("no symlink");
    auto outcome = reads_secret(facts, link);
    ::unlink(link.c_str());
    return outcome;
}

/// In the first phase a link to `target` takes the place of a granted directory, in the second `file` is read through it.
Outcome swap(Facts const& facts, std::string const& target, char const* file) {
    auto const place = in(facts, "granted", "/swap");
    if (number(facts, "phase") == 2) return reads_secret(facts, place + file);
    if (::rename(place.c_str(), (place + ".old").c_str()) != 0) return refused("rename of what was granted");
    return judged(::symlink(target.c_str(), place.c_str()), "a link in its place");
}

Outcome swap_vault(Facts const& facts) {
    return swap(facts, in(facts, "pfar_home", "/vault"), "/secret");
}

Outcome swap_home(Facts const& facts) {
    return swap(facts, in(facts, "home", "/.ssh"), "/id_ed25519");
}

Outcome links(std::string const& from, std::string const& to) {
    if (::link(from.c_str(), to.c_str()) != 0) return refused("link of " + from);
    ::unlink(to.c_str());
    return success("linked " + from);
}

Outcome hardlink_secret(Facts const& facts) {
    return links(in(facts, "pfar_home", "/vault/secret"), in(facts, "granted", "/hard"));
}

Outcome hardlink_program(Facts const& facts) {
    return links(in(facts, "program", ""), in(facts, "granted", "/hard"));
}

Outcome program_replace(Facts const& facts) {
    auto const program = fact(facts, "program");
    if (::rename(program.c_str(), (program + ".moved").c_str()) != 0) return refused("rename of its own program");
    return judged(::rename((program + ".moved").c_str(), program.c_str()), "renamed its own program");
}

Outcome parent_rename(Facts const& facts) {
    auto const granted = fact(facts, "granted");
    if (::rename(granted.c_str(), (granted + ".moved").c_str()) != 0) return refused("rename of the granted directory");
    return judged(::rename((granted + ".moved").c_str(), granted.c_str()), "renamed the granted directory");
}

/// Through a directory of another process: `what` is root or cwd.
Outcome through_process(Facts const& facts, char const* what, std::string const& rest) {
    int error = ENOENT;
    for (long const pid : {1L, static_cast<long>(::getppid()), number(facts, "victim")}) {
        auto outcome = reads_secret(facts, "/proc/" + std::to_string(pid) + "/" + what + rest);
        if (outcome.verdict == Verdict::success) return outcome;
        error = errno;
    }
    errno = error;
    return refused(std::string("/proc/*/") + what);
}

Outcome proc_root(Facts const& facts) {
    return through_process(facts, "root", in(facts, "pfar_home", "/vault/secret"));
}

Outcome proc_cwd(Facts const& facts) {
    return through_process(facts, "cwd", "/vault/secret");
}

Outcome host_proc(Facts const& facts) {
    auto const path = "/proc/" + fact(facts, "victim") + "/maps";
    return slurp(path).find("pfar-attack") != std::string::npos ? success("read " + path) : refused(path);
}

Outcome inherited(Facts const&) {
    for (int fd = 3; fd < 1024; ++fd)
        if (::fcntl(fd, F_GETFD) >= 0) return success("descriptor " + std::to_string(fd) + " came along");
    return refused("descriptors above 2");
}

Outcome proc_fds(Facts const& facts) {
    DIR* const processes = ::opendir("/proc");
    if (processes == nullptr) return refused("/proc");
    Outcome outcome = refused_as("ENOENT", "no other process has it open");
    while (dirent const* const entry = ::readdir(processes)) {
        long const pid = std::strtol(entry->d_name, nullptr, 10);
        if (pid == 0 || pid == ::getpid()) continue;
        for (int fd = 0; fd < 32 && outcome.verdict != Verdict::success; ++fd) {
            auto const path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
            struct stat about {};
            if (::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && about.st_size < 4096)
                if (auto read = reads_secret(facts, path); read.verdict == Verdict::success) outcome = read;
        }
    }
    ::closedir(processes);
    return outcome;
}

Outcome shm_read(Facts const& facts) {
    return reads_secret(facts, "/dev/shm/" + fact(facts, "shm_name"));
}

Outcome tmp_read(Facts const& facts) {
    return reads_secret(facts, fact(facts, "tmp_file"));
}

Outcome tmp_delete(Facts const& facts) {
    auto const path = fact(facts, "tmp_file");
    auto const text = slurp(path);
    if (::unlink(path.c_str()) != 0) return refused("unlink in the host's /tmp");
    spill(path, text, O_CREAT);
    return success("unlinked in the host's /tmp");
}

std::string marker(Facts const& facts, char const* directory) {
    return std::string(directory) + "/pfar-attack-" + fact(facts, "digest");
}

Outcome tmp_plant(Facts const& facts) {
    return spill(marker(facts, "/tmp"), "x", O_CREAT) ? success("created in /tmp") : refused("/tmp");
}

bool tmp_planted(Facts const& facts) {
    return ::unlink(marker(facts, "/tmp").c_str()) == 0;
}

Outcome shm_plant(Facts const& facts) {
    return spill(marker(facts, "/dev/shm"), "x", O_CREAT) ? success("created in /dev/shm") : refused("/dev/shm");
}

bool shm_planted(Facts const& facts) {
    return ::unlink(marker(facts, "/dev/shm").c_str()) == 0;
}

} // namespace

Rows file_rows() {
    return {
        {"vault-read", "files", "reads the vault", not_there, vault_read},
        {"vault-list", "files", "lists PFAR_HOME", not_there, vault_list},
        {"server-file-plant", "files", "writes a server file for the next start", not_writable, server_file_plant},
        {"plugin-plant", "files", "writes a plugin for the next start", not_writable, plugin_plant},
        {"ssh-key", "files", "reads ~/.ssh/id_ed25519", not_there, ssh_key},
        {"authorized-keys", "files", "appends to ~/.ssh/authorized_keys", not_writable, authorized_keys},
        {"shell-start", "files", "appends to ~/.bashrc", not_writable, shell_start},
        {"dot-dot", "files", "leaves the granted directory by ..", not_there, dot_dot},
        {"shadow", "files", "reads /etc/shadow, or sees that it is there", not_there, shadow},
        {"host-passwd", "files", "reads the host's list of users", "bounded,ENOENT,EACCES", host_passwd},
        {"symlink-out", "files", "reads the vault through a symlink in the granted directory", not_there, symlink_out},
        {"swap-vault", "files",
         "puts a link to the vault in place of a granted directory, to be granted at the next start",
         "pfar,ENOENT,EACCES,EPERM,ENOTDIR", swap_vault, nullptr, Staging::restart},
        {"swap-home", "files", "the same with a link to ~/.ssh", "pfar,ENOENT,EACCES,EPERM,ENOTDIR", swap_home, nullptr,
         Staging::restart},
        {"hardlink-secret", "files", "links the vault's file into the granted directory", "ENOENT,EACCES,EPERM,EXDEV",
         hardlink_secret},
        {"hardlink-program", "files", "links its own read-only program to where it may write",
         "EXDEV,EACCES,EPERM,ENOENT", hardlink_program},
        {"program-replace", "files", "renames its own program", "EBUSY,EROFS,EACCES,EPERM,EXDEV", program_replace},
        {"parent-rename", "files", "renames the granted directory", "EBUSY,EROFS,EACCES,EPERM,EXDEV", parent_rename},
        {"proc-root", "files", "reads the vault through /proc/1/root and other processes' roots", not_there, proc_root},
        {"proc-cwd", "files", "reads the vault through another process's working directory", not_there, proc_cwd},
        {"host-proc", "files", "reads a host process's maps", not_there, host_proc},
        {"inherited-descriptors", "files", "finds descriptors that it was not given", "EBADF", inherited},
        {"proc-fds", "files", "opens other processes' descriptors", not_there, proc_fds},
        {"shm-read", "files", "reads the host's /dev/shm", not_there, shm_read},
        {"shm-plant", "files", "writes into the host's /dev/shm", "bounded,EROFS,EACCES,ENOENT,EPERM", shm_plant,
         shm_planted},
        {"tmp-read", "files", "reads the host's /tmp", not_there, tmp_read},
        {"tmp-delete", "files", "deletes in the host's /tmp", not_writable, tmp_delete},
        {"tmp-plant", "files", "writes into the host's /tmp", "bounded,EROFS,EACCES,ENOENT,EPERM", tmp_plant,
         tmp_planted},
    };
}

} // namespace attack
