// What the parts of ./dev bench gateway share: the made-up results, whole writes, and the clock.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

#include <cerrno>
#include <unistd.h>

namespace bench {

[[noreturn]] inline void give_up(std::string_view what) {
    std::fprintf(stderr, "bench gateway: %.*s: %s\n", static_cast<int>(what.size()), what.data(), std::strerror(errno));
    std::exit(1);
}

inline void write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        auto const count = ::write(fd, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) give_up("write");
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

/// In microseconds.
inline double now() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// 1 MiB of text as tools return it, as it stands in JSON: words, quotation marks, line breaks; the same in every process.
inline std::string big_text() {
    static constexpr char const* words[] = {"the",   "server",       "returns", "a",    "row",  "of",     "id=4711",
                                            "token", "\\\"name\\\"", "path",    "/usr", "with", "status", "200"};
    constexpr std::size_t most = std::size_t{1} << 20U;
    std::string out;
    out.reserve(most + 16);
    std::size_t line = 0;
    for (unsigned state = 1; out.size() < most - 16; state = state * 1103515245U + 12345U) {
        auto const before = out.size();
        out += words[(state >> 16U) % 14U];
        line += out.size() - before + 1;
        out += line > 76 ? "\\n" : " ";
        if (line > 76) line = 0;
    }
    out.append(most - out.size(), '.');
    return out;
}

} // namespace bench
