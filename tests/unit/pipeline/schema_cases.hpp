// Tables of schema, value, and whether it fits.
#pragma once

#include "pipeline/schema.hpp"

#include <catch2/catch_test_macros.hpp>

#include <ctime>
#include <functional>
#include <string>

namespace test {

using pfar::pipeline::Schema;

inline std::shared_ptr<Schema const> compiled(std::string const& schema) {
    auto out = Schema::compile(schema);
    INFO(schema << ": " << (out ? "" : out.error().what));
    REQUIRE(out);
    return *out;
}

/// The error of a schema that cannot be compiled, or "".
inline std::string refusal(std::string const& schema) {
    auto const out = Schema::compile(schema);
    return out ? "" : out.error().what;
}

/// The error of a value that does not fit, or "".
inline std::string complaint(std::string const& schema, std::string const& value) {
    auto const out = compiled(schema)->check(value);
    return out ? "" : out.error().what;
}

struct Case {
    std::string schema, value;
    bool fits;
};

inline void check_all(std::initializer_list<Case> cases) {
    for (auto const& [schema, value, fits] : cases) {
        auto const out = compiled(schema)->check(value);
        CAPTURE(schema, value, out ? "" : out.error().what);
        CHECK(out.has_value() == fits);
        if (!out) CHECK(out.error().code == pfar::Errc::invalid);
    }
}

/// Of this process, so that it does not depend on what else runs.
inline double seconds(std::function<void()> const& work) {
    auto const began = std::clock();
    work();
    return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

inline std::string repeated(std::size_t times, std::string const& text) {
    std::string out;
    out.reserve(times * text.size());
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

} // namespace test
