// A $PFAR_HOME that is gone after the test, and a vault configured for it.
#pragma once

#include "file_vault.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace pfar::vault_file {

struct TempHome {
    TempHome() {
        std::string name = (std::filesystem::temp_directory_path() / "pfar-vault-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    TempHome(TempHome const&) = delete;
    TempHome& operator=(TempHome const&) = delete;
    ~TempHome() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }

    std::unique_ptr<FileVault> vault(Settings settings = {}) {
        PluginContext context;
        context.home = path;
        context.settings = std::move(settings);
        context.log = [this](LogLevel, std::string_view text) { log.emplace_back(text); };
        auto made = std::make_unique<FileVault>();
        REQUIRE(made->configure(context));
        return made;
    }

    [[nodiscard]] std::vector<std::filesystem::path> files() const {
        std::vector<std::filesystem::path> found;
        for (auto const& entry : std::filesystem::directory_iterator(path / "vault/entries"))
            found.push_back(entry.path());
        return found;
    }

    std::filesystem::path path;
    std::vector<std::string> log;
};

inline std::string content_of(std::filesystem::path const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void overwrite(std::filesystem::path const& path, std::string const& content) {
    std::ofstream(path, std::ios::binary) << content;
}

inline bool mentions(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

} // namespace pfar::vault_file
