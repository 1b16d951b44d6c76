// The launcher gets no descriptor of the server's: stdin, stdout and stderr travel to the shim over its socket. What the launcher itself
// says goes to a pipe that is read when it has failed.
#include "spawn/child.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace pfar::spawn {
namespace {

constexpr std::size_t kept_complaint = 4096;

Error no(char const* what) {
    return fail(Errc::io, fmt::format("no {} for the launch: {}", what, base::errno_text(errno)));
}

Result<std::pair<base::Fd, base::Fd>> made_pair(int (*make)(int*)) {
    int ends[2];
    if (make(ends) != 0) return no("channel");
    base::Fd ours{ends[0]};
    base::Fd const low{ends[1]};
    PFAR_TRY(theirs, out_of_the_way(low.number()));
    return std::pair{std::move(ours), std::move(theirs)};
}

int stream_pair(int* ends) {
    return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}
int complaint_pipe(int* ends) {
    return ::pipe2(ends, O_CLOEXEC | O_NONBLOCK); // a launcher that says more than fits is not waited for
}

/// Sends a message, with the server's descriptors beside its first bytes if there are any.
Result<void> send(int socket, std::string_view bytes, std::array<int, 3> const* stdio) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof *stdio)]{};
    for (bool first = true; !bytes.empty(); first = false) {
        iovec part{const_cast<char*>(bytes.data()), first ? 4 : bytes.size()};
        msghdr message{};
        message.msg_iov = &part, message.msg_iovlen = 1;
        if (first && stdio != nullptr) {
            message.msg_control = control, message.msg_controllen = sizeof control;
            auto* const beside = CMSG_FIRSTHDR(&message);
            beside->cmsg_level = SOL_SOCKET, beside->cmsg_type = SCM_RIGHTS, beside->cmsg_len = CMSG_LEN(sizeof *stdio);
            std::memcpy(CMSG_DATA(beside), stdio->data(), sizeof *stdio);
        }
        auto const sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && (errno == EPIPE || errno == ECONNRESET))
            return {}; // a launcher that failed has its own say: next()
        if (sent < 0) return no("way to pass the orders on");
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return {};
}

Result<void> send_orders(int socket, LaunchPlan const& plan, Beginning const& beginning, base::Fd const& nothing) {
    if (plan.prepare) {
        PFAR_TRY(bytes, encode(*plan.prepare, {}));
        PFAR_CHECK(send(socket, bytes.reveal(), nullptr));
    }
    auto stdio = beginning.stdio;
    for (auto& fd : stdio)
        if (fd < 0) fd = nothing.number();
    PFAR_TRY(bytes, encode(*plan.orders, beginning.additions));
    return send(socket, bytes.reveal(), &stdio);
}

std::optional<base::Fd> descriptor_in(msghdr& message) {
    auto const* const beside = CMSG_FIRSTHDR(&message);
    if (beside == nullptr || beside->cmsg_type != SCM_RIGHTS || beside->cmsg_len != CMSG_LEN(sizeof(int))) return {};
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(beside), sizeof fd);
    return base::Fd(fd);
}

Note::Kind kind_of(ShimNoteKind kind) {
    switch (kind) {
    case ShimNoteKind::inside:
        return Note::Kind::inside;
    case ShimNoteKind::listener:
        return Note::Kind::listener;
    case ShimNoteKind::no_routes:
        return Note::Kind::no_routes;
    case ShimNoteKind::running:
        return Note::Kind::running;
    case ShimNoteKind::stopped:
        return Note::Kind::stopped;
    case ShimNoteKind::failed:
        return Note::Kind::failed;
    case ShimNoteKind::ended:
        return Note::Kind::ended;
    case ShimNoteKind::sockets:
        return Note::Kind::sockets;
    }
    return Note::Kind::gone;
}

/// After a system call that failed: true if it was only too early. An event loop may have made the socket one that does not block.
bool once_more(base::Fd const& socket) {
    if (errno == EINTR) return true;
    if (errno != EAGAIN) return false;
    pollfd wait{socket.number(), POLLIN, 0};
    ::poll(&wait, 1, -1);
    return true;
}

int wait_for(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

/// What the kernel tells of a pidfd behind `key`, up to the line's end; empty if there is none.
std::string told(base::Fd const& pidfd, std::string_view key) {
    if (!pidfd) return "";
    auto const info = base::read_file(fmt::format("/proc/self/fdinfo/{}", pidfd.number()), 4096);
    auto const at = info ? info->find(key) : std::string::npos;
    if (at == std::string::npos) return "";
    auto const begin = at + key.size();
    return info->substr(begin, info->find('\n', begin) - begin);
}

/// Then its death is the death of all.
bool leads_namespace(base::Fd const& pidfd) {
    return told(pidfd, "\nNSpid:\t").ends_with("\t1");
}

void wait_a_second(base::Fd const& exit) {
    pollfd wait{exit.number(), POLLIN, 0};
    while (::poll(&wait, 1, 1000) < 0 && errno == EINTR) {}
}

/// Where no namespace holds them, only the shim finds those who have left its group. It ends them when we hang up, within a second.
void hang_up(int socket, base::Fd const& exit) {
    ::shutdown(socket, SHUT_WR);
    wait_a_second(exit);
}

} // namespace

