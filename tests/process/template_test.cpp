// A stranger's way: copy the template, build it against an installed prefix only, put it into $PFAR_HOME/plugins.
#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

using test::has;

namespace fs = std::filesystem;

namespace {

void must(std::vector<std::string> argv) {
    auto const outcome = test::run({argv, {}, {}, {}, 0});
    INFO(outcome.out << outcome.err);
    REQUIRE(outcome.status == 0);
}

struct Stranger {
    test::TempDir dir;
    fs::path prefix = dir / "prefix", source = dir / "my-plugin", build = dir / "build", home = dir / "home";

    Stranger() {
        must({PFAR_CMAKE, "--install", PFAR_BUILD, "--prefix", prefix.native()});
        fs::copy(prefix / "share/pfar/plugin-template", source, fs::copy_options::recursive);
        fs::create_directories(home / "plugins");
        fs::permissions(home, fs::perms::owner_all);
    }

    void make(std::string const& more_flags = "", std::string const& product = "my-registry.so") const {
        // The host may be a sanitizer build; then the plugin has to be one too.
        std::string flags = std::string(PFAR_SANITIZE).empty() ? "" : "-fsanitize=" PFAR_SANITIZE " ";
        must({PFAR_CMAKE, "-S", source.native(), "-B", build.native(), "-G", "Ninja",
              "-DCMAKE_PREFIX_PATH=" + prefix.native(), "-DCMAKE_CXX_FLAGS=" + flags + more_flags});
        must({PFAR_CMAKE, "--build", build.native()});
        fs::copy_file(build / product, home / "plugins" / product, fs::copy_options::overwrite_existing);
        ::chmod((home / "plugins" / product).c_str(), 0700);
    }

    [[nodiscard]] test::Outcome pfar(std::vector<std::string> words) const {
        words.insert(words.begin(), (prefix / "bin/pfar").native());
        return test::run({words, {{"PFAR_HOME", home.native()}}, "/", {}, 0});
    }
};

} // namespace

TEST_CASE("the template builds outside the tree against an installed prefix, is listed, and is refused by name when it "
          "does not fit") {
    Stranger const stranger;
    stranger.make();
    auto const listed = stranger.pfar({"plugins"});
    CHECK(listed.status == 0);
    CHECK(has(listed.out, "my-registry"));
    CHECK(has(listed.out, "vault-file")); // the installed pfar finds what it ships
    CHECK_FALSE(has(listed.err, "refused"));

    stranger.make("-DPFAR_PLUGIN_API_VERSION=6");
    auto const other_api = stranger.pfar({"plugins"});
    CHECK(other_api.status == 0);
    CHECK_FALSE(has(other_api.out, "my-registry"));
    CHECK(has(other_api.err, "(registry \"my-registry\") speaks plugin API 6, this host 5; rebuild it"));
    CHECK(has(other_api.out, "vault-file"));
    CHECK(stranger.pfar({"check"}).status == 0);

    auto text = test::read(stranger.source / "my_registry.cpp");
    auto const at = text.find("PFAR_CHECK(only(");
    REQUIRE(at != std::string::npos);
    text.insert(at, "throw 42;\n    ");
    std::ofstream(stranger.source / "my_registry.cpp") << text;
    stranger.make();
    auto const throwing = stranger.pfar({"plugins"});
    CHECK(throwing.status == 0);
    CHECK(has(throwing.err, "(registry \"my-registry\") refused its settings: plugin my-registry threw in configure"));
    CHECK_FALSE(has(throwing.out, "my-registry"));
    CHECK(stranger.pfar({"check"}).status == 0);
}

TEST_CASE("a shipped plugin's folder builds outside the tree unchanged, and then overrides the shipped one") {
    Stranger stranger;
    fs::remove_all(stranger.source);
    fs::copy(PFAR_SOURCE "/plugins/sandbox-bwrap", stranger.source, fs::copy_options::recursive);
    stranger.make("", "sandbox-bwrap.so");
    auto const listed = stranger.pfar({"plugins"});
    CHECK(listed.status == 0);
    CHECK(has(listed.out, (stranger.home / "plugins/sandbox-bwrap.so").native()));
    CHECK(has(listed.err, "is a second sandbox plugin named \"bwrap\""));
}
