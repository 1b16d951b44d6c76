// The shim's parser as a test uses it: the shim itself never gives its memory back, because it becomes the server.
#pragma once

#include "shim/orders.hpp"

#include <cstdlib>
#include <memory>

namespace test {

struct FreeOrders {
    void operator()(pfar::shim::Orders* orders) const {
        std::free(orders->mounts.items);
        std::free(orders->listeners.items);
        std::free(orders->secret_files.items);
        std::free(orders->limits.items);
        std::free(orders->witnesses.items);
        std::free(orders->rules.items);
        std::free(orders->arguments);
        std::free(orders->variables);
        std::free(orders);
    }
};
using ParsedOrders = std::unique_ptr<pfar::shim::Orders, FreeOrders>;

/// Null if they are not well-formed. Points into `bytes`.
inline ParsedOrders parse_orders(char* bytes, std::size_t size) {
    return ParsedOrders(pfar::shim::parse_orders(bytes, size));
}

} // namespace test
