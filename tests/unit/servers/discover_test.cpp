// Listing what a server offers, with servers whose lists do not end, lie or are slow.
#include "servers/listing.hpp"
#include "unit/servers/session_stage.hpp"

using namespace pfar;
using namespace pfar::servers;
using test::greeting;

namespace {

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// A server that answers each method by a function of the cursor; what it does not know is an error.
struct Stage : test::SessionStage {
    using Page = std::function<std::string(std::string const& cursor)>;
    std::map<std::string, Page> pages;
    std::vector<std::string> asked, told;

    explicit Stage(std::string_view capabilities = test::all_capabilities, SessionTask task = {})
        : SessionStage(std::move(task)) {
        REQUIRE(greet(greeting("2025-06-18", capabilities)));
        next();
    }
    void reply(std::string const& line) {
        auto const request = boost::json::parse(line);
        std::string const method(request.at("method").as_string());
        asked.push_back(method);
        auto const* const params = request.as_object().if_contains("params");
        auto const page = pages.find(method);
        if (page == pages.end()) return refuse(request, R"({"code":-32601,"message":"Method not found"})");
        auto const result = page->second(params != nullptr ? std::string(params->at("cursor").as_string()) : "");
        if (!result.empty()) answer(request, result);
    }
    Result<Listing> run() {
        auto const done =
            test::begin(context, discover(session, [this](std::string const& what) { told.push_back(what); }));
        std::string lines;
        REQUIRE(until([&] {
            lines += far.read_some();
            for (std::size_t end = 0; (end = lines.find('\n')) != std::string::npos; lines.erase(0, end + 1))
                if (has(lines.substr(0, end), "\"id\"")) reply(lines.substr(0, end));
            return done->has_value();
        }));
        return **done;
    }
    void give(std::string const& method, std::string const& result) {
        pages[method] = [result](std::string const&) { return result; };
    }
};

constexpr auto tools_only = R"({"tools":{}})";

} // namespace

TEST_CASE("everything that a server offers is listed, each as the JSON that it sent") {
    Stage stage;
    stage.give(
        "tools/list",
        R"({"tools":[{"name":"a","description":"d", "x":1.0},{"name":"b","annotations":{"readOnlyHint":true}}]})");
    stage.give("resources/list", R"({"resources":[{"uri":"r:1"}]})");
    stage.give("resources/templates/list", R"({"resourceTemplates":[{"uriTemplate":"r:{x}"}]})");
    stage.give("prompts/list", R"({"prompts":[{"name":"p"}]})");
    auto const found = stage.run();
    REQUIRE(found);
    REQUIRE(found->tools.size() == 2);
    CHECK(found->tools[0].json == R"({"name":"a","description":"d", "x":1.0})");
    CHECK(found->tools[0].description == "d");
    CHECK_FALSE(found->tools[0].says_read_only);
    CHECK(found->tools[1].says_read_only);
    CHECK(found->resources == std::vector<std::string>{R"({"uri":"r:1"})"});
    CHECK(found->templates == std::vector<std::string>{R"({"uriTemplate":"r:{x}"})"});
    CHECK(found->prompts == std::vector<std::string>{R"({"name":"p"})"});
    CHECK(found->facts.protocol == "2025-06-18");
    CHECK(stage.told.empty());
}

TEST_CASE("what a server does not declare it is not asked for") {
    Stage stage(tools_only);
    stage.give("tools/list", R"({"tools":[]})");
    CHECK(stage.run());
    CHECK(stage.asked == std::vector<std::string>{"tools/list"});
    Stage silent("{}");
    CHECK(silent.run());
    CHECK(silent.asked.empty());
}

TEST_CASE("pages are put together in their order, with cursors as they came") {
    Stage stage(tools_only);
    stage.pages["tools/list"] = [](std::string const& cursor) -> std::string {
        if (cursor.empty()) return R"({"tools":[{"name":"a"}],"nextCursor":"\u00e4\"2"})";
        if (cursor == "\xc3\xa4\"2") return R"({"tools":[],"nextCursor":"3"})";
        return cursor == "3" ? R"({"tools":[{"name":"c"}],"nextCursor":null})" : R"({"tools":7})";
    };
    auto const found = stage.run();
    REQUIRE(found);
    REQUIRE(found->tools.size() == 2);
    CHECK(found->tools[1].name == "c");
    CHECK(stage.asked.size() == 3);
}

