// Trust: which files of which projects the owner has agreed to run, by content.
//
// A cloned repository must not run commands. So a project's file is used only if its digest is on this list, and a change
// takes it off. The list is $PFAR_HOME/trust, in the format of sha256sum: `sha256sum -c` says what has changed since.
#pragma once

#include <pfar/result.hpp>

#include <filesystem>
#include <map>
#include <string>

namespace pfar::config {

enum class Standing : std::uint8_t { trusted, changed, unknown };

class TrustList {
public:
    /// An absent file is an empty list. Lines that are not understood are refused: nothing is trusted by accident. [may block]
    static Result<TrustList> read(std::filesystem::path const& home);

    /// `file` is the place below its project's canonical root, links not followed: what it says is relative to that root, so the
    /// same content in another project is another thing. `digest` as base::sha256 gives it.
    [[nodiscard]] Standing standing(std::filesystem::path const& file, std::string const& digest) const;
    [[nodiscard]] std::map<std::string, std::string> const& entries() const { return digests_; }

    void trust(std::filesystem::path const& file, std::string const& digest) { digests_[file.native()] = digest; }
    bool forget(std::filesystem::path const& file) { return digests_.erase(file.native()) > 0; }
    /// All or nothing. Errc::invalid for a path with a line break, which the format cannot hold. [may block]
    Result<void> write(std::filesystem::path const& home) const;

private:
    std::map<std::string, std::string> digests_; // by path
};

} // namespace pfar::config
