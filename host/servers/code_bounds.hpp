// What may never be shown as code, whatever marks are found in it: a stray package.json must not expose a home directory.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace pfar::servers {

/// All paths asked about are canonical. [any thread]
class CodeBounds {
public:
    /// `writable`: trees that the sandbox itself can change, canonical.
    CodeBounds(std::filesystem::path const& user_home, std::filesystem::path const& pfar_home,
               std::vector<std::filesystem::path> writable);

    /// False for what nothing may be shown of, not even one file: $PFAR_HOME but for mcp-servers/NAME, and the kernel's own files.
    [[nodiscard]] bool may_show_file(std::filesystem::path const& path) const;
    /// False also for the home directory and whatever holds it or $PFAR_HOME, for the well-known directories in it, and for those
    /// of the system that are nobody's package.
    [[nodiscard]] bool may_show_tree(std::filesystem::path const& path) const;
    /// True for what is there inside by other means or makes no sense there: it is passed over rather than refused.
    [[nodiscard]] bool is_elsewhere(std::filesystem::path const& path) const;
    /// True if keys are kept there: nothing in it is taken for code unless it is named.
    [[nodiscard]] bool holds_keys(std::filesystem::path const& path) const;
    /// True if `from` lies below what an installer filled (mcp-servers/NAME) or what the sandbox can write, and `to` outside of it and of
    /// the system: foreign code may have made that link. NAME itself may be a link, which only the owner can have made.
    [[nodiscard]] bool leaves_installed(std::filesystem::path const& from, std::filesystem::path const& to) const;

private:
    [[nodiscard]] std::optional<std::filesystem::path> installed(std::filesystem::path const& path) const;
    [[nodiscard]] std::optional<std::filesystem::path> foreign_tree(std::filesystem::path const& path) const;

    std::filesystem::path user_home_, pfar_home_;
    std::vector<std::filesystem::path> writable_;
    std::vector<std::filesystem::path> never_; // as a tree
};

} // namespace pfar::servers
