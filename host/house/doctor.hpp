// What `pfar doctor` finds: for each backend what it can keep on this machine, by trying, and for what it cannot the remedy.
#pragma once

#include "house/house.hpp"

#include <string>
#include <vector>

namespace pfar::house {

struct BackendHealth {
    std::string name;
    bool usable;
    Guarantees without_domains, with_domains;
    bool transparent; // programs that ignore proxy variables work too
    std::string why;  // what is missing and how to get it
};

struct HealthCheck {
    std::string name;
    bool ok;
    std::string finding, fix; // fix: empty if it is ok
};

struct Health {
    std::vector<BackendHealth> backends;
    std::vector<HealthCheck> checks;
};

/// Every probe is a complete launch, listeners included. [main thread, may block]
Health examine(House const& house);

} // namespace pfar::house
