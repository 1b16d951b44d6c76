// No O_CREAT and no O_TRUNC: what is not there is a feature that the kernel does not have.
#include "spawn/cgroup_files.hpp"

#include "base/fd.hpp"
#include "base/files.hpp"

#include <fcntl.h>

#include <cerrno>
#include <charconv>
#include <sstream>

namespace pfar::spawn {

int put(std::filesystem::path const& file, std::string_view text) {
    base::Fd const fd{::open(file.c_str(), O_WRONLY | O_CLOEXEC)};
    if (!fd) return errno;
    return ::write(fd.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : errno;
}

std::string text_of(std::filesystem::path const& file) {
    auto content = base::read_file(file, std::size_t{4} << 20);
    return content ? std::move(*content) : std::string();
}

std::set<std::string> words_of(std::filesystem::path const& file) {
    std::istringstream text(text_of(file));
    std::set<std::string> words;
    for (std::string word; text >> word;) words.insert(word);
    return words;
}

std::uint64_t number_after(std::string_view text, std::string_view key) {
    auto at = text.starts_with(key) ? 0 : text.find("\n" + std::string(key));
    if (at == std::string_view::npos) return 0;
    at += key.size() + (text[at] == '\n' ? 1 : 0);
    at = text.find_first_not_of(" \t", at);
    std::uint64_t number = 0;
    if (at != std::string_view::npos) std::from_chars(text.data() + at, text.data() + text.size(), number);
    return number;
}

} // namespace pfar::spawn
