// Lets Catch print a Result: the error's sentence, never the value (it may be a Secret).
#pragma once

#include <pfar/result.hpp>

#include <catch2/catch_tostring.hpp>

template <class T> struct Catch::StringMaker<boost::system::result<T, pfar::Error>> {
    static std::string convert(boost::system::result<T, pfar::Error> const& result) {
        return result ? "a value" : "error: " + result.error().what;
    }
};
