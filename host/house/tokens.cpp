#include "house/tokens.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <sys/random.h>
#include <sys/stat.h>

#include <array>

namespace pfar::house {
namespace {

constexpr std::size_t token_bytes = 32;

std::string random_word() {
    std::array<unsigned char, token_bytes> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::runtime_error("there is no randomness");
    std::string out;
    for (auto const byte : bytes) out += fmt::format("{:02x}", byte);
    return out;
}

} // namespace

Result<Secret> token_in(std::filesystem::path const& file) {
    auto text = base::read_file(file, 4096);
    if (!text && text.error().code != Errc::not_found) return text.error();
    if (!text) {
        auto const word = random_word();
        PFAR_CHECK(base::write_file(file, word + "\n", 0600));
        return Secret(word);
    }
    struct stat info {};
    if (::stat(file.c_str(), &info) == 0 && (info.st_mode & 077) != 0)
        return fail(Errc::refused, fmt::format("{} can be read by others; remove it, and a new one is made",
                                               base::printable(file.native())));
    while (!text->empty() && (text->back() == '\n' || text->back() == '\r' || text->back() == ' ')) text->pop_back();
    if (text->size() < 16)
        return fail(Errc::invalid, fmt::format("{} has no usable token; remove it, and a new one is made",
                                               base::printable(file.native())));
    return Secret(*text);
}

} // namespace pfar::house
