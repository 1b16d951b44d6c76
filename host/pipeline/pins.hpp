// Pins: which tools of a server the owner has agreed to, each by a digest of what it says about itself.
#pragma once

#include <pfar/result.hpp>

#include <filesystem>
#include <map>
#include <string>

namespace pfar::pipeline {

class Pins {
public:
    /// None yet: the first discovery is agreed to as a whole. A file that is there and cannot be read agrees to nothing. [may block]
    static Pins read(std::filesystem::path file);

    [[nodiscard]] bool fresh() const { return fresh_; }
    [[nodiscard]] bool has(std::string const& tool, std::string const& digest) const;
    [[nodiscard]] bool knows(std::string const& tool) const { return digests_.contains(tool); }
    [[nodiscard]] std::map<std::string, std::string> const& digests() const { return digests_; }
    [[nodiscard]] std::string const& trouble() const { return trouble_; }

    /// `text` is what the digest is of. Kept on disk by keep().
    void agree(std::string const& tool, std::string const& digest, std::string text);
    void forget(std::string const& tool);
    Result<void> keep();
    /// What was agreed to, as it was; empty if it is not known. [may block]
    [[nodiscard]] std::string text_of(std::string const& tool) const;

private:
    explicit Pins(std::filesystem::path file) : file_(std::move(file)) {}

    std::filesystem::path file_;
    std::map<std::string, std::string> digests_, new_texts_;
    std::string trouble_;
    bool fresh_ = true;
};

} // namespace pfar::pipeline
