// The shim's orders. The shim itself is static and cannot be sanitized, so its parser is fuzzed here as a library.
#include "shim/orders.hpp"

#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    std::vector<char> bytes(data, data + size);
    auto* const orders = pfar::shim::parse_orders(bytes.data(), bytes.size());
    if (orders == nullptr) return 0;
    if (orders->program == nullptr || orders->arguments[0] == nullptr) std::abort();
    std::free(orders->rules);
    std::free(orders->arguments);
    std::free(orders->variables);
    std::free(orders);
    return 0;
}
