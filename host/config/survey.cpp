// Content is read once: what was digested is what was parsed.
#include "config/survey.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/ownership.hpp"

#include <set>

namespace pfar::config {
namespace {

/// A project's file is bound by its digest; any other must not be open to others.
Result<void> check_owner(FoundFile const& found) {
    if (found.origin == Origin::project) return {};
    PFAR_TRY(real, base::only_ours(found.file, base::Strictness::private_group));
    return {};
}

Result<std::string> read(FoundFile const& found) {
    PFAR_CHECK(check_owner(found));
    return base::read_file(found.file, most_config_bytes);
}

} // namespace

SurveyedFile survey_file(FoundFile const& found, Places const& places, TrustList const& trust) {
    SurveyedFile out{found, found.file, "", SurveyedFile::Role::used, Standing::trusted, {}, {}};
    std::error_code error;
    if (auto real = std::filesystem::canonical(found.file, error); !error) out.identity = std::move(real);
    auto content = read(found);
    if (!content) {
        out.mistakes.push_back({Severity::error, {}, content.error().what, "", "", ""});
        if (found.origin == Origin::project) out.standing = Standing::unknown;
        return out;
    }
    out.digest = base::sha256(*content);
    if (found.origin == Origin::project) out.standing = trust.standing(found.file, out.digest);
    auto result = read_server_file(Source(std::move(*content)), context_of(found, places));
    out.spec = std::move(result.spec);
    out.mistakes = std::move(result.mistakes);
    return out;
}

std::vector<SurveyedFile> survey(Places const& places, TrustList const& trust) {
    std::vector<SurveyedFile> files;
    std::set<std::string> taken;
    for (auto const& found : find_server_files(places)) {
        auto file = survey_file(found, places, trust);
        if (file.standing != Standing::trusted)
            file.role = SurveyedFile::Role::waits;
        else if (!taken.insert(found.name).second)
            file.role = SurveyedFile::Role::shadowed;
        files.push_back(std::move(file));
    }
    return files;
}

} // namespace pfar::config
