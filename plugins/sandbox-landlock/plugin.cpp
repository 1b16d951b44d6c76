// The entry of the Landlock backend.
#include "landlock_backend.hpp"

PFAR_PLUGIN(pfar::landlock::LandlockBackend, "landlock", "0.1.0");
