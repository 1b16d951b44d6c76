// The file is written before the list of trusted digests: if that fails, it waits for trust, and nothing runs that nobody agreed to.
#include "house/allow.hpp"

#include "config/edit.hpp"
#include "house/find_server.hpp"
#include "house/home_lock.hpp"
#include "house/rewrite.hpp"

#include <algorithm>

namespace pfar::house {
namespace {

using config::SurveyedFile;

bool is_allowed(SurveyedFile const& file, config::DomainRule const& rule) {
    auto const& rules = file.spec->allowed_domains;
    return std::any_of(rules.begin(), rules.end(), [&](auto const& wide) { return covers(wide, rule); });
}

} // namespace

Result<Allowed> allow_domain(House const& house, std::string const& server, config::DomainRule const& rule) {
    PFAR_TRY(held, lock_home(house.places.home));
    PFAR_TRY(file, find_server(house, server));
    if (is_allowed(file, rule)) return Allowed{file.found.file, false};
    PFAR_TRY(text, read_same(file));
    PFAR_TRY(changed, config::add_domain(text, rule, config::context_of(file.found, house.places)));
    PFAR_CHECK(check_writable(file, house));
    PFAR_CHECK(rewrite(file.identity, changed));
    PFAR_CHECK(keep_trusted(house, file, changed));
    return Allowed{file.found.file, true};
}

} // namespace pfar::house
