// Restarts without end, and calls while servers are killed: nothing is left, lost or answered twice.
#include "servers/host_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>

using test::has;
using test::HostStage;
using test::json::object;

namespace {

struct Trace {
    std::size_t descriptors, groups, run, tmp, processes;

    explicit Trace(HostStage const& stage)
        : descriptors(stage.host_descriptors()), groups(test::groups_of(stage.host()).size()),
          run(test::paths_below(stage.pfar_home() / "run").size()), tmp(test::paths_below("/dev/shm").size()),
          processes(stage.processes().size()) {}
    bool operator==(Trace const&) const = default;
    [[nodiscard]] bool is_within(Trace const& other) const {
        return descriptors <= other.descriptors && groups <= other.groups && run <= other.run && tmp <= other.tmp &&
               processes <= other.processes;
    }
};

/// What there is once nothing of the last restart is still being put away.
Trace settled(HostStage const& stage) {
    Trace last(stage);
    (void)stage.soon([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        auto const before = std::exchange(last, Trace(stage));
        return last == before;
    });
    return last;
}

std::ostream& operator<<(std::ostream& out, Trace const& trace) {
    return out << trace.descriptors << " descriptors, " << trace.groups << " groups, " << trace.run
               << " files in run/, " << trace.tmp << " in /dev/shm, " << trace.processes << " processes";
}

void restart(HostStage& stage) {
    REQUIRE_FALSE(stage.ask("restart", {{"server", "a"}, {"wait", true}}).is_null());
    REQUIRE(stage.reaches("a", "running"));
}

unsigned rounds(unsigned otherwise) {
    auto const* const given = std::getenv("PFAR_RESTARTS");
    return given != nullptr ? static_cast<unsigned>(std::atoi(given)) : otherwise;
}

} // namespace

TEST_CASE("forty restarts leave nothing behind") {
    HostStage stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    stage.server("a", {{}, "allowed_domains = [\"example.com\"]", ""});
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    for (int i = 0; i < 5; ++i) restart(stage);
    Trace const before = settled(stage);
    auto const rss = stage.host_rss_kib();
    auto const all = rounds(40);
    for (unsigned i = 0; i < all; ++i) restart(stage);
    auto const after = [&] {
        (void)stage.soon([&] { return Trace(stage).is_within(before); }, 5);
        return Trace(stage);
    }();
    CAPTURE(before, after);
    CHECK(after.is_within(before));
    auto const grown = stage.host_rss_kib() - rss;
    CAPTURE(grown);
    CHECK(grown < (PFAR_IS_SANITIZED ? 40'000 : 2'000)); // freed memory stays in quarantine under ASan
    CHECK(stage.number("a", "crashes") == 0);
}

TEST_CASE("mixed calls while servers are killed: no answer is lost and none comes twice") {
    HostStage stage(test::somebody());
    std::vector<std::string> names;
    for (int i = 0; i < 6; ++i) {
        names.push_back("s" + std::to_string(i));
        stage.server(names.back(), {{}, i % 3 == 2 ? "stateful = false" : "", ""});
    }
    REQUIRE(stage.begin());
    REQUIRE(stage.soon([&] {
        return std::all_of(names.begin(), names.end(), [&](auto const& name) { return !stage.tools(name).empty(); });
    }));
    std::mt19937 random(6);
    std::map<std::int64_t, std::string> open; // what each should say
    std::size_t answered = 0, failed = 0, wrong = 0;
    auto const take = [&](auto const& entry) {
        auto const call = HostStage::called(stage.control().wait(entry.first));
        REQUIRE(call.text != "(no answer)");
        ++answered;
        if (!call.ok)
            ++failed;
        else if (call.text != entry.second)
            ++wrong;
    };
    auto const late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (int i = 0; std::chrono::steady_clock::now() < late; ++i) {
        auto const word = "call " + std::to_string(i);
        open.emplace(stage.control().send(
                         "call", HostStage::call_params(names[random() % names.size()], "echo", {{"text", word}})),
                     word);
        if (i % 1000 == 999) {
            auto const processes = stage.processes(names[random() % names.size()]);
            if (!processes.empty()) ::kill(processes[0], SIGKILL);
        }
        if (i % 200 == 199) stage.ask("restart", {{"server", names[random() % names.size()]}, {"wait", false}});
        while (open.size() >= 16) take(*open.begin()), open.erase(open.begin());
    }
    for (auto const& entry : open) take(entry);
    CAPTURE(answered, failed);
    CHECK(wrong == 0);
    CHECK(stage.control().strays() == 0);
    CHECK(answered > 500);
    CHECK(failed < answered / 2);
}
