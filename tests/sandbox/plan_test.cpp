// pfar plan and pfar doctor: the shapes that scripts rely on.
#include "sandbox/stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <boost/json.hpp>

#include <algorithm>

using test::has;
using test::Stage;
namespace json = boost::json;

namespace {

json::object parsed(test::Outcome const& outcome) {
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return json::parse(outcome.out).as_object();
}

std::string mode_of(json::object const& plan, std::string_view path) {
    for (auto const& mount : plan.at("mounts").as_array())
        if (mount.at("path").as_string() == path) return std::string(mount.at("mode").as_string());
    return "not there";
}

bool names(json::value const& list, std::string_view wanted) {
    auto const& all = list.as_array();
    return std::any_of(all.begin(), all.end(), [&](auto const& one) { return one.as_string() == wanted; });
}

void check_shape(json::object const& plan) {
    CHECK_FALSE(plan.at("backend").as_string().empty());
    CHECK_FALSE(plan.at("argv").as_array().empty());
    CHECK_FALSE(plan.at("mounts").as_array().empty());
    for (auto const& mount : plan.at("mounts").as_array()) {
        CHECK_FALSE(mount.at("path").as_string().empty());
        CHECK_FALSE(mount.at("mode").as_string().empty());
        CHECK_FALSE(mount.at("why").as_string().empty());
    }
    CHECK(plan.at("network").is_object());
    CHECK(names(plan.at("env"), "PATH"));
    CHECK(plan.at("limits").at("memory").is_number());
}

std::string server(std::string const& name, std::string const& top, std::string const& rest) {
    return "name = \"" + name + "\"\n" + top + "[server]\ncommand = \"sh\"\n" + rest;
}

std::string chosen(Stage const& stage) {
    return "[sandbox]\nbackend = \"" + stage.setting().backend + "\"\n";
}

} // namespace

TEST_CASE("a user's server is planned in the documented shape, without the values of its environment") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const notes = stage.make("notes").native();
    static_cast<void>(stage.write(
        "home/.pfar/mcp/a.toml",
        server("a", "allowed_domains = [\"api.example.com\"]\n",
               "[auth]\nTOKEN = \"vault:gh\"\n[env]\nset = { COLOUR = \"canary-value\" }\n[access]\nfs = [{ path = \"" +
                   notes + "\", read = true }]\n" + chosen(stage) + "memory_limit = \"300m\"\n")));
    auto const outcome = stage.pfar({"plan", "a", "--json"});
    auto const plan = parsed(outcome);
    check_shape(plan);
    CHECK(plan.at("backend").as_string() == stage.setting().backend);
    CHECK(mode_of(plan, notes) == "ro");
    CHECK(mode_of(plan, "/") == "ro");
    CHECK(mode_of(plan, "/tmp").starts_with("tmpfs"));
    CHECK(names(plan.at("env"), "TOKEN"));
    CHECK(names(plan.at("env"), "COLOUR"));
    CHECK(names(plan.at("network").at("domains"), "api.example.com"));
    CHECK(plan.at("limits").at("memory").as_int64() == 300 << 20);
    auto const text = stage.pfar({"plan", "a"});
    CHECK(text.status == 0);
    for (auto const& said : {outcome.out, text.out}) {
        CHECK(said.find("canary-value") == std::string::npos);
        CHECK(has(said, "api.example.com"));
        CHECK(has(said, notes));
    }
}

TEST_CASE("read_only_fs and allow_tmp are planned in both settings") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const plan = [&](std::string const& lines) {
        static_cast<void>(stage.write("home/.pfar/mcp/a.toml", server("a", "", chosen(stage) + lines)));
        return parsed(stage.pfar({"plan", "a", "--json"}));
    };
    auto const open = plan("read_only_fs = false\nallow_tmp = true\n");
    CHECK(mode_of(open, "/").starts_with("rw"));
    CHECK(mode_of(open, "/tmp").starts_with("tmpfs"));
    auto const closed = plan("read_only_fs = true\nallow_tmp = false\n");
    CHECK(mode_of(closed, "/") == "ro");
    CHECK((mode_of(closed, "/tmp") == "ro" || mode_of(closed, "/tmp") == "not there"));
    CHECK(mode_of(closed, "/usr").starts_with("ro"));
}

