// A directory of a test's own (0700), gone at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace test {

class TempDir {
public:
    TempDir() {
        auto pattern = (std::filesystem::temp_directory_path() / "pfar-test-XXXXXX").native();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
        path_ = std::filesystem::canonical(pattern);
    }
    TempDir(TempDir const&) = delete;
    TempDir& operator=(TempDir const&) = delete;
    ~TempDir() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

    /// Writes a file, with the directories above it.
    std::filesystem::path write(std::string_view name, std::string_view content) const {
        auto const file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << content;
        return file;
    }

private:
    std::filesystem::path path_;
};

inline std::string read(std::filesystem::path const& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text;
    char piece[4096];
    while (in.read(piece, sizeof piece) || in.gcount() > 0) // a process whose file it is may end meanwhile
        text.append(piece, static_cast<std::size_t>(in.gcount()));
    return text;
}

} // namespace test
