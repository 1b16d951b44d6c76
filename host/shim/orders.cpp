// Two passes: count and check, then point. Each record is moved one byte down over its own length, which makes room for a NUL.
#include "shim/orders.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace pfar::shim {
namespace {

constexpr std::size_t head = 5;
constexpr auto none = static_cast<std::size_t>(-1);

struct Record {
    ShimTag tag;
    char* body;
    std::size_t size;
};

template <class T> T number(char const* at) {
    T value = 0;
    for (unsigned i = 0; i < sizeof(T); ++i)
        value = static_cast<T>(value | static_cast<T>(static_cast<T>(static_cast<unsigned char>(at[i])) << (8 * i)));
    return value;
}

/// The record at `at`; `none` as its size if there is none.
Record record_at(char* bytes, std::size_t size, std::size_t at) {
    if (size - at < head) return {ShimTag::done, nullptr, none};
    auto const length = number<std::uint32_t>(bytes + at + 1);
    if (size - at - head < length) return {ShimTag::done, nullptr, none};
    return {static_cast<ShimTag>(bytes[at]), bytes + at + head, length};
}

struct Counts {
    std::size_t mounts = 0, witnesses = 0, listeners = 0, secret_files = 0, limits = 0, rules = 0, arguments = 0,
                variables = 0, programs = 0;
};

bool is_text(char const* at, std::size_t size) {
    return std::memchr(at, 0, size) == nullptr;
}

bool is_path(char const* at, std::size_t size) {
    return size > 0 && at[0] == '/' && is_text(at, size);
}

/// A path, a NUL, and anything.
bool is_path_and_more(char const* at, std::size_t size) {
    auto const* const end = static_cast<char const*>(std::memchr(at, 0, size));
    return end != nullptr && is_path(at, static_cast<std::size_t>(end - at));
}

bool is_mount(char const* at, std::size_t size) {
    return size >= shim_mount_head + 2 && is_path_and_more(at + shim_mount_head, size - shim_mount_head);
}

bool count(Record const& record, Counts& counts) {
    auto const& [tag, body, size] = record;
    switch (tag) {
    case ShimTag::flags:
    case ShimTag::namespaces:
        return size == 4;
    case ShimTag::seen_as:
    case ShimTag::then_as:
    case ShimTag::become:
        return size == 8;
    case ShimTag::mount:
        return ++counts.mounts, is_mount(body, size);
    case ShimTag::witness:
        return ++counts.witnesses, size > 16 && is_path(body + 16, size - 16);
    case ShimTag::listen:
        return ++counts.listeners, size == 3;
    case ShimTag::secret_file:
        return ++counts.secret_files, is_path_and_more(body, size);
    case ShimTag::limit:
        return ++counts.limits, size == 9;
    case ShimTag::landlock:
        return ++counts.rules, size >= 2 && is_path(body + 1, size - 1);
    case ShimTag::seccomp:
        return size > 0 && size % 8 == 0;
    case ShimTag::directory:
        return is_path(body, size);
    case ShimTag::program:
        return ++counts.programs, is_path(body, size);
    case ShimTag::argument:
        return ++counts.arguments, is_text(body, size);
    case ShimTag::variable:
        return ++counts.variables, is_text(body, size) && std::memchr(body, '=', size) != nullptr;
    case ShimTag::done:
        break;
    }
    return false;
}

bool check(char* bytes, std::size_t size, Counts& counts) {
    for (std::size_t at = 0;;) {
        auto const record = record_at(bytes, size, at);
        if (record.size == none) return false;
        if (record.tag == ShimTag::done) return record.size == 0 && counts.programs == 1;
        if (!count(record, counts)) return false;
        at += head + record.size;
    }
}

template <class T> bool room_for(T*& items, std::size_t count) {
    items = static_cast<T*>(std::calloc(count + 1, sizeof(T)));
    return items != nullptr;
}

Orders* allocate(Counts const& counts) {
    auto* const orders = static_cast<Orders*>(std::calloc(1, sizeof(Orders)));
    bool const ok = orders != nullptr && room_for(orders->mounts.items, counts.mounts) &&
                    room_for(orders->witnesses.items, counts.witnesses) &&
                    room_for(orders->listeners.items, counts.listeners) &&
                    room_for(orders->secret_files.items, counts.secret_files) &&
                    room_for(orders->limits.items, counts.limits) && room_for(orders->rules.items, counts.rules) &&
                    room_for(orders->arguments, counts.arguments + 1) && room_for(orders->variables, counts.variables);
    return ok ? orders : nullptr;
}

Ids ids(char const* at) {
    return {true, number<std::uint32_t>(at), number<std::uint32_t>(at + 4)};
}

Mount mount_of(char* body, std::size_t size) {
    auto const bits = static_cast<unsigned char>(body[1]);
    Mount mount{};
    mount.kind = static_cast<unsigned char>(body[0]);
    mount.writable = (bits & shim_mount_writable) != 0;
    mount.size = number<std::uint64_t>(body + 2);
    mount.owner = ids(body + 10);
    mount.owner.given = (bits & shim_mount_owner) != 0;
    mount.target = body + shim_mount_head;
    mount.rest = mount.target + std::strlen(mount.target) + 1;
    mount.rest_size = size - static_cast<std::size_t>(mount.rest - body);
    return mount;
}

SecretFile secret_file_of(char const* body, std::size_t size) {
    auto const path = std::strlen(body) + 1;
    return {body, body + path, size - path};
}

struct Filling {
    Orders& orders;
    std::size_t arguments = 1, variables = 0;
};

/// `body` is followed by a NUL by now.
void take(ShimTag tag, char* body, std::size_t size, Filling& into) {
    auto& orders = into.orders;
    switch (tag) {
    case ShimTag::flags:
        orders.flags = number<std::uint32_t>(body);
        break;
    case ShimTag::namespaces:
        orders.namespaces = number<std::uint32_t>(body);
        break;
    case ShimTag::seen_as:
        orders.seen_as = ids(body);
        break;
    case ShimTag::then_as:
        orders.then_as = ids(body);
        break;
    case ShimTag::become:
        orders.become = ids(body);
        break;
    case ShimTag::mount:
        orders.mounts.items[orders.mounts.count++] = mount_of(body, size);
        break;
    case ShimTag::witness:
        orders.witnesses.items[orders.witnesses.count++] = {number<std::uint64_t>(body),
                                                            number<std::uint64_t>(body + 8), body + 16};
        break;
    case ShimTag::listen:
        orders.listeners.items[orders.listeners.count++] = {static_cast<unsigned char>(body[0]),
                                                            number<std::uint16_t>(body + 1)};
        break;
    case ShimTag::secret_file:
        orders.secret_files.items[orders.secret_files.count++] = secret_file_of(body, size);
        break;
    case ShimTag::limit:
        orders.limits.items[orders.limits.count++] = {static_cast<unsigned char>(body[0]),
                                                      number<std::uint64_t>(body + 1)};
        break;
    case ShimTag::landlock:
        orders.rules.items[orders.rules.count++] = {static_cast<unsigned char>(body[0]), body + 1};
        break;
    case ShimTag::seccomp:
        orders.filter = body, orders.filter_size = size;
        break;
    case ShimTag::directory:
        orders.directory = body;
        break;
    case ShimTag::program:
        orders.program = orders.arguments[0] = body;
        break;
    case ShimTag::argument:
        orders.arguments[into.arguments++] = body;
        break;
    case ShimTag::variable:
        orders.variables[into.variables++] = body;
        break;
    case ShimTag::done:
        break;
    }
}

bool read_all(int socket, char* to, std::size_t size) {
    for (std::size_t done = 0; done < size;) {
        auto const got = ::read(socket, to + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = ECONNRESET;
        if (got <= 0) return false;
        done += static_cast<std::size_t>(got);
    }
    return true;
}

/// The four bytes of length, and what travels beside them.
bool read_length(int socket, char (&length)[4], Stdio& stdio) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof stdio.fds)];
    iovec part{length, sizeof length};
    msghdr message{};
    message.msg_iov = &part, message.msg_iovlen = 1;
    message.msg_control = control, message.msg_controllen = sizeof control;
    ssize_t got = 0;
    while ((got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {}
    if (got == 0) errno = ECONNRESET;
    if (got <= 0) return false;
    if (auto const* const beside = CMSG_FIRSTHDR(&message);
        beside != nullptr && beside->cmsg_type == SCM_RIGHTS && beside->cmsg_len == CMSG_LEN(sizeof stdio.fds))
        std::memcpy(stdio.fds, CMSG_DATA(beside), sizeof stdio.fds);
    return read_all(socket, length + got, sizeof length - static_cast<std::size_t>(got));
}

} // namespace

Orders* parse_orders(char* bytes, std::size_t size) {
    Counts counts;
    if (!check(bytes, size, counts)) return nullptr;
    auto* const orders = allocate(counts);
    if (orders == nullptr) return nullptr;
    orders->bytes = bytes, orders->size = size;
    Filling filling{*orders};
    for (std::size_t at = 0;;) {
        auto const record = record_at(bytes, size, at);
        if (record.tag == ShimTag::done) return orders;
        at += head + record.size;
        char* const body = record.body - 1; // over the length, which has been read
        std::memmove(body, record.body, record.size);
        body[record.size] = 0;
        take(record.tag, body, record.size, filling);
    }
}

Orders* read_orders(int socket, Stdio& stdio) {
    char length[4];
    if (!read_length(socket, length, stdio)) return nullptr;
    auto const size = number<std::uint32_t>(length);
    auto* const bytes = size <= shim_most_bytes ? static_cast<char*>(std::malloc(size)) : nullptr;
    if (bytes == nullptr || !read_all(socket, bytes, size)) return nullptr;
    auto* const orders = parse_orders(bytes, size);
    if (orders == nullptr) errno = EBADMSG;
    return orders;
}

} // namespace pfar::shim
