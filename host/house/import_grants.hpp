// Files and folders that an imported server is told of: in a sandbox it sees none of them, and many a server then begins anew somewhere else, in silence.
#pragma once

#include "config/client_config.hpp"
#include "house/flow_verbs.hpp"

namespace pfar::house {

struct Granting {
    FlowVerbs& verbs;
    FlowSetting const& setting;
    config::Places const& places; // with its project as the directory
};

/// Asks about each folder in its arguments, and each file and folder in its variables, and grants what is wanted. A path that begins with ~/ is
/// written in full. The system's own are not asked about. [main thread, may block]
Result<void> ask_grants(Granting const& granting, config::ClientServer& wanted, config::ServerSpec& spec);

} // namespace pfar::house
