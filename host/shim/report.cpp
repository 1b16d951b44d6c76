// One sendmsg a note, so that a descriptor and its note arrive together.
#include "shim/report.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pfar::shim {
namespace {

void send(ShimNote note, char const* text, int fd) {
    iovec parts[] = {{&note, sizeof note}, {const_cast<char*>(text), note.size}};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)]{};
    msghdr message{};
    message.msg_iov = parts, message.msg_iovlen = 2;
    if (fd >= 0) {
        message.msg_control = control, message.msg_controllen = sizeof control;
        auto* const beside = CMSG_FIRSTHDR(&message);
        beside->cmsg_level = SOL_SOCKET, beside->cmsg_type = SCM_RIGHTS, beside->cmsg_len = CMSG_LEN(sizeof fd);
        std::memcpy(CMSG_DATA(beside), &fd, sizeof fd);
    }
    while (::sendmsg(orders_fd, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}

} // namespace

void tell(ShimNoteKind kind, std::int32_t value, int fd) {
    send({kind, ShimStage::orders, 0, value}, "", fd);
}

void give_up(ShimStage stage, char const* about) {
    auto const error = errno;
    auto const length = std::strlen(about);
    send({ShimNoteKind::failed, stage, static_cast<std::uint16_t>(length < 4096 ? length : 4096), error}, about, -1);
    ::_exit(shim_failed);
}

} // namespace pfar::shim
