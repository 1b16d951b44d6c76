#include "pipeline/schema_pattern.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

namespace pfar::pipeline::schemas {
namespace {

// Of the program and of what a match builds and keeps; beyond it RE2 is slower, not wrong.
constexpr std::int64_t most_memory = 128 * 1024;

re2::RE2::Options options() {
    re2::RE2::Options out;
    out.set_max_mem(most_memory);
    out.set_log_errors(false);
    out.set_never_capture(true);
    return out;
}

} // namespace

Pattern::Pattern(std::string_view ecma, std::unique_ptr<re2::RE2> compiled)
    : written_(ecma), compiled_(std::move(compiled)) {}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

Result<Pattern> Pattern::compile(std::string_view ecma) {
    if (ecma.size() > most_pattern_bytes)
        return fail(Errc::unsupported, fmt::format("it is longer than {} bytes", most_pattern_bytes));
    auto compiled = std::make_unique<re2::RE2>(for_re2(ecma), options());
    if (!compiled->ok()) return fail(Errc::unsupported, compiled->error());
    return Pattern(ecma, std::move(compiled));
}

bool Pattern::found_in(std::string_view text) const {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

std::uint64_t Pattern::cost(std::size_t bytes) const {
    return 1 + bytes * static_cast<unsigned>(compiled_->ProgramSize()) / 16;
}

} // namespace pfar::pipeline::schemas
