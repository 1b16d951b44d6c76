// Result: a value, or an Error that says in one sentence what happened and what to do about it.
//
// Everything that can fail for a reason outside the program (config, kernel, network, a person's no) returns one.
#pragma once

#include <boost/system/result.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace pfar {

enum class Errc {
    invalid,     // what was asked makes no sense
    not_found,   // it is not there
    refused,     // it is there and may not be had
    unsupported, // this machine or this plugin cannot do it
    unavailable, // it could be done, but not now
    conflict,    // something else is in its place
    locked,      // a person has to unlock it first
    timeout,
    io,
    internal, // a bug, or an exception out of a plugin
};

/// `what` is one sentence: the thing, what happened, the remedy.
struct Error {
    Errc code;
    std::string what;
};

template <class T> using Result = boost::system::result<T, Error>;

[[nodiscard]] inline Error fail(Errc code, std::string what) {
    return Error{code, std::move(what)};
}

/// Found by boost::system::result when `.value()` is called on an error.
[[noreturn]] inline void throw_exception_from_error(Error const& error, boost::source_location const& /*where*/) {
    throw std::runtime_error(error.what);
}

} // namespace pfar

#define PFAR_JOIN_(a, b) a##b
#define PFAR_JOIN(a, b) PFAR_JOIN_(a, b)

/// `PFAR_TRY(name, expression)`: names the value, or returns the error from the enclosing function.
#define PFAR_TRY(name, ...)                                                                                            \
    auto PFAR_JOIN(tried_, __LINE__) = (__VA_ARGS__);                                                                  \
    if (!PFAR_JOIN(tried_, __LINE__)) return std::move(PFAR_JOIN(tried_, __LINE__)).error();                           \
    auto name = std::move(*PFAR_JOIN(tried_, __LINE__))

/// `PFAR_CHECK(expression)`: returns the error of a Result<void>, or goes on.
#define PFAR_CHECK(...)                                                                                                \
    if (auto checked_ = (__VA_ARGS__); !checked_) return std::move(checked_).error()
