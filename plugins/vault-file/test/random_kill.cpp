// kill -9 at random moments: what was acknowledged is there, and the one operation under way has happened or not.
#include "child.hpp"
#include "temp_home.hpp"

#include <catch2/catch_get_random_seed.hpp>

#include <poll.h>

#include <csignal>
#include <map>
#include <random>

namespace pfar::vault_file {

namespace {

using State = std::map<std::string, std::string>;
constexpr char command_words[] = "echo what the command prints";

/// The same for whoever knows round and number.
struct Step {
    Step(unsigned round, unsigned number) {
        std::mt19937 random(round * 1000 + number);
        what = random() % 10;
        name = "name" + std::to_string(random() % 6);
        other = "name" + std::to_string(random() % 6);
        value = "value " + std::to_string(round) + "." + std::to_string(number) + std::string(random() % 300, 'x');
    }
    [[nodiscard]] Result<void> run(FileVault& vault) const {
        if (what < 5) return vault.keep(name, Secret(value));
        if (what < 6) return vault.remove(name);
        if (what < 7) return vault.rename(name, other);
        return vault.change_key({});
    }
    void apply(State& state) const {
        if (what < 5) state[name] = value;
        if (what == 5) state.erase(name);
        if (what != 6 || !state.contains(name) || state.contains(other)) return;
        state[other] = state[name];
        state.erase(name);
    }

    unsigned long what;
    std::string name, other, value;
};

/// Now and then the key is to come from a command and then from a file again; mostly from a file, because Argon2id is
/// slow.
Settings settings_of(unsigned round) {
    return with("key_from", round % 50 == 7 ? "command" : "file", with("key_command", command_words));
}

/// 'b' before each operation, 'a' after it; something else if it failed for a reason that it should not have.
std::string work(TempHome const& home, unsigned round, int to) {
    auto const vault = home.vault(settings_of(round));
    for (unsigned number = 0;; ++number) {
        if (::write(to, "b", 1) != 1) return "x";
        auto const done = Step(round, number).run(*vault);
        if (!done && done.error().code != Errc::not_found && done.error().code != Errc::conflict)
            return "x" + done.error().what;
        if (::write(to, "a", 1) != 1) return "x";
    }
}

/// Waits for some acknowledgements and then for a part of the next one.
std::string run_and_kill(TempHome const& home, unsigned round, std::mt19937& random) {
    auto const child = start_child([&](int to) { return work(home, round, to); });
    std::string said;
    for (auto left = random() % 12; left > 0; --left) {
        char byte = 0;
        if (::read(child.says.number(), &byte, 1) == 1) said += byte;
    }
    timespec const moment{0, static_cast<long>(random() % 2'000'000)};
    ::ppoll(nullptr, 0, &moment, nullptr); // the point of it: any moment will do
    ::kill(child.pid, SIGKILL);
    said += all_of(child.says);
    int status = 0;
    REQUIRE(::waitpid(child.pid, &status, 0) == child.pid);
    CHECK(WIFSIGNALED(status));
    return said;
}

State state_of(FileVault& vault) {
    auto const list = vault.list();
    if (!list) return {{"error", list.error().what}};
    State state;
    for (auto const& entry : *list) state[entry.name] = text_of(vault.find(entry.name));
    return state;
}

} // namespace

TEST_CASE("killed at 300 random moments, a vault has every acknowledged entry and nothing else") {
    TempHome home;
    std::mt19937 random(Catch::getSeed());
    State expected;
    unsigned acknowledged = 0, in_flight = 0;
    std::set<std::string> const allowed{"key", "key.new", "lock", "secrets", ".secrets.new", "used", ".used.new"};
    for (unsigned round = 0; round < 300; ++round) {
        auto const said = run_and_kill(home, round, random);
        INFO("round " << round << ": " << said);
        REQUIRE(said.find('x') == std::string::npos);
        unsigned done = 0;
        for (auto const byte : said) done += byte == 'a' ? 1 : 0;
        for (unsigned number = 0; number < done; ++number) Step(round, number).apply(expected);
        auto maybe = expected;
        if (said.ends_with('b')) Step(round, done).apply(maybe), ++in_flight;
        acknowledged += done;

        auto const state = state_of(*home.vault(settings_of(0)));
        REQUIRE((state == expected || state == maybe));
        expected = state;
        if (std::filesystem::exists(home.path / "vault"))
            for (auto const& file : home.files()) CHECK(allowed.contains(file));
    }
    CHECK(acknowledged > 300);
    CHECK(in_flight > 100);
}

} // namespace pfar::vault_file
