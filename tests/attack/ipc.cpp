// What is shared by number or name instead of by path: SysV IPC, POSIX queues, keyrings.
#include "attack.hpp"

#include <cstring>

#include <fcntl.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace attack {
namespace {

constexpr char no_ipc[] = "EINVAL,EIDRM,ENOENT,EACCES,EPERM,ENOSYS,ENODATA";
constexpr char no_key[] = "EPERM,ENOSYS,EACCES,ENOKEY";

/// Its key as well as its number: in another namespace the number may mean something else, the key nothing.
Outcome shared_memory(Facts const& facts) {
    int const id = ::shmget(static_cast<key_t>(number(facts, "ipc_key")), 0, 0);
    if (id < 0) return refused("shmget");
    auto* const text = static_cast<char const*>(::shmat(id, nullptr, SHM_RDONLY));
    if (reinterpret_cast<std::intptr_t>(text) == -1) return refused("shmat");
    errno = ENODATA;
    return judged(has_secret(facts, std::string_view(text, 64)) ? 0 : -1, "read the host's shared memory");
}

Outcome messages(Facts const& facts) {
    int const id = ::msgget(static_cast<key_t>(number(facts, "ipc_key")), 0);
    if (id < 0) return refused("msgget");
    struct {
        long type;
        char text[64];
    } message{};
    if (::msgrcv(id, &message, sizeof message.text, 0, IPC_NOWAIT) < 0) return refused("msgrcv");
    ::msgsnd(id, &message, std::strlen(message.text), IPC_NOWAIT);
    return judged(has_secret(facts, message.text) ? 0 : -1, "took a message of the host's queue");
}

Outcome semaphores(Facts const& facts) {
    int const id = ::semget(static_cast<key_t>(number(facts, "ipc_key")), 0, 0);
    if (id < 0) return refused("semget");
    return judged(::semctl(id, 0, SETVAL, 1), "changed the host's semaphore");
}

Outcome posix_queue(Facts const& facts) {
    int const queue = ::mq_open(("/" + fact(facts, "shm_name")).c_str(), O_RDONLY | O_NONBLOCK);
    if (queue >= 0) ::mq_close(queue);
    return judged(queue, "opened the host's message queue");
}

long key_call(int operation, long a = 0, long b = 0, long c = 0, long d = 0) {
    return ::syscall(SYS_keyctl, operation, a, b, c, d);
}

long address(void const* what) {
    return reinterpret_cast<long>(what);
}

Outcome read_key(Facts const& facts) {
    long const key =
        key_call(KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, address("user"), address(fact(facts, "key_name").c_str()));
    if (key < 0) return refused("search of the user's keyring");
    char text[64] = {};
    if (key_call(KEYCTL_READ, key, address(text), sizeof text - 1) < 0) return refused("read of the user's key");
    errno = ENODATA;
    return judged(has_secret(facts, text) ? 0 : -1, "read the user's key");
}

Outcome read_key_by_number(Facts const& facts) {
    char text[64] = {};
    if (key_call(KEYCTL_READ, number(facts, "key"), address(text), sizeof text - 1) < 0)
        return refused("read by number");
    errno = ENODATA;
    return judged(has_secret(facts, text) ? 0 : -1, "read the user's key by its number");
}

Outcome add_key(Facts const&) {
    long const key = ::syscall(SYS_add_key, "user", "pfar-attack-planted", "x", 1, KEY_SPEC_USER_KEYRING);
    if (key < 0) return refused("add_key");
    key_call(KEYCTL_UNLINK, key, KEY_SPEC_USER_KEYRING);
    return success("planted a key in the user's keyring");
}

Outcome request_key(Facts const& facts) {
    return judged(::syscall(SYS_request_key, "user", fact(facts, "key_name").c_str(), nullptr, 0), "request_key");
}

Outcome join_session(Facts const&) {
    return judged(key_call(KEYCTL_JOIN_SESSION_KEYRING, 0), "a session keyring");
}

Outcome list_keys(Facts const& facts) {
    auto const keys = slurp("/proc/keys");
    if (keys.find(fact(facts, "key_name")) != std::string::npos) return success("sees the user's key in /proc/keys");
    return keys.empty() ? refused("/proc/keys") : refused_as("ENOKEY", "not in /proc/keys");
}

} // namespace

Rows ipc_rows() {
    return {
        {"sysv-shm", "processes", "reads the host's SysV shared memory", no_ipc, shared_memory},
        {"sysv-msg", "processes", "takes a message of the host's SysV queue", no_ipc, messages},
        {"sysv-sem", "processes", "changes the host's SysV semaphore", no_ipc, semaphores},
        {"posix-queue", "processes", "opens the host's POSIX message queue", no_ipc, posix_queue},
        {"key-read", "processes", "reads a key of the user's keyring", no_key, read_key},
        {"key-number", "processes", "reads a key by its number", no_key, read_key_by_number},
        {"key-add", "processes", "plants a key in the user's keyring", no_key, add_key},
        {"key-request", "processes", "asks the kernel for a key", no_key, request_key},
        {"key-session", "processes", "joins a session keyring", no_key, join_session},
        {"key-list", "processes", "lists keys in /proc/keys", "ENODATA,ENOKEY,EPERM,EACCES,ENOENT", list_keys},
    };
}

} // namespace attack
