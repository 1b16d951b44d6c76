// The entry of the bubblewrap backend.
#include "bwrap_backend.hpp"

PFAR_PLUGIN(pfar::bwrap::BwrapBackend, "bwrap", "0.1.0");
