// Configuration cases: a folder each, with one file and the exact messages it gets. PFAR_ACCEPT=1 rewrites the messages.
#include "config/host_settings.hpp"
#include "config/server_file.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>

namespace fs = std::filesystem;
using namespace pfar;

namespace {

std::vector<fs::path> cases() {
    std::vector<fs::path> out;
    for (auto const& entry : fs::directory_iterator(PFAR_SOURCE "/tests/golden/config"))
        if (entry.is_directory()) out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

fs::path input_of(fs::path const& directory) {
    for (auto const& entry : fs::directory_iterator(directory))
        if (entry.path().extension() == ".toml") return entry.path();
    FAIL("no .toml in " << directory);
    return {};
}

/// All of it as on a machine where the owner is /home/me; nothing of this machine is looked at.
std::vector<config::Mistake> mistakes_of(fs::path const& input) {
    config::Source const source(test::read(input));
    config::FileContext const context{input.filename(),     "/home/me/.pfar", "/home/me/.pfar", "/home/me", false,
                                      {"bwrap", "landlock"}};
    return input.filename() == "pfar.toml" ? config::read_host_settings(source, context).mistakes
                                           : config::read_server_file(source, context).mistakes;
}

std::string messages(fs::path const& input) {
    std::string out;
    for (auto const& mistake : mistakes_of(input)) out += describe(input.filename(), mistake);
    return out.empty() ? "ok\n" : out;
}

} // namespace

TEST_CASE("every configuration case gets exactly its messages") {
    auto const all = cases();
    CHECK(all.size() >= 60);
    for (auto const& directory : all) {
        DYNAMIC_SECTION(directory.filename().native()) {
            auto const got = messages(input_of(directory));
            if (std::getenv("PFAR_ACCEPT") != nullptr) std::ofstream(directory / "expected") << got;
            CHECK(got == test::read(directory / "expected"));
        }
    }
}

TEST_CASE("a case that is wrong has an error, and one that is right has none") {
    for (auto const& directory : cases()) {
        DYNAMIC_SECTION(directory.filename().native()) {
            bool const right = directory.filename().native().starts_with("ok-");
            bool const has_error = messages(input_of(directory)).find(": error: ") != std::string::npos;
            CHECK(has_error != right);
        }
    }
}

TEST_CASE("every mistake says where it is, what is expected and how to put it right") {
    for (auto const& directory : cases()) {
        for (auto const& mistake : mistakes_of(input_of(directory))) {
            INFO(directory << ": " << mistake.what);
            CHECK(mistake.where.line > 0);
            CHECK(mistake.where.column > 0);
            CHECK_FALSE(mistake.fix.empty());
            CHECK((!mistake.expected.empty() || mistake.severity == config::Severity::warning));
        }
    }
}