TEST_CASE("pages without an end, or that lead back to themselves, are cut off and told") {
    Stage endless(tools_only);
    int page = 0;
    endless.pages["tools/list"] = [&](std::string const&) {
        ++page;
        return fmt::format(R"({{"tools":[{{"name":"t{}"}}],"nextCursor":"{}"}})", page, page);
    };
    auto const found = endless.run();
    REQUIRE(found);
    CHECK(found->tools.size() == 200);
    REQUIRE(endless.told.size() == 1);
    CHECK(has(endless.told[0], "do not end"));

    Stage repeating(tools_only);
    repeating.give("tools/list", R"({"tools":[{"name":"same"}],"nextCursor":"again"})");
    auto const same = repeating.run();
    REQUIRE(same);
    CHECK(same->tools.size() == 1);
    CHECK(repeating.asked.size() == 2);
    CHECK(has(repeating.told.front(), "do not end"));
}

TEST_CASE("2,000 tools are taken, 2,001 are not") {
    for (int const count : {2000, 2001}) {
        Stage stage(tools_only);
        std::string list;
        for (int i = 0; i < count; ++i) list += fmt::format(R"({}{{"name":"t{}"}})", i == 0 ? "" : ",", i);
        stage.give("tools/list", "{\"tools\":[" + list + "]}");
        auto const found = stage.run();
        REQUIRE(found.has_value() == (count == 2000));
        if (!found) CHECK(has(found.error().what, "it lists more tools than pfar takes: at most 2000"));
    }
    Stage paged(tools_only);
    int page = 0;
    paged.pages["tools/list"] = [&](std::string const&) {
        std::string list;
        for (int i = 0; i < 500; ++i) list += fmt::format(R"({}{{"name":"t{}-{}"}})", i == 0 ? "" : ",", page, i);
        return fmt::format(R"({{"tools":[{}],"nextCursor":"{}"}})", list, ++page);
    };
    CHECK_FALSE(paged.run());
    CHECK(page == 5);
}

TEST_CASE("more than 8 MiB of entries are not taken, of resources they are left out") {
    std::string const big(std::size_t{3} << 20U, 'x');
    Stage stage;
    int page = 0;
    auto const pages = [&](std::string const& member) {
        return [&, member](std::string const&) {
            return fmt::format(R"({{"{}":[{{"name":"n{}","x":"{}"}}],"nextCursor":"{}"}})", member, page, big, ++page);
        };
    };
    stage.give("tools/list", R"({"tools":[]})");
    stage.pages["resources/list"] = pages("resources");
    auto const found = stage.run();
    REQUIRE(found);
    CHECK(found->resources.empty());
    CHECK(has(stage.told.at(0), "more resources than pfar takes"));
    Stage tools(tools_only);
    tools.pages["tools/list"] = pages("tools");
    CHECK_FALSE(tools.run());
}

TEST_CASE("a tool without a name, or of a name that was there, is left out and told") {
    Stage stage(tools_only);
    stage.give(
        "tools/list",
        R"({"tools":[{"name":"a","description":"first"},{},7,{"name":""},{"name":"a","description":"second"},{"name":"b"}]})");
    auto const found = stage.run();
    REQUIRE(found);
    REQUIRE(found->tools.size() == 2);
    CHECK(found->tools[0].description == "first");
    CHECK(found->tools[1].name == "b");
    REQUIRE(stage.told.size() == 4);
    CHECK(stage.told[0] == "it lists a tool without a usable name");
    CHECK(stage.told[3] == "it lists two tools named a");
}

TEST_CASE("an error in place of resources or prompts is told and survived, in place of tools it is not") {
    Stage stage;
    stage.give("tools/list", R"({"tools":[{"name":"a"}]})");
    stage.give("prompts/list", R"({"prompts":{}})");
    auto const found = stage.run();
    REQUIRE(found);
    CHECK(found->tools.size() == 1);
    CHECK(found->resources.empty());
    REQUIRE(stage.told.size() == 3);
    CHECK(stage.told[0] == "it answered resources/list with an error: Method not found (-32601)");
    CHECK(stage.told[2] == "its answer to prompts/list has no list of prompts");
    Stage failing;
    auto const none = failing.run();
    REQUIRE_FALSE(none);
    CHECK(none.error().what == "it answered tools/list with an error: Method not found (-32601)");
    CHECK(failing.asked.size() == 1);
}

TEST_CASE("all pages of a kind together have the time of a start") {
    SessionTask task;
    task.timeouts.start = std::chrono::milliseconds(400);
    Stage stage(tools_only, std::move(task));
    auto const begun = std::chrono::steady_clock::now();
    int page = 0;
    stage.pages["tools/list"] = [&](std::string const&) {
        auto const late = std::chrono::steady_clock::now() + std::chrono::milliseconds(60);
        while (std::chrono::steady_clock::now() < late) {}
        return fmt::format(R"({{"tools":[],"nextCursor":"{}"}})", ++page);
    };
    auto const found = stage.run();
    REQUIRE_FALSE(found);
    CHECK(found.error().code == Errc::timeout);
    CHECK(page < 100);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(10));
}
