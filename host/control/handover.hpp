// Handover: in which form an agent's stdin or stdout goes to the host, so that nothing changes for whoever else has it.
//
// O_NONBLOCK sits on the open file, which agent, shell and terminal share. So a pipe is opened anew, a socket goes as it is (the host uses
// MSG_DONTWAIT), and for anything else the host gets a pipe of ours, with a relay between the two.
#pragma once

#include "control/relay.hpp"

#include <pfar/result.hpp>

#include <optional>

namespace pfar::control {

enum class Direction { in, out };

struct Handover {
    base::Fd given;               // for the host
    std::optional<Relay> relay{}; // has to be run by this process; it has a copy of the descriptor
};

/// `fd` stays open and as it is. [any thread]
Result<Handover> hand_over(int fd, Direction direction);

} // namespace pfar::control
