// Schema: a JSON Schema of a tool (2020-12, or draft-07 where "$schema" says so), compiled once, checked many times.
//
// The house's own, because schema and instance may both come from a stranger: no library that is to be had bounds the work of a check, survives a
// reference that leads back to itself, or keeps a stranger's pattern away from std::regex. Here every keyword that is looked at, every
// byte that is compared and every pattern (RE2, linear) is paid for out of one budget, and nothing outside of the text is ever read.
#pragma once

#include <pfar/result.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::pipeline {

inline constexpr std::size_t most_schema_bytes = 256 * 1024;
inline constexpr std::size_t most_instance_bytes = 16 * 1024 * 1024;

/// A key that stands twice in one object means one thing to one reader and another to the next.
enum class Duplicates { allow, refuse };

namespace schemas {
struct Program;
}

class Schema {
public:
    /// Bounded in bytes, depth (64), subschemas and patterns. Errc::invalid with a sentence: what is wrong with it, or that it leads outside of
    /// itself or in circles. [any thread]
    static Result<std::shared_ptr<Schema const>> compile(std::string_view json);

    /// Errc::invalid names what does not fit by JSON pointer, in words that whoever sent it can act on, without repeating its values;
    /// Errc::timeout if telling would take too much work. Never throws on input. [any thread]
    [[nodiscard]] Result<void> check(std::string_view json, Duplicates duplicates = Duplicates::allow) const;

    /// What it asks for and nobody checks, for people: formats, patterns that RE2 does not know. Empty: all is checked.
    [[nodiscard]] std::vector<std::string> const& unchecked() const;

    explicit Schema(std::unique_ptr<schemas::Program const> program);
    ~Schema();
    Schema(Schema const&) = delete;
    Schema& operator=(Schema const&) = delete;

private:
    std::unique_ptr<schemas::Program const> program_;
};

} // namespace pfar::pipeline
