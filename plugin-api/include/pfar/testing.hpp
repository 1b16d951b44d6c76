// For tests with Catch2: how a Result is shown, by its error's sentence and never by its value, which may be a Secret.
//
// pfar_add_plugin(TESTS ...) includes this into every test, because the operator that Boost brings insists that whatever is in a
// result can be printed.
#pragma once

#include <boost/system/result.hpp>
#include <catch2/catch_tostring.hpp>

#include <string>

template <class T, class E> struct Catch::StringMaker<boost::system::result<T, E>> {
    static std::string convert(boost::system::result<T, E> const& result) {
        if (result) return "a value";
        if constexpr (requires { std::string(result.error().what); })
            return "error: " + std::string(result.error().what);
        return "an error";
    }
};
