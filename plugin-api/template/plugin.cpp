// The entry: the one line that makes this library a pfar plugin.
#include "my_registry.hpp"

PFAR_PLUGIN(MyRegistry, "my-registry", "0.1.0");
