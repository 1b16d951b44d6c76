// A name counts only if it is written exactly as we write it.
#include "audit/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace pfar::audit {
namespace {

constexpr std::string_view before = "audit-";

std::uint32_t number_of(std::string const& name) {
    std::uint32_t number = 0;
    if (!name.starts_with(before)) return 0;
    std::from_chars(name.data() + before.size(), name.data() + name.size(), number);
    return name == file_name(number) ? number : 0;
}

} // namespace

std::string file_name(std::uint32_t number) {
    return fmt::format("{}{:06}.jsonl", before, number);
}

std::vector<std::uint32_t> files_of(std::filesystem::path const& directory) {
    std::vector<std::uint32_t> numbers;
    std::error_code error;
    for (auto entry = std::filesystem::directory_iterator(directory, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
        if (auto const number = number_of(entry->path().filename().native()); number > 0) numbers.push_back(number);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

std::uint32_t last_file(std::filesystem::path const& directory) {
    auto const numbers = files_of(directory);
    return numbers.empty() ? 0 : numbers.back();
}

} // namespace pfar::audit
