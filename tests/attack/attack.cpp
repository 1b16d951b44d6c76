// What the rows have in common: outcomes, facts, the secret, children, and namespaces for the control.
#include "attack.hpp"

#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace attack {
namespace {

std::string errno_name(int error) {
    char const* const name = ::strerrorname_np(error);
    return name != nullptr ? name : std::to_string(error);
}

bool map_to_root(uid_t uid, gid_t gid) {
    return spill("/proc/self/setgroups", "deny") && spill("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1") &&
           spill("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1");
}

} // namespace

Outcome success(std::string detail) {
    return {Verdict::success, "", std::move(detail)};
}

Outcome refused(std::string detail) {
    return {Verdict::refused, errno_name(errno), std::move(detail)};
}

Outcome refused_as(std::string how, std::string detail) {
    return {Verdict::refused, std::move(how), std::move(detail)};
}

Outcome untried(std::string detail) {
    return {Verdict::untried, errno_name(errno), std::move(detail)};
}

Outcome judged(long result, std::string detail) {
    return result < 0 ? refused(std::move(detail)) : success(std::move(detail));
}

Outcome past_permission(long result, std::string detail) {
    bool const forbidden = errno == EPERM || errno == EACCES || errno == ENOSYS;
    return result < 0 && forbidden ? refused(std::move(detail)) : success(std::move(detail));
}

std::string const& fact(Facts const& facts, std::string_view key) {
    static std::string const none;
    auto const found = facts.find(key);
    return found == facts.end() ? none : found->second;
}

long number(Facts const& facts, std::string_view key) {
    return std::strtol(fact(facts, key).c_str(), nullptr, 10);
}

bool is_control(Facts const& facts) {
    return fact(facts, "control") == "1";
}

bool own_namespaces(Facts const& facts, int flags) {
    if (!is_control(facts)) return true;
    uid_t const uid = ::geteuid();
    gid_t const gid = ::getegid();
    if (::unshare(flags | (uid != 0 ? CLONE_NEWUSER : 0)) != 0) return false;
    if (uid != 0 && !map_to_root(uid, gid)) return false;
    return (flags & CLONE_NEWNS) == 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

std::string digest(std::string_view text) { // FNV-1a
    std::uint64_t value = 14695981039346656037U;
    for (char const c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return std::to_string(value);
}

bool has_secret(Facts const& facts, std::string_view text) {
    auto const length = std::strlen(secret_mark) + 16;
    for (auto at = text.find(secret_mark); at != text.npos; at = text.find(secret_mark, at + 1))
        if (digest(text.substr(at, length)) == fact(facts, "digest")) return true;
    return false;
}

std::string slurp(std::string const& path, std::size_t limit) {
    std::string out;
    int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return out;
    char buffer[4096];
    ssize_t got = 0;
    errno = ENODATA;
    while (out.size() < limit && (got = ::read(fd, buffer, sizeof buffer)) > 0)
        out.append(buffer, static_cast<std::size_t>(got));
    int const error = errno;
    ::close(fd);
    errno = error;
    return out;
}

bool spill(std::string const& path, std::string_view text, int flags) {
    int const fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0600);
    if (fd < 0) return false;
    bool const whole = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    int const error = errno;
    ::close(fd);
    errno = error;
    return whole;
}

Outcome reads_secret(Facts const& facts, std::string const& path) {
    auto const text = slurp(path);
    if (has_secret(facts, text)) return success("read " + path);
    if (!text.empty()) errno = ENODATA;
    return refused(path);
}

int in_child(std::function<int()> const& work) {
    pid_t const child = ::fork();
    if (child < 0) return errno;
    if (child == 0) ::_exit(work() & 0xff);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

Outcome judged_child(int result, std::string detail) {
    if (result < 0) return refused_as("killed", std::move(detail) + ", signal " + std::to_string(-result));
    errno = result;
    return result == 0 ? success(std::move(detail)) : refused(std::move(detail));
}

void sleep_ms(int milliseconds) {
    timespec left{milliseconds / 1000, milliseconds % 1000 * 1000000L};
    while (::nanosleep(&left, &left) != 0 && errno == EINTR) {}
}

void beat(Facts const& facts) {
    auto const file = fact(facts, "granted") + "/heartbeat";
    auto const stop = fact(facts, "granted") + "/stop";
    for (int i = 0; i < 400 && ::access(stop.c_str(), F_OK) != 0; ++i) {
        spill(file, ".", O_CREAT | O_APPEND);
        sleep_ms(50);
    }
}

bool beats(Facts const& facts, int within_ms) {
    auto const file = fact(facts, "granted") + "/heartbeat";
    struct stat before {
    }, now{};
    ::stat(file.c_str(), &before);
    for (int waited = 0; waited < within_ms; waited += 50) {
        sleep_ms(50);
        if (::stat(file.c_str(), &now) == 0 && now.st_size > before.st_size) return true;
    }
    return false;
}

void stop_beating(Facts const& facts) {
    auto const stop = fact(facts, "granted") + "/stop";
    spill(stop, "", O_CREAT);
    for (int i = 0; i < 20 && beats(facts, 200); ++i) {}
    ::unlink(stop.c_str());
    ::unlink((fact(facts, "granted") + "/heartbeat").c_str());
}

} // namespace attack
