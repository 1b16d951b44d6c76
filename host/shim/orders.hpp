// The shim's orders as it reads them: pointers into one buffer that is never freed.
#pragma once

#include <pfar/shim_wire.hpp>

#include <cstddef>

namespace pfar::shim {

struct Rule {
    unsigned rights; // shim_read and so on
    char const* path;
};

struct Orders {
    Rule* rules;
    std::size_t rule_count;
    char const* directory; // null: stay
    char const* program;
    char** arguments; // null-terminated; [0] is the program
    char** variables;
};

/// From bytes that the orders change and keep pointing into. Null if they are not well-formed. The result lives for ever.
Orders* parse_orders(char* bytes, std::size_t size);

/// All of a descriptor, at most shim_most_bytes. Null on any failure.
Orders* read_orders(int fd);

} // namespace pfar::shim
