// The shim's orders as it reads them: pointers into one buffer that is never freed.
#pragma once

#include <pfar/shim_wire.hpp>

#include <cstddef>

namespace pfar::shim {

struct Rule {
    unsigned rights; // shim_read and so on
    char const* path;
};

struct Ids {
    bool given;
    std::uint32_t uid, gid;
};

struct Mount {
    unsigned kind; // MountOrder::Kind
    bool writable;
    std::uint64_t size;
    Ids owner;
    char const* target;
    char const* rest; // source or content
    std::size_t rest_size;
};

struct Witness {
    std::uint64_t device, inode;
    char const* path;
};

struct Listener {
    unsigned role;
    std::uint16_t port;
};

struct SecretFile {
    char const* path;
    char const* content;
    std::size_t size;
};

struct Limit {
    unsigned resource;
    std::uint64_t value;
};

template <class T> struct List {
    T* items;
    std::size_t count;

    T const* begin() const { return items; }
    T const* end() const { return items + count; }
};

struct Orders {
    std::uint32_t flags, namespaces;
    Ids seen_as, then_as, become;
    List<Mount> mounts;
    List<Witness> witnesses;
    List<Listener> listeners;
    List<SecretFile> secret_files;
    List<Limit> limits;
    List<Rule> rules;
    char* filter; // struct sock_filter[]
    std::size_t filter_size;
    char const* directory; // null: stay
    char const* program;
    char** arguments; // null-terminated; [0] is the program
    char** variables;
    char* bytes; // all of the above points into these
    std::size_t size;
};

/// The server's three descriptors, as they came beside the orders; -1 where none did.
struct Stdio {
    int fds[3] = {-1, -1, -1};
};

/// From bytes that the orders change and keep pointing into. Null if they are not well-formed. The result lives for ever.
Orders* parse_orders(char* bytes, std::size_t size);

/// One set of orders from the host's socket. Null on any failure, with errno.
Orders* read_orders(int socket, Stdio& stdio);

} // namespace pfar::shim
