// Verbs: what a script can do, and the only things that it can do. The house makes them; the runner calls them for the script.
//
// Arguments and results are JSON values, as a script's tables. A secret is only ever a number here: the verbs keep it, no script can read it.
#pragma once

#include "flows/talk.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string_view>

namespace pfar::flows {

/// What became of a verb. A script gets `value` and, if there is one, `why` as a second result.
struct Done {
    boost::json::value value;
    std::string why{}; // of a verb that may fail without ending the flow: value is null or false then
};

class Verbs {
public:
    Verbs() = default;
    Verbs(Verbs const&) = delete;
    Verbs& operator=(Verbs const&) = delete;
    virtual ~Verbs() = default;

    /// `arguments` are as many as the script gave. An error ends the flow, and no pcall of the script hears of it: Errc::refused if the person
    /// gave up, Errc::invalid if the script used the verb wrongly, others as they are. [main thread, may block]
    virtual Result<Done> run(std::string_view verb, std::vector<boost::json::value> arguments) = 0;
};

/// A handle on a secret as it stands in arguments and results: {"pfar.secret": NUMBER}. In Lua it is a userdata without any method.
inline constexpr std::string_view handle_key = "pfar.secret";
boost::json::value make_handle(std::uint64_t number);
std::optional<std::uint64_t> handle_in(boost::json::value const& value);

} // namespace pfar::flows
