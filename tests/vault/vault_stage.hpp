// A person with a vault, and servers that use it.
#pragma once

#include "sandbox/live.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/mount.h>

#include <string>
#include <vector>

namespace test {

class VaultStage : public Stage {
public:
    explicit VaultStage(Setting setting) : Stage(std::move(setting)) {}

    [[nodiscard]] Outcome vault(std::vector<std::string> words, std::string input = "") const {
        words.insert(words.begin(), "vault");
        return run({this->words(std::move(words)), {}, "/", std::move(input), setting().uid});
    }
    [[nodiscard]] int keep(std::string const& name, std::string const& value) const {
        return vault({"set", name}, value).status;
    }
    /// A server file that runs `script` with sh in the stage's backend.
    void server(std::string const& name, std::string const& script, std::string const& rest) const {
        static_cast<void>(write("home/.pfar/mcp/" + name + ".toml",
                                "name = \"" + name + "\"\n[server]\ncommand = \"sh\"\nargs = [\"-c\", '''" + script +
                                    "''']\n[sandbox]\nbackend = \"" + setting().backend + "\"\n" + rest));
    }
    void settings_file(std::string const& text) const { static_cast<void>(write("home/.pfar/pfar.toml", text)); }
    [[nodiscard]] std::vector<std::string> exec_server(std::string const& name,
                                                       std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"exec", "--server", name});
        return words(std::move(more));
    }
    [[nodiscard]] Outcome run_server(std::string const& name, std::vector<std::string> more = {},
                                     std::string input = "") const {
        return run({exec_server(name, std::move(more)), {}, "/", std::move(input), setting().uid});
    }
    /// A script in which $0 is pfar.
    [[nodiscard]] std::vector<std::string> shell(std::string const& script) const {
        auto all = words({});
        auto const program = all.back();
        all.pop_back();
        all.insert(all.end(), {"/bin/sh", "-c", script, program});
        return all;
    }
    /// Everything in the record.
    [[nodiscard]] std::string audit() const {
        std::string all;
        for (auto const& file : std::filesystem::recursive_directory_iterator(pfar_home() / "audit"))
            all += read(file.path());
        return all;
    }
};

/// A file system of its own over the vault, as long as it lives.
class Mounted {
public:
    Mounted(VaultStage const& stage, std::string const& options) : place_(stage.pfar_home() / "vault") {
        std::filesystem::create_directory(place_);
        auto const uid = std::to_string(stage.setting().uid);
        auto const all = "mode=0700,uid=" + uid + ",gid=" + uid + "," + options;
        ok_ = ::mount("pfar-test", place_.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, all.c_str()) == 0;
    }
    Mounted(Mounted const&) = delete;
    Mounted& operator=(Mounted const&) = delete;
    ~Mounted() {
        if (ok_) ::umount2(place_.c_str(), MNT_DETACH);
    }
    void read_only(bool on) const {
        REQUIRE(::mount(nullptr, place_.c_str(), nullptr,
                        MS_REMOUNT | (on ? static_cast<unsigned long>(MS_RDONLY) : 0UL), nullptr) == 0);
    }
    [[nodiscard]] bool ok() const { return ok_; }

private:
    std::filesystem::path place_;
    bool ok_ = false;
};

/// Every regular file below, whole.
inline std::vector<std::pair<std::filesystem::path, std::string>> files_below(std::filesystem::path const& root) {
    std::vector<std::pair<std::filesystem::path, std::string>> all;
    for (auto const& path : paths_below(root))
        if (std::error_code gone; std::filesystem::is_regular_file(path, gone)) all.emplace_back(path, read(path));
    return all;
}

} // namespace test
