// Survey: every server file that can be found, read once: its spec, its mistakes, and whether it is the one that counts.
#pragma once

#include "config/places.hpp"
#include "config/trust.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pfar::config {

struct SurveyedFile {
    /// used: this is the server of that name. shadowed: an earlier file is. waits: for `pfar trust`.
    enum class Role : std::uint8_t { used, shadowed, waits };

    FoundFile found;
    std::filesystem::path identity; // canonical: two names of one file are one server
    std::string digest;             // of the very bytes that were read
    Role role;
    Standing standing; // for a project's file
    std::optional<ServerSpec> spec;
    std::vector<Mistake> mistakes;
};

inline constexpr std::size_t most_config_bytes = 1U << 20U;

/// One file, with a mistake in it if it cannot be read. `role` is left at used. [may block]
SurveyedFile survey_file(FoundFile const& found, Places const& places, TrustList const& trust);

/// All files in order of precedence. A project's file that is not trusted shadows nothing. [may block]
std::vector<SurveyedFile> survey(Places const& places, TrustList const& trust);

} // namespace pfar::config
