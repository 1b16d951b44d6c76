// What `pfar trust` does: shows what a project's files would run, and writes down that the owner agreed.
#pragma once

#include "config/survey.hpp"
#include "house/house.hpp"

#include <filesystem>
#include <optional>
#include <vector>

namespace pfar::house {

struct Project {
    std::filesystem::path root;
    std::vector<config::SurveyedFile> files;
};

/// The project at or above `directory`. Errc::not_found says what was looked for. [main thread, may block]
Result<Project> find_project(House const& house, std::filesystem::path const& directory);

/// Writes down the digests of these files as they were read. [main thread, may block]
Result<void> trust_files(House const& house, std::vector<config::SurveyedFile> const& files);

/// Takes every file of the project off the list; answers how many were on it. [main thread, may block]
Result<std::size_t> forget_project(House const& house, std::filesystem::path const& root);

struct TrustedFile {
    std::filesystem::path file;
    std::string digest, standing; // trusted, changed, missing
};

/// [main thread, may block]
Result<std::vector<TrustedFile>> list_trusted(House const& house);

} // namespace pfar::house
