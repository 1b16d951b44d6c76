// Read as the kernel reads it: 256 bytes, blanks after #!, the interpreter up to the next blank.
#include "servers/shebang.hpp"

#include "base/fd.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace pfar::servers {
namespace {

constexpr std::string_view blanks = " \t";

std::string first_bytes(std::filesystem::path const& path) {
    base::Fd const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    struct stat status {};
    if (!file || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    std::array<char, 256> bytes{};
    auto const got = ::read(file.number(), bytes.data(), bytes.size());
    return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : std::string();
}

std::string_view next_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    auto const word = line.substr(0, line.find_first_of(blanks));
    line.remove_prefix(word.size());
    return word;
}

/// `env -S node --flag`, `env -i A=b node`: the first word that is neither an option nor an assignment.
std::string_view named_after_env(std::string_view line) {
    for (auto word = next_word(line); !word.empty(); word = next_word(line)) {
        if (word.starts_with("-S")) word.remove_prefix(2);
        if (word.empty() || word[0] == '-' || word.find('=') != std::string_view::npos) continue;
        return word;
    }
    return {};
}

} // namespace

Result<std::optional<Shebang>> shebang_of(std::filesystem::path const& file) {
    auto const bytes = first_bytes(file);
    if (!bytes.starts_with("#!")) return std::nullopt;
    auto const end = bytes.find_first_of(std::string_view("\n\0", 2));
    auto line = std::string_view(bytes).substr(2, end == std::string::npos ? end : end - 2);
    if (!line.empty() && line.back() == '\r')
        return fail(Errc::invalid, fmt::format("{} has Windows line ends, so its first line names no interpreter; run: "
                                               "sed -i 's/\\r$//' {}",
                                               base::printable(file.native()), base::printable(file.native())));
    auto const word = next_word(line);
    bool const cut = end == std::string::npos && bytes.size() == 256 && line.empty();
    if (cut || !word.starts_with('/'))
        return fail(Errc::invalid,
                    fmt::format("{} begins with #! but names no interpreter by its absolute path; mend its first line",
                                base::printable(file.native())));
    Shebang out{word, {}};
    if (out.interpreter.filename() == "env") out.env_name = named_after_env(line);
    return out;
}

bool is_binary(std::filesystem::path const& file) {
    return first_bytes(file).starts_with("\x7f"
                                         "ELF");
}

} // namespace pfar::servers
