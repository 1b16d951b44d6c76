#include "servers/listing.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>

using namespace pfar::servers;

namespace {

Listing some_listing() {
    Listing out;
    out.facts = {"2025-06-18", "na\"me", "1.0", "title \xc3\xa4", "do\nthis", R"({"tools":{"listChanged":true}})"};
    out.tools = {
        *tool_of(R"({"name":"read","description":"d\u00e4","annotations":{"readOnlyHint":true},"x":[1, 2.50]})"),
        *tool_of(R"({"name":"write","inputSchema":{"type":"object"}})")};
    out.resources = {R"({"uri":"a:b"})"};
    out.templates = {R"({"uriTemplate":"a:{b}"})", "{}"};
    return out;
}

struct Stage {
    test::TempDir dir;
    std::filesystem::path file = dir / "notes.json";

    std::string kept() {
        REQUIRE(keep_listing(file, "key", some_listing()));
        return test::read(file);
    }
    std::optional<Listing> read(std::string const& text) {
        dir.write("notes.json", text);
        return read_listing(file, "key");
    }
};

} // namespace

TEST_CASE("a listing that was kept is read back as it was") {
    Stage stage;
    stage.kept();
    auto const read = read_listing(stage.file, "key");
    REQUIRE(read);
    auto const was = some_listing();
    CHECK(read->facts.protocol == was.facts.protocol);
    CHECK(read->facts.name == was.facts.name);
    CHECK(read->facts.version == was.facts.version);
    CHECK(read->facts.title == was.facts.title);
    CHECK(read->facts.instructions == was.facts.instructions);
    CHECK(read->facts.capabilities == was.facts.capabilities);
    CHECK(read->facts.offers("tools"));
    REQUIRE(read->tools.size() == 2);
    CHECK(read->tools[0].name == "read");
    CHECK(read->tools[0].description == "d\xc3\xa4");
    CHECK(read->tools[0].says_read_only);
    CHECK(read->tools[0].json == was.tools[0].json);
    CHECK_FALSE(read->tools[1].says_read_only);
    CHECK(read->resources == was.resources);
    CHECK(read->templates == was.templates);
    CHECK(read->prompts.empty());
}

TEST_CASE("an empty listing is one too") {
    Stage stage;
    REQUIRE(keep_listing(stage.file, "", Listing{}));
    REQUIRE(read_listing(stage.file, ""));
    CHECK(read_listing(stage.file, "")->tools.empty());
}

TEST_CASE("a listing of another key, or of none, is not read") {
    Stage stage;
    auto const text = stage.kept();
    CHECK_FALSE(read_listing(stage.file, "other"));
    CHECK_FALSE(read_listing(stage.file, ""));
    CHECK_FALSE(read_listing(stage.dir / "none.json", "key"));
    CHECK_FALSE(read_listing(stage.dir.path(), "key"));
    CHECK_FALSE(stage.read(R"({"format":2,"key":"key"})"));
    CHECK_FALSE(stage.read(R"({"key":"key"})"));
    CHECK_FALSE(stage.read(R"({"format":1,"key":["key"]})"));
}

TEST_CASE("a file that was cut anywhere is not read") {
    Stage stage;
    auto const text = stage.kept();
    for (std::size_t size = 0; size + 2 < text.size(); ++size) {
        INFO(size);
        REQUIRE_FALSE(stage.read(text.substr(0, size)));
    }
}

TEST_CASE("garbage in any byte is survived") {
    Stage stage;
    auto const text = stage.kept();
    for (std::size_t at = 0; at < text.size(); at += 3)
        for (char const byte : {'\0', '"', '}', '\xff', '7'}) {
            auto broken = text;
            broken[at] = byte;
            (void)stage.read(broken);
        }
    for (auto const* const garbage :
         {"", "null", "[]", "{}", "\"key\"", R"({"format":1,"key":"key","tools":{},"resources":7})"})
        (void)stage.read(garbage);
    CHECK(stage.read(R"({"format":1,"key":"key","tools":[1,{},{"name":""},{"name":"a"}],"resources":"x"})")
              ->tools.size() == 1);
}

TEST_CASE("a huge file is not read, and one at the bounds is, in a moment") {
    Stage stage;
    CHECK_FALSE(stage.read(R"({"format":1,"key":"key","x":")" + std::string(std::size_t{41} << 20U, 'x') + "\"}"));
    Listing large;
    for (int i = 0; i < 2000; ++i) large.resources.push_back(R"({"uri":")" + std::string(4000, 'u') + "\"}");
    REQUIRE(keep_listing(stage.file, "key", large));
    auto const begun = std::chrono::steady_clock::now();
    auto const read = read_listing(stage.file, "key");
    REQUIRE(read);
    CHECK(read->resources == large.resources);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(10));
    std::string many = R"({"format":1,"key":"key","prompts":[{})";
    for (int i = 0; i < 5000; ++i) many += ",{}";
    CHECK(stage.read(many + "]}")->prompts.size() == 2000);
}

TEST_CASE("a tool has a name that can be used, or it is none") {
    CHECK(tool_of(R"({"name":"a"})")->name == "a");
    CHECK(tool_of(R"({"name":")" + std::string(256, 'n') + "\"}"));
    CHECK_FALSE(tool_of(R"({"name":")" + std::string(257, 'n') + "\"}"));
    for (auto const* const none :
         {"", "{}", "[]", R"({"name":""})", R"({"name":7})", R"({"name":null})", R"({"title":"a"})", R"({"name":"a")"})
        CHECK_FALSE(tool_of(none));
    CHECK_FALSE(tool_of(R"({"name":"a","annotations":{"readOnlyHint":"true"}})")->says_read_only);
    CHECK_FALSE(tool_of(R"({"name":"a","annotations":[]})")->says_read_only);
}

TEST_CASE("a schema as deep as a message may be is no reason to lose a tool") {
    std::string const deep = std::string(60, '[') + std::string(60, ']');
    CHECK(tool_of(R"({"name":"a","inputSchema":)" + deep + "}"));
}
