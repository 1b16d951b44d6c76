#include "shim/orders.hpp"
#include "spawn/orders.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace pfar;

namespace {

ShimOrders sample() {
    ShimOrders orders;
    orders.landlock = {{"/usr", {.read = true, .execute = true}},
                       {"/tmp/x", {.read = true, .create = true, .update = true, .remove = true}}};
    orders.command = {"/bin/echo", {"", "two words"}, "/tmp", {{"A", "1"}, {"B", ""}}};
    return orders;
}

/// On the heap and of exactly this size, so that ASan sees every byte beyond.
shim::Orders* parse(std::string& bytes) {
    return shim::parse_orders(bytes.data(), bytes.size());
}

void release(shim::Orders* orders) {
    if (orders == nullptr) return;
    std::free(orders->rules);
    std::free(orders->arguments);
    std::free(orders->variables);
    std::free(orders);
}

} // namespace

TEST_CASE("the shim understands what the host writes") {
    auto bytes = spawn::encode(sample()).value();
    auto* const orders = parse(bytes);
    REQUIRE(orders != nullptr);
    REQUIRE(orders->rule_count == 2);
    CHECK(std::string(orders->rules[0].path) == "/usr");
    CHECK(orders->rules[0].rights == (shim_read | shim_execute));
    CHECK(orders->rules[1].rights == (shim_read | shim_create | shim_update | shim_remove));
    CHECK(std::string(orders->directory) == "/tmp");
    CHECK(std::string(orders->program) == "/bin/echo");
    CHECK(std::string(orders->arguments[0]) == "/bin/echo");
    CHECK(std::string(orders->arguments[1]).empty());
    CHECK(std::string(orders->arguments[2]) == "two words");
    CHECK(orders->arguments[3] == nullptr);
    CHECK(std::string(orders->variables[0]) == "A=1");
    CHECK(std::string(orders->variables[1]) == "B=");
    CHECK(orders->variables[2] == nullptr);
    release(orders);
}

TEST_CASE("orders that are cut off anywhere are refused") {
    auto const whole = spawn::encode(sample()).value();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        auto cut = whole.substr(0, size);
        CHECK(parse(cut) == nullptr);
    }
}

TEST_CASE("orders without a program, with two, with a relative path or a NUL are refused") {
    auto const record = [](char tag, std::string const& body) {
        return std::string(1, tag) + static_cast<char>(body.size()) + std::string(3, '\0') + body;
    };
    std::string const program = record('p', "/bin/true"), done = record('.', "");
    std::string good = program + done;
    auto* const orders = parse(good);
    CHECK(orders != nullptr);
    release(orders);
    for (auto bad :
         {done, program + program + done, record('p', "bin/true") + done, record('p', std::string("/bin\0x", 6)) + done,
          program + record('?', "") + done, program + record('e', "NOVALUE") + done, program + record('l', "x") + done,
          program + record('.', "x")}) {
        CHECK(parse(bad) == nullptr);
    }
}
