// What people get wrong: one sentence with the way out, and the exit code of SPEC 4.
#include "sandbox/stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>

using test::has;
using test::Stage;

namespace {

void refused(test::Outcome const& outcome, int status, std::string const& part, std::string const& fix) {
    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, part));
    CHECK(has(outcome.err, fix));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

constexpr int usage = 64, unavailable = 69, denied = 77, config = 78;

} // namespace

TEST_CASE("a command that cannot run is told with the remedy") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    refused(stage.exec({}, {"no-such-program"}), unavailable, "no program no-such-program on PATH", "install it");
    refused(stage.exec({}, {"/no/such/program"}), unavailable, "/no/such/program", "install it");
    refused(stage.exec({}, {"/usr"}), config, "/usr is a directory", "write the path of the program");
    auto const plain = stage.write("plain", "#!/bin/sh\n").native();
    refused(stage.exec({}, {plain}), config, plain + " is not executable", "chmod +x " + plain);
    refused(stage.exec({}, {""}), config, "not a command", "write a program's name");
    auto const lost = stage.write("lost", "#!/no/such/interpreter\n", 0755).native();
    refused(stage.exec({}, {lost}), unavailable, "/no/such/interpreter", "install");
}

TEST_CASE("grants that are not there, or would show pfar's own directory, are refused") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    static_cast<void>(stage.write("home/.pfar/vault/keys", "hush"));
    std::filesystem::create_symlink(stage.pfar_home(), stage.path() / "link");
    for (std::string const option : {"--read", "--write"}) {
        refused(stage.exec({option, "/no/such/place"}, {"true"}), unavailable, "/no/such/place",
                "make it, or remove the grant");
        for (auto const& inside : {stage.pfar_home(), stage.pfar_home() / "vault", stage.pfar_home() / "vault/keys",
                                   stage.path() / "link/vault"})
            refused(stage.exec({option, inside.native()}, {"true"}), denied, "pfar's own directory", "HOME");
        refused(stage.exec({option, "/"}, {"true"}), denied, "whole machine", "grant the directories that are needed");
        refused(stage.exec({option, "/proc"}, {"true"}), denied, "/proc", "never shows");
    }
}

TEST_CASE("a grant of what lies around pfar's directory shows that directory empty") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const vault = stage.write("home/.pfar/vault", "hush").native();
    static_cast<void>(stage.write("home/notes", "mine\n"));
    for (std::string const option : {"--read", "--write"}) {
        auto const outcome = stage.sh("cat " + (stage.home() / "notes").native() + "; cat " + vault + "; ls -A " +
                                          stage.pfar_home().native() + "; echo x > " + stage.pfar_home().native() +
                                          "/planted; mv " + stage.pfar_home().native() + " " +
                                          (stage.home() / "moved").native() + "; rmdir " + stage.pfar_home().native(),
                                      {option, stage.home().native()});
        CHECK(outcome.out == "mine\n");
        CHECK(outcome.status != 0);
        CHECK(std::filesystem::exists(vault));
        CHECK_FALSE(std::filesystem::exists(stage.pfar_home() / "planted"));
    }
    CHECK(has(stage.bare("cat " + vault).out, "hush")); // the control
}

TEST_CASE("options that make no sense are usage errors") {
    Stage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    for (std::string const size : {"rubbish", "0", "1", "-5m", "256q", "99999999999999999999g", "1k", ""})
        refused(stage.exec({"--memory", size}, {"true"}), usage, "--memory", "256m");
    for (std::string const name : {"A=1", "A B", "1A", "\x1b[2J"})
        refused(stage.exec({"--env", name}, {"true"}), usage, "--env", "--env TZ,EDITOR");
    refused(stage.pfar({"exec"}), usage, "needs a COMMAND", "pfar exec --help");
    refused(stage.pfar({"exec", "--"}), usage, "needs a COMMAND", "pfar exec --help");
    refused(stage.pfar({"exec", "--raed", "/srv", "--", "true"}), usage, "--raed", "pfar exec --help");
    refused(stage.pfar({"exec", "--read", "", "--", "true"}), usage, "--read", "");
    refused(stage.pfar({"exec", "--read", "--", "true"}), usage, "--read", "");
}

TEST_CASE("a backend that is not there, cannot run here, or confines nothing is refused") {
    Stage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    refused(stage.pfar({"exec", "--backend", "bwarp", "--", "true"}), unavailable, "\"bwarp\"",
            "did you mean \"bwrap\"?");
    refused(stage.pfar({"exec", "--backend", "unconfined", "--", "true"}), denied, "unconfined", "require = []");
    static_cast<void>(stage.write("home/.pfar/pfar.toml", "[plugins.bwrap]\nprogram = \"/nonexistent\"\n"));
    refused(stage.pfar({"exec", "--backend", "bwrap", "--", "true"}), unavailable, "/nonexistent is not installed",
            "apt install bubblewrap");
    CHECK(stage.pfar({"exec", "--", "sh", "-c", "exit 4"}).status == 4); // the other one is used
    static_cast<void>(stage.write("home/.pfar/pfar.toml", "[plugins.bwrap]\nprogram = \"/bin/false\"\n"));
    auto const broken = stage.pfar({"exec", "--backend", "bwrap", "--", "true"});
    CHECK(broken.status == unavailable);
    CHECK(has(broken.err, "bwrap"));
}
