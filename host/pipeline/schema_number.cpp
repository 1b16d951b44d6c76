#include "pipeline/schema_number.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>

namespace pfar::pipeline::schemas {
namespace {

// Exponents beyond this are taken for it; no two numbers of a text that fits in memory differ in that.
constexpr std::int64_t most_exponent = 1'000'000'000'000;

/// digits * 10^exponent; the digits neither begin nor end with 0, and 0 has none.
struct Decimal {
    bool negative = false;
    std::string digits;
    std::int64_t exponent = 0;

    [[nodiscard]] std::int64_t magnitude() const { return static_cast<std::int64_t>(digits.size()) + exponent; }
};

std::int64_t exponent_of(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    bool const negative = text.starts_with('-');
    std::int64_t out = 0;
    auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error == std::errc()) return std::clamp(out, -most_exponent, most_exponent);
    return negative ? -most_exponent : most_exponent;
}

Decimal decimal(std::string_view number) {
    Decimal out;
    out.negative = number.starts_with('-');
    if (out.negative) number.remove_prefix(1);
    auto const power = number.find_first_of("eE");
    if (power != std::string_view::npos) out.exponent = exponent_of(number.substr(power + 1));
    number = number.substr(0, power);
    auto const point = number.find('.');
    out.digits = number.substr(0, point);
    if (point != std::string_view::npos) {
        out.digits.append(number.substr(point + 1));
        out.exponent -= static_cast<std::int64_t>(number.size() - point - 1);
    }
    auto const last = out.digits.find_last_not_of('0');
    if (last == std::string::npos) return {};
    out.exponent += static_cast<std::int64_t>(out.digits.size() - last - 1);
    out.digits.resize(last + 1);
    out.digits.erase(0, out.digits.find_first_not_of('0'));
    return out;
}

/// Nearly every number is one of these.
std::optional<std::int64_t> small(std::string_view number) {
    std::int64_t out = 0;
    auto const [stop, error] = std::from_chars(number.data(), number.data() + number.size(), out);
    if (error != std::errc() || stop != number.data() + number.size()) return {};
    return out;
}

int order(Decimal const& a, Decimal const& b) { // of what they are without their signs
    if (a.digits.empty() || b.digits.empty())
        return static_cast<int>(!a.digits.empty()) - static_cast<int>(!b.digits.empty());
    if (a.magnitude() != b.magnitude()) return a.magnitude() < b.magnitude() ? -1 : 1;
    return a.digits.compare(b.digits);
}

__extension__ using Wide = unsigned __int128;

std::uint64_t power_of_ten(std::int64_t exponent, std::uint64_t modulus) {
    Wide out = 1 % modulus, square = 10 % modulus;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) out = out * square % modulus;
        square = square * square % modulus;
    }
    return static_cast<std::uint64_t>(out);
}

} // namespace

bool is_integer(std::string_view number) {
    if (number.find_first_of(".eE") == std::string_view::npos) return true;
    auto const value = decimal(number);
    return value.exponent >= 0 || value.digits.empty();
}

int compare(std::string_view a, std::string_view b) {
    if (auto const x = small(a), y = small(b); x && y) return *x < *y ? -1 : static_cast<int>(*x > *y);
    auto const x = decimal(a), y = decimal(b);
    if (x.negative != y.negative) return x.negative ? -1 : 1;
    return x.negative ? order(y, x) : order(x, y);
}

bool is_multiple(std::string_view number, std::string_view of) {
    auto const value = decimal(number), divisor = decimal(of);
    if (value.digits.empty()) return true;
    auto const shift = value.exponent - divisor.exponent;
    if (shift < 0) return false; // its last digit is not 0, so no multiple of 10 that divides the rest would do
    auto const modulus = static_cast<std::uint64_t>(*small(divisor.digits));
    Wide rest = 0;
    for (char const digit : value.digits) rest = (rest * 10 + static_cast<unsigned>(digit - '0')) % modulus;
    return rest * power_of_ten(shift, modulus) % modulus == 0;
}

bool may_divide(std::string_view of) {
    auto const divisor = decimal(of);
    return !divisor.negative && !divisor.digits.empty() && divisor.digits.size() <= 18;
}

std::uint64_t hash_of_number(std::string_view number) {
    auto const value = decimal(number);
    return std::hash<std::string>()(value.digits) * 31 + static_cast<std::uint64_t>(value.exponent) +
           (value.negative ? 7 : 0);
}

} // namespace pfar::pipeline::schemas
