// A $PFAR_HOME that is gone after the test, and vaults configured for it.
#pragma once

#include "file_vault.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>

namespace pfar::vault_file {

inline Settings with(std::string const& key, std::string value, Settings settings = {}) {
    settings[key] = Setting{std::move(value)};
    return settings;
}

inline Settings unlocked_for(std::int64_t minutes, Settings settings = {}) {
    settings["unlock_minutes"] = Setting{minutes};
    return settings;
}

/// Not kept in the keyring, which is the user's and outlives a test.
inline Settings by_passphrase() {
    return unlocked_for(0, with("key_from", "passphrase"));
}

struct TempHome {
    TempHome() {
        std::string name = (std::filesystem::temp_directory_path() / "pfar-test-vault-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    TempHome(TempHome const&) = delete;
    TempHome& operator=(TempHome const&) = delete;
    ~TempHome() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }

    [[nodiscard]] PluginContext context(Settings settings = {}) const {
        PluginContext context;
        context.home = path;
        context.settings = std::move(settings);
        return context;
    }
    [[nodiscard]] std::unique_ptr<FileVault> vault(Settings settings = {}) const {
        auto made = std::make_unique<FileVault>();
        if (auto const configured = made->configure(context(std::move(settings))); !configured)
            throw std::runtime_error(configured.error().what);
        return made;
    }
    [[nodiscard]] std::filesystem::path secrets() const { return path / "vault/secrets"; }
    /// What lies in the vault's directory.
    [[nodiscard]] std::set<std::string> files() const {
        std::set<std::string> names;
        for (auto const& file : std::filesystem::directory_iterator(path / "vault"))
            names.insert(file.path().filename());
        return names;
    }

    std::filesystem::path path;
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

inline std::string text_of(Result<Secret> const& secret) {
    return secret ? std::string(secret->reveal()) : "error: " + secret.error().what;
}

} // namespace pfar::vault_file
