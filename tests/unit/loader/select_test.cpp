#include "loader/select.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

using namespace pfar;
namespace fs = std::filesystem;

namespace {

loader::PluginSet load(test::TempDir const& dir, std::initializer_list<char const*> fixtures) {
    fs::create_directories(dir / "shipped");
    for (auto const* const fixture : fixtures) {
        fs::copy_file(fs::path(PFAR_FIXTURES) / (std::string(fixture) + ".so"),
                      dir / "shipped" / fs::path(std::string(fixture) + ".so"));
        ::chmod((dir / "shipped" / fs::path(std::string(fixture) + ".so")).c_str(), 0700);
    }
    config::HostSettings const settings;
    return loader::PluginSet::load({dir / "shipped", dir / "home", dir / "share", dir / "shim", &settings});
}

Launch const no_launch = [](LaunchPlan const&) -> Result<Ended> {
    return fail(Errc::unavailable, "nothing is launched here");
};

} // namespace

TEST_CASE("when no backend will do, the answer says of each why, and an exception is one such reason") {
    test::TempDir const dir;
    auto const set = load(dir, {"greeter", "throwing-probe"});
    auto const choice = loader::choose_backend(set, "auto", {Promise::files}, no_launch);
    REQUIRE_FALSE(choice);
    INFO(choice.error().what);
    CHECK(choice.error().code == Errc::unsupported);
    CHECK(choice.error().what.find("greeter will not do: a fixture keeps no promise") != std::string::npos);
    CHECK(choice.error().what.find("probe was asked too much") != std::string::npos);
}

TEST_CASE("a backend that is not there is named with the ones that are") {
    test::TempDir const dir;
    auto const set = load(dir, {"greeter"});
    auto const choice = loader::choose_backend(set, "bwrap", {}, no_launch);
    REQUIRE_FALSE(choice);
    CHECK(choice.error().what.find("there is greeter") != std::string::npos);
}
