// A forked child that does something and says what came of it: "" is well, "skip: ..." that it could not be tried.
#pragma once

#include <pfar/fd.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sys/wait.h>

#include <exception>
#include <string>

namespace pfar::vault_file {

struct Child {
    pid_t pid = -1;
    Fd says; // what it writes
};

/// `body(fd)` may write to the pipe; what it returns is written last.
template <class Body> Child start_child(Body const& body) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    auto const pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid != 0) {
        ::close(ends[1]);
        return {pid, Fd(ends[0])};
    }
    ::close(ends[0]);
    std::string text;
    try {
        text = body(ends[1]);
    } catch (std::exception const& error) {
        text = error.what();
    }
    if (::write(ends[1], text.data(), text.size()) < 0) ::_exit(2);
    ::_exit(0);
}

inline std::string all_of(Fd const& fd) {
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(fd.number(), buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    return text;
}

/// What it said; how it ended, if that was not by itself.
inline std::string end_of(Child const& child) {
    auto text = all_of(child.says);
    int status = -1;
    REQUIRE(::waitpid(child.pid, &status, 0) == child.pid);
    return status == 0 ? text : text + " (wait status " + std::to_string(status) + ")";
}

template <class Body> std::string in_child(Body const& body) {
    return end_of(start_child([&](int) { return body(); }));
}

inline void check_well(std::string const& said) {
    if (said.starts_with("skip: ")) SKIP(said.substr(6));
    CHECK(said == "");
}

} // namespace pfar::vault_file
