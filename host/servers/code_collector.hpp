// Gathers roots, links and directories for PATH while find_code goes through a command; refuses what must not be shown.
#pragma once

#include "servers/code_bounds.hpp"
#include "servers/find_code.hpp"
#include "servers/follow.hpp"
#include "servers/runtime.hpp"

#include <set>

namespace pfar::servers {

/// Used once, for one query, which has to outlive it. [main thread, may block]
class CodeCollector {
public:
    explicit CodeCollector(CodeQuery const& query);

    /// A program and what it needs to run; for a script, its interpreter likewise.
    Result<void> add_program(std::filesystem::path const& path, int depth = 0);
    /// An argument that is a file: its package or itself. Answers what to write in its place.
    Result<std::string> add_argument(std::string const& argument);
    /// A path of [server] code, as it is.
    Result<void> add_extra(std::filesystem::path const& path);
    /// Adds what links among the packages lead to, and answers all of it in order.
    Result<Code> finish();

private:
    static constexpr std::size_t most_roots = 256;

    /// Where a program was found, where its links end, and how many scripts led to it.
    struct Place {
        std::filesystem::path program, end;
        int depth;
    };

    bool add_prefix(std::filesystem::path const& program, std::filesystem::path const& from, bool with_parts);
    void add_parts(Prefix const& prefix);
    Result<void> add_script(Place const& place);
    Result<void> add_interpreter(std::filesystem::path const& interpreter, Place const& place);
    Result<void> add_env_interpreter(std::string const& name, Place const& place);
    bool add_package(std::filesystem::path const& file);
    void add_package_parts(std::filesystem::path const& package);
    void add_linked_packages(std::filesystem::path const& modules);
    void add_links(Followed const& way);
    void tidy_links();
    void add_tree(std::filesystem::path const& path, std::string why);
    void add_bin(std::filesystem::path const& directory);
    [[nodiscard]] bool is_code(std::filesystem::path const& file) const;
    [[nodiscard]] bool strays(Followed const& way) const;
    [[nodiscard]] bool is_covered(std::filesystem::path const& path) const;

    CodeQuery const& query_;
    CodeBounds bounds_;
    Code code_;
    std::set<std::filesystem::path> prefixes_, packages_; // seen
};

} // namespace pfar::servers