TEST_CASE("a project's server is planned once it is trusted") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const project = stage.write("project/.pfar/mcp/p.toml", server("p", "", chosen(stage)))
                             .parent_path()
                             .parent_path()
                             .parent_path();
    auto const waits = stage.pfar({"plan", "p", "--json"}, project);
    CHECK(waits.status == 77);
    CHECK(has(waits.err, "run pfar trust"));
    CHECK(waits.out.empty());
    REQUIRE(stage.pfar({"trust", "--yes"}, project).status == 0);
    check_shape(parsed(stage.pfar({"plan", "p", "--json"}, project)));
}

TEST_CASE("a stateless server is planned for each tool") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const docs = stage.make("docs").native();
    static_cast<void>(
        stage.write("home/.pfar/mcp/s.toml",
                    server("s", "stateful = false\n",
                           chosen(stage) + "[tools.look.access]\nfs = [{ path = \"" + docs + "\", read = true }]\n")));
    CHECK(mode_of(parsed(stage.pfar({"plan", "s", "--json"})), docs) == "not there");
    CHECK(mode_of(parsed(stage.pfar({"plan", "s", "--tool", "look", "--json"})), docs) == "ro");
    auto const none = stage.pfar({"plan", "s", "--tool", "lok"});
    CHECK(none.status == 69);
    CHECK(has(none.err, "\"lok\""));
}

TEST_CASE("an unconfined server is planned loudly") {
    Stage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    static_cast<void>(
        stage.write("home/.pfar/mcp/u.toml", server("u", "", "[sandbox]\nbackend = \"unconfined\"\nrequire = []\n")));
    static_cast<void>(stage.write("home/.pfar/mcp/v.toml", server("v", "", "[sandbox]\nbackend = \"unconfined\"\n")));
    auto const text = stage.pfar({"plan", "u"});
    CHECK(text.status == 0);
    CHECK(has(text.out, "NOT CONFINED"));
    auto const shape = stage.pfar({"plan", "u", "--json"});
    CHECK(shape.status == 0);
    CHECK(has(shape.out, "\"backend\": \"unconfined\""));
    CHECK(stage.pfar({"plan", "v"}).status != 0);
}

TEST_CASE("a server that is not there or has mistakes is told so") {
    Stage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    static_cast<void>(stage.write("home/.pfar/mcp/notion.toml", server("notion", "", "")));
    static_cast<void>(stage.write("home/.pfar/mcp/bad.toml", "name = \"bad\"\nlabell = 1\n"));
    auto const missing = stage.pfar({"plan", "notoin", "--json"});
    CHECK(missing.status == 69);
    CHECK(has(missing.err, "did you mean \"notion\"?"));
    auto const invalid = stage.pfar({"plan", "bad"});
    CHECK(invalid.status == 78);
    CHECK(has(invalid.err, "pfar check bad"));
    CHECK(stage.pfar({"plan"}).status == 64);
    static_cast<void>(stage.write("home/.pfar/mcp/gone.toml", "name = \"gone\"\n[server]\ncommand = \"/no/such\"\n"));
    auto const gone = stage.pfar({"plan", "gone"});
    CHECK(gone.status == 69);
    CHECK(has(gone.err, "/no/such"));
}

TEST_CASE("doctor says in the documented shape what each backend keeps here") {
    Stage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    auto const health = parsed(stage.pfar({"doctor", "--json"}));
    CHECK(health.at("backends").as_array().size() == 2);
    for (auto const& backend : health.at("backends").as_array()) {
        CHECK(backend.at("usable").as_bool());
        for (auto const* const promise : {"files", "network", "processes", "environment", "syscalls"})
            CHECK(backend.at("guarantees").at(promise).as_string() == "yes");
        CHECK(backend.at("guarantees").at("limits").is_string());
        CHECK(backend.at("why").is_string());
    }
    CHECK_FALSE(health.at("checks").as_array().empty());
    static_cast<void>(stage.write("home/.pfar/pfar.toml", "[plugins.bwrap]\nprogram = \"/nonexistent\"\n"));
    auto const without = parsed(stage.pfar({"doctor", "--json"}));
    CHECK_FALSE(without.at("backends").at(0).at("usable").as_bool());
    CHECK(has(std::string(without.at("backends").at(0).at("why").as_string()), "apt install bubblewrap"));
    CHECK(has(stage.pfar({"doctor"}).out, "cannot be used here"));
}
