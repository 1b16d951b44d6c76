// 64 hexadecimal digits, two spaces, the path.
#include "config/trust.hpp"

#include "base/files.hpp"
#include "base/ownership.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace pfar::config {
namespace {

constexpr std::size_t most_bytes = 4U << 20U, digest_size = 64;

bool is_entry(std::string_view line) {
    return line.size() > digest_size + 2 && line.substr(digest_size, 3) == "  /" &&
           std::all_of(line.begin(), line.begin() + digest_size, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

} // namespace

Result<TrustList> TrustList::read(std::filesystem::path const& home) {
    auto const path = home / "trust";
    auto content = base::read_file(path, most_bytes);
    TrustList list;
    if (!content) return content.error().code == Errc::not_found ? Result<TrustList>(std::move(list)) : content.error();
    std::string_view rest = *content;
    for (std::size_t number = 1; !rest.empty(); ++number) {
        auto const line = rest.substr(0, rest.find('\n'));
        if (!is_entry(line))
            return fail(
                Errc::invalid,
                fmt::format(
                    "{}:{}: this is not a digest and a path; remove the line, or the file, and run pfar trust again",
                    path.native(), number));
        list.digests_.emplace(line.substr(digest_size + 2), line.substr(0, digest_size));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
    return list;
}

Standing TrustList::standing(std::filesystem::path const& file, std::string const& digest) const {
    auto const known = digests_.find(file.native());
    if (known == digests_.end()) return Standing::unknown;
    return known->second == digest ? Standing::trusted : Standing::changed;
}

Result<void> TrustList::write(std::filesystem::path const& home) const {
    std::string content;
    for (auto const& [path, digest] : digests_) {
        if (path.find_first_of("\n\\") != std::string::npos)
            return fail(Errc::invalid,
                        "a path with a line break or a backslash in it cannot be trusted; rename the directory");
        content += digest + "  " + path + "\n";
    }
    return base::write_file(home / "trust", content, 0600);
}

} // namespace pfar::config
