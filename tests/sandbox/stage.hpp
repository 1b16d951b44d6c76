// A person with a home directory outside /tmp, a backend, and the built pfar between them.
#pragma once

#include "support/process.hpp"

#include <sys/types.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace test {

struct Setting {
    std::string backend;
    unsigned uid;
};
std::ostream& operator<<(std::ostream& out, Setting const& setting);

/// Both backends, for root and for an ordinary user; for that one alone where the tests are not root.
std::vector<Setting> settings();
/// The people alone, for what does not depend on a backend.
std::vector<Setting> people();

/// Everything below it that is there, while others make and remove some of it.
std::vector<std::filesystem::path> paths_below(std::filesystem::path const& directory);
/// The control groups of this pfar, which it names after its pid.
std::vector<std::filesystem::path> groups_of(pid_t pid);

class Stage {
public:
    explicit Stage(Setting setting);
    Stage(Stage const&) = delete;
    Stage& operator=(Stage const&) = delete;
    ~Stage();

    [[nodiscard]] std::filesystem::path const& path() const { return path_; } // world-readable, the person's
    [[nodiscard]] std::filesystem::path home() const { return path_ / "home"; }
    [[nodiscard]] std::filesystem::path pfar_home() const { return home() / ".pfar"; }
    [[nodiscard]] Setting const& setting() const { return setting_; }
    [[nodiscard]] bool is_root() const;

    /// Below path(), belonging to the person.
    std::filesystem::path write(std::string const& name, std::string const& content, unsigned mode = 0644) const;
    [[nodiscard]] std::filesystem::path make(std::string const& directory) const;
    void own() const; // all of it is the person's

    /// The whole command line, environment included, for a start of one's own.
    [[nodiscard]] std::vector<std::string> words(std::vector<std::string> arguments) const;
    [[nodiscard]] std::vector<std::string> exec_words(std::vector<std::string> options,
                                                      std::vector<std::string> const& command) const;

    [[nodiscard]] Outcome pfar(std::vector<std::string> arguments, std::filesystem::path const& directory = "/") const;
    /// pfar exec --backend B OPTIONS -- COMMAND
    [[nodiscard]] Outcome exec(std::vector<std::string> options, std::vector<std::string> const& command,
                               std::string input = "", std::filesystem::path const& directory = "/") const;
    [[nodiscard]] Outcome sh(std::string const& script, std::vector<std::string> options = {}) const;
    /// The same script with no pfar around it: the control.
    [[nodiscard]] Outcome bare(std::string const& script) const;

    std::vector<std::string> environment; // NAME=VALUE, more of it

private:
    Setting setting_;
    std::filesystem::path path_;
};

} // namespace test