Result<Child> Child::start(LaunchPlan const& plan, Beginning const& beginning) {
    if (!plan.orders || !plan.orders->stay)
        return fail(Errc::invalid, "the launch plan has no orders for a shim that stays");
    PFAR_TRY(sockets, made_pair(stream_pair));
    PFAR_TRY(complaints, made_pair(complaint_pipe));
    base::Fd const nothing{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    Launch begin{plan.argv, {}, beginning.entrances, false}; // the end of the socket is the end of everything
    PFAR_TRY(in, out_of_the_way(nothing.number()));
    PFAR_TRY(err, out_of_the_way(complaints.second.number()));
    begin.files.push_back({std::move(in), 0});
    begin.files.push_back({std::move(complaints.second), 1});
    begin.files.push_back({std::move(err), 2});
    begin.files.push_back({std::move(sockets.second), orders_fd});
    for (auto const& data : plan.data) {
        if (data.fd <= orders_fd || data.fd >= first_free)
            return fail(Errc::invalid, "the launch plan gives a descriptor a number that it cannot have");
        PFAR_TRY(source, readable(data.content));
        begin.files.push_back({std::move(source), data.fd});
    }
    Child child;
    PFAR_TRY(launched, launch(begin));
    child.launcher_ = std::move(launched);
    child.socket_ = std::move(sockets.first);
    child.complaints_ = std::move(complaints.first);
    begin.files.clear(); // the launcher's ends: from here on, its death is the end of the stream
    PFAR_CHECK(send_orders(child.socket_.number(), plan, beginning, nothing));
    return child;
}

bool Child::has_note() const {
    pollfd look{socket_.number(), POLLIN, 0};
    return ::poll(&look, 1, 0) > 0;
}

Result<Note> Child::next() {
    ShimNote note{};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    iovec part{&note, sizeof note};
    msghdr message{};
    message.msg_iov = &part, message.msg_iovlen = 1;
    message.msg_control = control, message.msg_controllen = sizeof control;
    ssize_t got = 0;
    while ((got = ::recvmsg(socket_.number(), &message, MSG_CMSG_CLOEXEC | MSG_WAITALL)) < 0 && once_more(socket_)) {}
    if (got != static_cast<ssize_t>(sizeof note)) return gone();
    Note out{kind_of(note.kind), note.value, note.stage, std::string(note.size, '\0'), {}};
    while (note.size > 0 && (got = ::recv(socket_.number(), out.text.data(), note.size, MSG_WAITALL)) < 0 &&
           once_more(socket_)) {}
    if (note.size > 0 && got != note.size) return gone();
    if (auto fd = descriptor_in(message)) out.fd = std::move(*fd);
    if (out.kind == Note::Kind::inside) take_first_process(std::move(out.fd));
    return out;
}

Note Child::gone() {
    Note out{Note::Kind::gone, 0, ShimStage::orders, std::string(kept_complaint, '\0'), {}};
    if (launcher_) out.value = wait_for(launcher_->pid);
    launcher_.reset();
    auto const got = ::read(complaints_.number(), out.text.data(), out.text.size());
    out.text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return out;
}

void Child::pass(int signal) {
    auto const byte = static_cast<unsigned char>(signal);
    ::send(socket_.number(), &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

pid_t Child::first_process() const {
    return static_cast<pid_t>(std::strtol(told(first_, "\nPid:\t").c_str(), nullptr, 10));
}

void Child::kill() {
    if (first_ && leads_namespace(first_))
        ::syscall(SYS_pidfd_send_signal, first_.number(), SIGKILL, nullptr, 0);
    else
        ::shutdown(socket_.number(), SHUT_WR); // the shim ends those who have left its group, and itself
}

void Child::end() {
    if (launcher_ && !leads_namespace(first_)) hang_up(socket_.number(), launcher_->exit);
    if (first_) ::syscall(SYS_pidfd_send_signal, first_.number(), SIGKILL, nullptr, 0);
    if (launcher_ && first_) wait_a_second(launcher_->exit); // it reaps process 1 and goes by itself
    if (launcher_) {
        ::kill(-launcher_->pid, SIGKILL);
        ::kill(launcher_->pid, SIGKILL);
        wait_for(launcher_->pid);
        launcher_.reset();
    }
    if (!first_) return;
    pollfd wait{first_.number(), POLLIN, 0}; // process 1 ends when everybody in its namespace has
    while (::poll(&wait, 1, 5000) < 0 && errno == EINTR) {}
    first_ = base::Fd();
}

Child::~Child() {
    end();
}

std::string explain(Note const& note, std::string const& program) {
    auto const reason = base::errno_text(note.value);
    auto const about = base::printable(note.text);
    if (note.kind != Note::Kind::failed)
        return "the sandbox could not be started: " +
               (about.empty()
                    ? fmt::format("its launcher ended with status {}",
                                  WIFSIGNALED(note.value) ? 128 + WTERMSIG(note.value) : WEXITSTATUS(note.value))
                    : base::printable(note.text.substr(0, note.text.find('\n'))));
    if (note.stage == ShimStage::program && note.value == ENOENT)
        return fmt::format("{} could not be executed in the sandbox: it, or the interpreter that it names, is not "
                           "there inside; grant the "
                           "directory that it lies in",
                           base::printable(program));
    if (note.stage == ShimStage::program)
        return fmt::format("{} could not be executed in the sandbox: {}", base::printable(program), reason);
    if (note.stage == ShimStage::mount && note.value == EINVAL && ::geteuid() == 0)
        return fmt::format("{} could not be shown inside: its file system has no idmapped mounts, which a host that "
                           "runs as root needs; "
                           "keep it on ext4, xfs or btrfs, or run pfar as an ordinary user",
                           about);
    auto const stage = note.stage < ShimStage::count ? shim_stage_names[static_cast<std::size_t>(note.stage)] : "go on";
    return fmt::format("the sandbox could not {}{}{}: {}", stage, about.empty() ? "" : " ", about, reason);
}

} // namespace pfar::spawn
