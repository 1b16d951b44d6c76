// The registry over two places: what the owner wrote beats what was shipped.
#include "known_servers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <fstream>

namespace pfar::registry_known {

namespace {

struct Places {
    Places() {
        std::string name = (std::filesystem::temp_directory_path() / "pfar-test-registry-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        root = name;
        write("share/templates/work.toml",
              "[web-search]\ntitle = \"Search\"\ndescription = \"Finds pages.\"\ncommand = \"finder\"\n"
              "[notes]\ntitle = \"Notes\"\ndescription = \"Pages of text.\"\naliases = [\"notebook\", \"n\"]\n"
              "command = \"notes\"\n");
        write("share/templates/more.toml",
              "[tracker]\ntitle = \"Tracker\"\ndescription = \"Issues, with notes and search.\"\naliases = "
              "[\"pages\", \"Our Board\"]\nnot_yet = \"soon\"\n");
        PluginContext context;
        context.home = root / "home";
        context.share = root / "share";
        REQUIRE(registry.configure(context));
    }
    Places(Places const&) = delete;
    Places& operator=(Places const&) = delete;
    ~Places() {
        std::error_code ignored;
        std::filesystem::remove_all(root, ignored);
    }

    void write(std::string const& path, std::string const& content) const {
        std::filesystem::create_directories((root / path).parent_path());
        std::ofstream(root / path) << content;
    }

    [[nodiscard]] std::string found(std::string const& words) const {
        std::string names;
        for (auto const& server : registry.search(words).value()) names += server.name + " ";
        return names;
    }

    std::filesystem::path root;
    KnownServers registry;
};

} // namespace

TEST_CASE("a server is found by its name or an alias, exactly, however it is typed") {
    Places places;
    for (auto const* const typed : {"web-search", "Web Search", "WEB_SEARCH", "  web  search "})
        CHECK(places.registry.find(typed).value().name == "web-search");
    for (auto const* const typed : {"our-board", "our board", "Our_Board"})
        CHECK(places.registry.find(typed).value().name == "tracker");
    CHECK(places.registry.find("notes").value().title == "Notes");
    CHECK(places.registry.find("notebook").value().title == "Notes");
    CHECK(places.registry.find("note").error().code == Errc::not_found);
    CHECK(places.registry.find("").error().code == Errc::not_found);
}

TEST_CASE("a search wants every word and puts names before aliases before text") {
    Places places;
    CHECK(places.found("notes") == "notes tracker ");
    CHECK(places.found("our board") == "tracker ");
    CHECK(places.found("Web Search") == "web-search ");
    CHECK(places.found("PAGES") == "tracker notes web-search ");
    CHECK(places.found("search") == "web-search tracker ");
    CHECK(places.found("  notes \t issues ") == "tracker ");
    CHECK(places.found("notes nowhere").empty());
    CHECK(places.found("").empty());
    CHECK(places.found(" ").empty());
}

TEST_CASE("the list is sorted by name") {
    Places places;
    auto const list = places.registry.list().value();
    REQUIRE(list.size() == 3);
    CHECK((list[0].name == "notes" && list[1].name == "tracker" && list[2].name == "web-search"));
}

TEST_CASE("the owner's template replaces the shipped one of its name as soon as it is written") {
    Places places;
    CHECK(places.registry.find("notes").value().title == "Notes");
    places.write("home/templates/mine.toml",
                 "[notes]\ntitle = \"My notes\"\ndescription = \"Mine.\"\nnot_yet = \"x\"\n"
                 "[extra]\ntitle = \"Extra\"\ndescription = \"Mine too.\"\nnot_yet = \"x\"\n");
    places.write("home/templates/README", "not a template");
    CHECK(places.registry.find("notes").value().title == "My notes");
    CHECK(places.registry.find("notebook").error().code == Errc::not_found);
    CHECK(places.registry.list().value().size() == 4);
}

TEST_CASE("a name in two files of the owner is a conflict, and none of them counts") {
    Places places;
    for (auto const* const file : {"home/templates/a.toml", "home/templates/b.toml"})
        places.write(file, "[notes]\ntitle = \"My notes\"\ndescription = \"Mine.\"\nnot_yet = \"x\"\n");
    CHECK(places.registry.find("notes").error().code == Errc::conflict);
    CHECK(places.registry.find("tracker"));
    CHECK(places.registry.list().value().size() == 2);
}

TEST_CASE("a mistake in the owner's file is never answered with the shipped template") {
    Places places;
    places.write("home/templates/notes.toml", "[notes]\ntitel = \"My notes\"\n");
    auto const error = places.registry.find("notes").error();
    CHECK(error.code == Errc::invalid);
    CHECK(error.what.ends_with("templates/notes.toml:1: notes needs title"));
    CHECK(places.registry.find("notebook").error().what == error.what); // by none of the names of the shipped one
    CHECK(places.found("text").empty());
    places.write("home/templates/notes.toml",
                 "[notes]\ntitle = \"My notes\"\ndescription = \"Mine.\"\nnot_yet = \"x\"\n");
    CHECK(places.registry.find("notes"));
}

TEST_CASE("a mistake in the owner's file leaves out what is in it and nothing else, and is told") {
    Places places;
    CHECK(places.registry.left_out().value().empty());
    places.write("home/templates/own.toml",
                 "[extra]\ntitle = \"Extra\"\ndescription = \"Mine.\"\nnot_yet = \"x\"\n[bad]\naliases = [\"b\"]\n");
    places.write("home/templates/torn.toml", "[torn]\ntitle = \n");
    std::filesystem::create_directory(places.root / "home/templates/folder.toml");
    for (auto const* const name : {"web-search", "notes", "our board", "extra"}) CHECK(places.registry.find(name));
    CHECK(places.registry.find("nothing").error().code == Errc::not_found);
    CHECK(places.registry.find("B").error().what.ends_with("own.toml:5: bad needs title"));
    CHECK(places.registry.find("torn").error().what.find("torn.toml:2: ") != std::string::npos);
    CHECK(places.registry.find("folder").error().what.find("folder.toml cannot be read") != std::string::npos);
    CHECK(places.registry.list().value().size() == 4);
    auto const told = places.registry.left_out().value();
    REQUIRE(told.size() == 3);
    CHECK(told[0].what.find("folder.toml") != std::string::npos);
    CHECK(told[1].what.find("own.toml:5: ") != std::string::npos);
    CHECK(told[2].what.find("torn.toml:2: ") != std::string::npos);
}

TEST_CASE("a good template does not stand in for a bad one of its name") {
    Places places;
    places.write("home/templates/a.toml", "[notes]\ntitle = \"x\"\ndescription = \"x\"\nnot_yet = \"x\"\n");
    places.write("home/templates/b.toml", "[notes]\ntitle = \"x\"\n");
    CHECK(places.registry.find("notes").error().what.ends_with("b.toml:1: notes needs description"));
}

TEST_CASE("shipped data that is missing or has a mistake is an error, not a smaller registry") {
    Places places;
    places.write("share/templates/more.toml", "[tracker]\n");
    CHECK(places.registry.find("notes").error().code == Errc::invalid);
    std::filesystem::remove_all(places.root / "share/templates");
    CHECK(places.registry.find("notes").error().code == Errc::io);
}

TEST_CASE("the registry has no settings") {
    PluginContext context;
    context.settings["x"] = Setting{true};
    CHECK(KnownServers().configure(context).error().code == Errc::invalid);
}

} // namespace pfar::registry_known
