// What is out there: name server, TLS and HTTP servers, databases and a proxy, on every address of the world. Each line of their
// record begins with "good" or "evil": evil is whatever nobody was allowed to do, by address, port, or the name that was said.
#pragma once

#include "egress/certificates.hpp"

#include <pfar/fd.hpp>

namespace test {

/// Runs in a process of its own until the other end of `control` is closed. Writes a byte to it when all listen; every byte
/// that comes is answered with the record since the last one, its size (4 bytes) first, after everything that has arrived so far
/// has been seen.
void run_peers(pfar::Fd control, Certificates const& certificates);

} // namespace test
