// Plain index: generation (8), file size (8), number of lines (4); a line: length of the name (1), name filled with
// zeros (64), set time (8), offset (8), length (8), tag (16).
#include "index.hpp"

#include <algorithm>
#include <cassert>

namespace pfar::vault_file {

namespace {

constexpr std::size_t fixed_size = 8 + 8 + 4, line_size = 1 + max_name + 8 + 8 + 8 + tag_size;
constexpr std::string_view purpose = "index";

char* put_line(char* to, IndexLine const& line) {
    auto* const end = to + line_size;
    to = put_number(to, static_cast<std::uint8_t>(line.name.size()));
    std::copy(line.name.begin(), line.name.end(), to);
    to = put_time(to + max_name, line.set_at);
    to = put_number(to, line.offset);
    to = put_number(to, line.length);
    std::copy(line.tag.begin(), line.tag.end(), to);
    return end;
}

IndexLine line_at(char const* from) {
    std::size_t const size = std::min<std::size_t>(static_cast<unsigned char>(*from), max_name);
    IndexLine line;
    line.name.assign(from + 1, size);
    from += 1 + max_name;
    line.set_at = time_at(from);
    line.offset = number_at<std::uint64_t>(from + 8);
    line.length = number_at<std::uint64_t>(from + 16);
    line.tag.assign(from + 24, tag_size);
    return line;
}

} // namespace

std::size_t sealed_index_size(std::size_t lines) {
    return nonce_size + fixed_size + lines * line_size + tag_size;
}

std::string seal_index(Keys const& keys, Header const& header, Index const& index) {
    auto const plain = Secret::filled(fixed_size + index.lines.size() * line_size, [&](char* to) {
        to = put_number(to, index.generation);
        to = put_number(to, index.file_size);
        to = put_number(to, static_cast<std::uint32_t>(index.lines.size()));
        for (auto const& line : index.lines) {
            assert(line.name.size() <= max_name && line.tag.size() <= tag_size);
            to = put_line(to, line);
        }
    });
    return seal(keys.index, bound_to(header, purpose), plain.reveal());
}

std::optional<Index> open_index(Keys const& keys, Header const& header, std::string_view sealed) {
    auto const opened = unseal(keys.index, bound_to(header, purpose), sealed);
    if (!opened || opened->size() < fixed_size) return std::nullopt;
    auto const* from = opened->reveal().data();
    Index index{number_at<std::uint64_t>(from), number_at<std::uint64_t>(from + 8), {}};
    std::size_t const lines = number_at<std::uint32_t>(from + 16);
    if (lines > max_entries || opened->size() != fixed_size + lines * line_size) return std::nullopt;
    from += fixed_size;
    for (std::size_t i = 0; i < lines; ++i, from += line_size) index.lines.push_back(line_at(from));
    return index;
}

} // namespace pfar::vault_file
