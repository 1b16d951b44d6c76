// Lines are judged as bytes, never parsed: what the hash covers is what was written, whatever a JSON parser makes of it.
#include "audit/chain.hpp"

#include <fmt/format.h>

#include <charconv>

namespace pfar::audit {
namespace {

constexpr std::string_view seq_part = "{\"seq\":", prev_part = ",\"prev\":\"", hash_part = ",\"hash\":\"",
                           end_part = "\"}";
constexpr std::size_t digits = 64;

std::uint64_t seq_of(std::string_view covered) {
    std::uint64_t seq = 0;
    if (covered.starts_with(seq_part))
        std::from_chars(covered.data() + seq_part.size(), covered.data() + covered.size(), seq);
    return seq;
}

} // namespace

void seal(std::string& text, std::size_t from, Key const& key) {
    auto const hash = key.hash(std::string_view(text).substr(from));
    text.append(hash_part).append(hash.data(), hash.size()).append(end_part);
}

std::string_view unsealed(std::string_view text, Key const& key) {
    constexpr auto size = hash_part.size() + digits + end_part.size();
    if (text.size() < size) return {};
    auto const covered = text.substr(0, text.size() - size);
    auto const seal = text.substr(covered.size());
    auto const hash = key.hash(covered);
    bool const fits = seal.starts_with(hash_part) && seal.ends_with(end_part) &&
                      seal.substr(hash_part.size(), digits) == std::string_view(hash.data(), hash.size());
    return fits ? covered : std::string_view();
}

void append_line(std::string& lines, std::string_view entry, Mark& mark, Key const& key) {
    auto const begin = lines.size();
    fmt::format_int const seq(++mark.seq);
    lines.append(seq_part).append(seq.data(), seq.size()).append(",").append(entry);
    lines.append(prev_part).append(mark.hash).append("\"");
    seal(lines, begin, key);
    mark.hash.assign(lines, lines.size() - end_part.size() - digits, digits);
    lines += '\n';
}

Result<void> follow(std::string_view line, Mark& mark, Key const& key) {
    auto const covered = unsealed(line, key);
    if (covered.empty()) return fail(Errc::invalid, "was changed: its hash does not fit");
    auto const seq = seq_of(covered);
    if (seq > mark.seq + 1)
        return fail(Errc::invalid, fmt::format("has number {} where {} should follow: lines are missing before it", seq,
                                               mark.seq + 1));
    if (seq <= mark.seq)
        return fail(Errc::invalid,
                    fmt::format("has number {} where {} should follow: it is not in its place", seq, mark.seq + 1));
    auto const prev = covered.substr(covered.size() - digits - 1, digits);
    if (prev != mark.hash) return fail(Errc::invalid, "does not follow the line before it: that one was exchanged");
    mark = {seq, std::string(line.substr(line.size() - end_part.size() - digits, digits))};
    return {};
}

} // namespace pfar::audit
