#include "house/record.hpp"

#include "audit/files.hpp"
#include "audit/verify.hpp"
#include "support/temp_dir.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <thread>

using namespace pfar;

namespace {

struct Home {
    test::TempDir dir;
    house::House house{{}, {}, {}, config::Source(""), {}, {}, {}};

    explicit Home(std::chrono::milliseconds delay = std::chrono::hours(1)) {
        house.places.home = dir.path();
        house.settings.audit_delay = delay;
    }
    [[nodiscard]] std::string text() const { return test::read(dir / "audit/audit-000001.jsonl"); }
};

bool soon(std::function<bool()> const& holds) {
    for (int tries = 0; tries < 1000; ++tries, std::this_thread::sleep_for(std::chrono::milliseconds(10)))
        if (holds()) return true;
    return false;
}

} // namespace

TEST_CASE("what is added to the record waits as long as pfar.toml says, what must be there does not") {
    Home const home;
    house::Record record(home.house);
    CHECK(record.health());
    CHECK(record.last_good() == std::chrono::steady_clock::time_point());
    REQUIRE(record.write({"host", {}}));
    CHECK(record.last_good() > std::chrono::steady_clock::time_point());
    record.add({"call", {{"server", "a"}}});
    CHECK(audit::verify(home.dir / "audit")->lines == 1);
    REQUIRE(record.write({"credential", {{"server", "b"}}}));
    CHECK(audit::verify(home.dir / "audit")->lines == 3);
    CHECK(record.health());
    record.add({"call", {}, R"("n":1)"});
    record.close();
    CHECK(audit::verify(home.dir / "audit")->lines == 4);
}

TEST_CASE("no event has a secret that was known when it was added") {
    Home const home;
    house::Record record(home.house);
    Secret const token("ntn_0123456789");
    auto const redactor = std::make_shared<base::Redactor const>(std::vector<base::Redactor::Known>{{"token", &token}});
    REQUIRE(record.write({"host", {}})); // what comes now waits
    record.redact_with(redactor);
    record.add({"call", {{"why", "bad ntn_0123456789"}}, R"("arguments":{"a":"ntn_0123456789"})"});
    record.redact_with(nullptr); // its server is gone, the event still waits
    record.add({"call", {{"n", 2}}});
    record.redact_with(std::make_shared<base::Redactor const>(std::vector<base::Redactor::Known>{}));
    record.add({"call", {{"n", 3}}});
    record.close();
    CHECK(home.text().find("ntn_") == std::string::npos);
    CHECK(home.text().find(R"("why":"bad [redacted:token]","arguments":{"a":"[redacted:token]"})") !=
          std::string::npos);
    CHECK(home.text().find(R"("n":3)") != std::string::npos);
}

TEST_CASE("whoever wants to know is told, also that there is no record") {
    Home const home;
    house::Record record(home.house);
    bool written = false;
    record.add({"call", {}}, [&](Result<void> const& outcome) { written = outcome.has_value(); });
    record.close();
    CHECK(written);

    Home const spoilt;
    spoilt.dir.write("audit", "a file in its place");
    house::Record none(spoilt.house);
    std::string why;
    none.add({"call", {}}, [&](Result<void> const& outcome) { why = outcome ? "" : outcome.error().what; });
    CHECK(why.starts_with("no audit: "));
    CHECK_FALSE(none.health());
    CHECK_FALSE(none.write({"call", {}}));
    none.add({"call", {}});
}

TEST_CASE("a change of the delay counts once the settings were read again, and nothing is lost over it") {
    Home home;
    house::Record record(home.house);
    REQUIRE(record.write({"host", {}}));
    record.add({"call", {{"n", 1}}}); // waits
    home.house.settings.audit_delay = std::chrono::milliseconds(0);
    record.settings_changed();
    CHECK(audit::verify(home.dir / "audit")->lines == 2);
    for (std::uint64_t lines = 3; lines < 6; ++lines) { // the first of a writer never waits
        record.add({"call", {}});
        CHECK(soon([&] { return audit::verify(home.dir / "audit")->lines == lines; }));
    }
    record.settings_changed(); // nothing has changed
    CHECK(record.health());
}

TEST_CASE("a record that could not be opened is opened once it can be") {
    Home const home;
    home.dir.write("audit", "a file in its place");
    house::Record record(home.house);
    CHECK_FALSE(record.open());
    std::filesystem::remove(home.dir / "audit");
    CHECK(soon([&] { return record.write({"call", {}}).has_value(); }));
    CHECK(record.health());
}
