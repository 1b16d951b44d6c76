// Two passes: count and check, then point. Each record is moved one byte down over its own length, which makes room for a NUL.
#include "shim/orders.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace pfar::shim {
namespace {

constexpr std::size_t head = 5;

struct Record {
    ShimTag tag;
    char* body;
    std::size_t size;
};

/// The record at `at`; size_t(-1) as its size if there is none.
Record record_at(char* bytes, std::size_t size, std::size_t at) {
    constexpr auto none = static_cast<std::size_t>(-1);
    if (size - at < head) return {ShimTag::done, nullptr, none};
    std::uint32_t length = 0;
    for (unsigned i = 0; i < 4; ++i)
        length |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + 1 + i])) << (8 * i);
    if (size - at - head < length) return {ShimTag::done, nullptr, none};
    return {static_cast<ShimTag>(bytes[at]), bytes + at + head, length};
}

struct Counts {
    std::size_t rules = 0, arguments = 0, variables = 0, programs = 0;
};

bool count(Record const& record, Counts& counts) {
    if (std::memchr(record.body, 0, record.size) != nullptr && record.tag != ShimTag::landlock) return false;
    switch (record.tag) {
    case ShimTag::landlock:
        ++counts.rules;
        return record.size >= 2 && record.body[1] == '/' && std::memchr(record.body + 1, 0, record.size - 1) == nullptr;
    case ShimTag::directory:
        return record.size > 0 && record.body[0] == '/';
    case ShimTag::program:
        ++counts.programs;
        return record.size > 0 && record.body[0] == '/';
    case ShimTag::argument:
        ++counts.arguments;
        return true;
    case ShimTag::variable:
        ++counts.variables;
        return std::memchr(record.body, '=', record.size) != nullptr;
    case ShimTag::done:
        break;
    }
    return false;
}

bool check(char* bytes, std::size_t size, Counts& counts) {
    for (std::size_t at = 0;;) {
        auto const record = record_at(bytes, size, at);
        if (record.size == static_cast<std::size_t>(-1)) return false;
        if (record.tag == ShimTag::done) return record.size == 0 && counts.programs == 1;
        if (!count(record, counts)) return false;
        at += head + record.size;
    }
}

Orders* allocate(Counts const& counts) {
    auto* const orders = static_cast<Orders*>(std::calloc(1, sizeof(Orders)));
    if (orders == nullptr) return nullptr;
    orders->rules = static_cast<Rule*>(std::calloc(counts.rules + 1, sizeof(Rule)));
    orders->arguments = static_cast<char**>(std::calloc(counts.arguments + 2, sizeof(char*)));
    orders->variables = static_cast<char**>(std::calloc(counts.variables + 1, sizeof(char*)));
    return orders->rules != nullptr && orders->arguments != nullptr && orders->variables != nullptr ? orders : nullptr;
}

} // namespace

Orders* parse_orders(char* bytes, std::size_t size) {
    Counts counts;
    if (!check(bytes, size, counts)) return nullptr;
    auto* const orders = allocate(counts);
    if (orders == nullptr) return nullptr;
    std::size_t arguments = 1, variables = 0;
    for (std::size_t at = 0;;) {
        auto const record = record_at(bytes, size, at);
        if (record.tag == ShimTag::done) break;
        at += head + record.size;
        char* const text = record.body - 1; // over the length, which has been read
        unsigned const rights = record.tag == ShimTag::landlock ? static_cast<unsigned char>(record.body[0]) : 0;
        std::memmove(text, record.body, record.size);
        text[record.size] = 0;
        switch (record.tag) {
        case ShimTag::landlock:
            orders->rules[orders->rule_count++] = {rights, text + 1};
            break;
        case ShimTag::directory:
            orders->directory = text;
            break;
        case ShimTag::program:
            orders->program = orders->arguments[0] = text;
            break;
        case ShimTag::argument:
            orders->arguments[arguments++] = text;
            break;
        case ShimTag::variable:
            orders->variables[variables++] = text;
            break;
        case ShimTag::done:
            break;
        }
    }
    return orders;
}

Orders* read_orders(int fd) {
    auto* const bytes = static_cast<char*>(std::malloc(shim_most_bytes));
    if (bytes == nullptr) return nullptr;
    std::size_t size = 0;
    for (;;) {
        auto const got = ::read(fd, bytes + size, shim_most_bytes - size);
        if (got < 0) return nullptr;
        if (got == 0) return parse_orders(bytes, size);
        size += static_cast<std::size_t>(got);
    }
}

} // namespace pfar::shim
