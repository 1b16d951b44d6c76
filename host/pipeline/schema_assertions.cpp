// What keywords that hold no schemas become.
#include "pipeline/schema_compiler.hpp"
#include "pipeline/schema_number.hpp"
#include "pipeline/schema_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace pfar::pipeline::schemas {
namespace {

constexpr std::size_t most_pattern_weight = 16 * 1024;

/// In bytes, but classes of Unicode take RE2 as long as many others.
std::size_t weight(std::string_view pattern) {
    auto out = pattern.size();
    for (auto at = pattern.find('\\'); at < pattern.size(); at = pattern.find('\\', at + 2))
        if (pattern.substr(at + 1).starts_with('p') || pattern.substr(at + 1).starts_with('P')) out += 60;
    return out;
}

/// 0 if it is none.
unsigned type_bits(std::string_view name) {
    constexpr std::pair<std::string_view, unsigned> types[] = {
        {"null", bit(Kind::null)},     {"boolean", bit(Kind::boolean)}, {"number", bit(Kind::number)},
        {"string", bit(Kind::string)}, {"array", bit(Kind::array)},     {"object", bit(Kind::object)},
        {"integer", integer_bit}};
    auto const* const found =
        std::find_if(std::begin(types), std::end(types), [&](auto const& type) { return type.first == name; });
    return found == std::end(types) ? 0 : found->second;
}

} // namespace

Result<void> Compiler::type(Op op, Value value) {
    unsigned bits = 0;
    auto const add_type = [&](Value type) {
        auto const more = type.is(Kind::string) ? type_bits(type.text()) : 0;
        bits |= more;
        return more != 0;
    };
    bool good = value.is(Kind::array) || add_type(value);
    if (value.is(Kind::array))
        for (auto const type : value.elements()) good = good && add_type(type);
    if (!good) return wrong(value, "null, boolean, integer, number, string, array or object, or a list of them");
    add(op, bits);
    return {};
}

Result<void> Compiler::literal(Op op, Value value) {
    add(op, static_cast<std::uint32_t>(literals_.size()));
    literals_.push_back(value);
    return {};
}

Result<void> Compiler::enumeration(Op op, Value value) {
    if (!value.is(Kind::array)) return wrong(value, "an array");
    return literal(op, value);
}

Result<void> Compiler::number(Op op, Value value) {
    bool const exclusive = op == Op::exclusive_minimum || op == Op::exclusive_maximum;
    if (exclusive && value.is(Kind::boolean)) return {}; // draft-04 says it of the other keyword
    if (!value.is(Kind::number)) return wrong(value, "a number");
    auto const other =
        exclusive ? std::nullopt : schema_.find(op == Op::minimum ? "exclusiveMinimum" : "exclusiveMaximum");
    if (other && other->is_true()) op = op == Op::minimum ? Op::exclusive_minimum : Op::exclusive_maximum;
    return literal(op, value);
}

Result<void> Compiler::multiple_of(Op op, Value value) {
    if (!value.is(Kind::number) || compare(value.written(), "0") <= 0) return wrong(value, "a number above 0");
    if (may_divide(value.written())) return literal(op, value);
    note(fmt::format("multipleOf {}, which has too many digits", shown(value.written())));
    add(Op::unknown, bit(Kind::number));
    return {};
}

Result<void> Compiler::count(Op op, Value value) {
    bool const whole = value.is(Kind::number) && is_integer(value.written()) && compare(value.written(), "0") >= 0;
    if (!whole) return wrong(value, "a whole number that is not negative");
    double out = 0; // it may be written 2.0 or 2e0
    std::from_chars(value.written().data(), value.written().data() + value.written().size(), out);
    bool const huge = compare(value.written(), "4000000000") > 0;
    add(op, huge ? 4'000'000'000U : static_cast<std::uint32_t>(out));
    return {};
}

Result<void> Compiler::pattern(Op op, Value value) {
    if (!value.is(Kind::string)) return wrong(value, "a string");
    auto const number = pattern_number(value.text());
    if (number == none)
        add(Op::unknown, bit(Kind::string));
    else
        add(op, number);
    return {};
}

/// `none` if it cannot be checked.
std::uint32_t Compiler::pattern_number(std::string_view ecma) {
    if (auto const known = pattern_numbers_.find(ecma); known != pattern_numbers_.end()) return known->second;
    auto compiled = compiled_pattern(ecma);
    auto const number = compiled ? static_cast<std::uint32_t>(out_->patterns.size()) : none;
    if (compiled)
        out_->patterns.push_back(std::move(*compiled));
    else
        note(fmt::format("the pattern {} ({})", shown(ecma), shown(compiled.error().what)));
    pattern_numbers_.emplace(ecma, number);
    return number;
}

Result<Pattern> Compiler::compiled_pattern(std::string_view ecma) {
    pattern_weight_ += weight(ecma);
    if (out_->patterns.size() == most_patterns || pattern_weight_ > most_pattern_weight)
        return fail(Errc::unsupported, "there are too many patterns, or too large ones");
    return Pattern::compile(ecma);
}

Result<void> Compiler::format(Op /*op*/, Value value) { // it says what is meant, not what is valid
    if (value.is(Kind::string)) note(fmt::format("the format {}", shown(value.text())));
    return {};
}

Result<void> Compiler::required(Op op, Value value) {
    if (value.is(Kind::boolean)) { // draft-03 says it of the property; many schemas still do
        note("required, where it is no list");
        return {};
    }
    PFAR_TRY(names, names_of(value));
    if (!names.empty()) add_list(op, names);
    return {};
}

Result<void> Compiler::unique_items(Op op, Value value) {
    if (!value.is(Kind::boolean)) return wrong(value, "true or false");
    if (value.is_true()) add(op, 0);
    return {};
}

Result<void> Compiler::recursive_reference(Op op, Value /*value*/) { // of 2019-09 alone
    note("$recursiveRef");
    add(op, ~0U);
    return {};
}

} // namespace pfar::pipeline::schemas
