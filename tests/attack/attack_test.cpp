// The attack suite on this machine: every attempt works outside, none inside; and it sees a sandbox that is none.
#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <sstream>

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr unsigned ordinary_uid = 4242; // nobody's

/// What an ordinary user needs: the program where he may read it, and a home of his own.
struct Place {
    explicit Place(unsigned uid) : uid_(uid) {
        for (auto const* const part : {"bin/pfar", "libexec/pfar", "lib/pfar", "share"}) {
            auto const from = fs::path(PFAR_BUILD) / part;
            if (!fs::exists(from)) continue;
            fs::create_directories((directory_ / part).parent_path());
            fs::copy(from, directory_ / part, fs::copy_options::recursive);
        }
        ::chmod(directory_.path().c_str(), 0755);
        fs::create_directories(home() / "plugins");
        give(home());
        give(home() / "plugins");
    }

    [[nodiscard]] fs::path home() const { return directory_ / "home"; }

    void add_plugin(std::string const& name) const {
        fs::copy_file(fs::path(PFAR_FIXTURES) / (name + ".so"), home() / "plugins" / (name + ".so"));
        give(home() / "plugins" / (name + ".so"));
    }

    /// `pfar doctor --attack --json` with these arguments.
    [[nodiscard]] json::object attack(std::vector<std::string> const& more = {}) const {
        test::Invocation invocation;
        invocation.argv = {(directory_ / "bin/pfar").native(), "doctor", "--attack", "--json"};
        invocation.argv.insert(invocation.argv.end(), more.begin(), more.end());
        invocation.environment = {{"PFAR_HOME", home().native()}, {"HOME", home().native()}, {"PFAR_LOG", ""}};
        invocation.directory = "/";
        invocation.uid = uid_;
        invocation.patience = 600;
        auto const outcome = test::run(invocation);
        INFO(outcome.err);
        REQUIRE(!outcome.out.empty());
        return json::parse(outcome.out).as_object();
    }

private:
    void give(fs::path const& path) const {
        ::chmod(path.c_str(), 0700);
        if (uid_ != 0) REQUIRE(::chown(path.c_str(), uid_, uid_) == 0);
    }

    test::TempDir directory_;
    unsigned uid_;
};

/// The names in tests/attack/no-controls that may lack a control in this column.
std::set<std::string> without_control(std::string const& column) {
    std::set<std::string> names;
    std::istringstream lines(test::read(fs::path(PFAR_SOURCE) / "tests/attack/no-controls"));
    for (std::string line; std::getline(lines, line);)
        if (line.find(": no-control-" + column + "=") != std::string::npos)
            names.insert(line.substr(0, line.find(':')));
    return names;
}

std::string text(json::object const& object, char const* key) {
    return std::string(object.at(key).as_string());
}

void check_controls(json::object const& report, std::string const& column) {
    auto const allowed = without_control(column);
    CHECK(allowed.size() <= 5);
    for (auto const& value : report.at("rows").as_array()) {
        auto const& row = value.as_object();
        INFO(text(row, "name") << ": " << text(row, "bare"));
        CHECK((text(row, "bare") == "works" || allowed.contains(text(row, "name"))));
    }
}

void check_refusals(json::object const& report) {
    CHECK(report.at("rows").as_array().size() >= 150);
    CHECK(report.at("columns").as_array().size() == 3);
    for (auto const& value : report.at("rows").as_array())
        for (auto const* const backend : {"bwrap", "landlock"}) {
            auto const& row = value.as_object();
            auto const& cell = row.at(backend).as_object();
            INFO(text(row, "name") << " in " << backend << ": " << json::serialize(cell));
            CHECK(text(cell, "outcome") == "refused");
        }
    CHECK(report.at("successes").as_int64() == 0);
}

} // namespace

TEST_CASE("as root every attack works outside and none inside") {
    if (::geteuid() != 0) SKIP("only root can be root");
    auto const report = Place(0).attack();
    check_controls(report, "root");
    check_refusals(report);
}

TEST_CASE("as an ordinary user every attack works outside and none inside") {
    auto const report = Place(::geteuid() == 0 ? ordinary_uid : 0).attack();
    check_controls(report, "user");
    check_refusals(report);
}

TEST_CASE("the attack suite sees a backend that keeps nothing") {
    Place const place(::geteuid() == 0 ? ordinary_uid : 0);
    place.add_plugin("weakened");
    auto const report = place.attack({"--backend", "weakened"});
    std::set<std::string> groups;
    for (auto const& value : report.at("rows").as_array())
        if (auto const& row = value.as_object(); text(row.at("weakened").as_object(), "outcome") == "succeeded")
            groups.insert(text(row, "group"));
    CHECK(report.at("successes").as_int64() >= 80);
    CHECK(groups == std::set<std::string>{"files", "processes", "kernel", "network", "resources"});
}

TEST_CASE("attacks without a control are listed with the reason, at most five in a column") {
    auto const outcome = test::run({{std::string(PFAR_BUILD) + "/libexec/pfar/pfar-attack", "list"}, {}, "/", {}});
    std::string listed;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
        auto const name = line.substr(0, line.find('\t'));
        for (auto at = line.find("\tno-control-"); at != std::string::npos; at = line.find("\tno-control-", at + 1))
            listed += name + ": " + line.substr(at + 1, line.find('\t', at + 1) - at - 1) + "\n";
    }
    CHECK(listed == test::read(fs::path(PFAR_SOURCE) / "tests/attack/no-controls"));
    CHECK(without_control("user").size() <= 5);
    CHECK(without_control("root").size() <= 5);
}
