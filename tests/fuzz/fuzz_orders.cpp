// The shim's orders. The shim itself is static and cannot be sanitized, so its parser is fuzzed here as a library.
#include "support/shim_orders.hpp"

#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

/// Every text has its end within the bytes: ASan tells if not.
std::size_t read_all(pfar::shim::Orders const& orders) {
    std::size_t sum = orders.filter_size;
    for (std::size_t i = 0; i < orders.filter_size; ++i) sum += static_cast<unsigned char>(orders.filter[i]);
    for (auto const& mount : orders.mounts) {
        sum += std::strlen(mount.target) + std::strlen(mount.rest);
        for (std::size_t i = 0; i <= mount.rest_size; ++i) sum += static_cast<unsigned char>(mount.rest[i]);
    }
    for (auto const& listener : orders.listeners) sum += listener.role + listener.port;
    for (auto const& limit : orders.limits) sum += limit.resource + limit.value;
    for (auto const& rule : orders.rules) sum += rule.rights + std::strlen(rule.path);
    for (char** text = orders.arguments; *text != nullptr; ++text) sum += std::strlen(*text);
    for (char** text = orders.variables; *text != nullptr; ++text) sum += std::strlen(*text);
    return sum + (orders.directory != nullptr ? std::strlen(orders.directory) : 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    std::vector<char> bytes(data, data + size);
    auto const orders = test::parse_orders(bytes.data(), bytes.size());
    if (!orders) return 0;
    if (orders->program == nullptr || orders->arguments[0] != orders->program) std::abort();
    [[maybe_unused]] std::size_t const volatile sum = read_all(*orders);
    return 0;
}
