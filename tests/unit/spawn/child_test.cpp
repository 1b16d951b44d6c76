#include "unit/spawn/shim_plan.hpp"

#include "support/temp_dir.hpp"

#include <algorithm>

using namespace pfar;
using spawn::Note;

TEST_CASE("the server has the stdin, stdout and stderr it was given, each its own") {
    test::Pipe in, out, err;
    auto child = spawn::Child::start(test::shell("read word; echo $word; echo trouble >&2"),
                                     {{in.out.number(), out.in.number(), err.in.number()}, {}, {}})
                     .value();
    out.in = base::Fd();
    err.in = base::Fd();
    in.say("hello\n");
    CHECK(out.rest() == "hello\n");
    CHECK(err.rest() == "trouble\n");
    CHECK(test::wait_for(child, Note::Kind::ended).value == 0);
}

TEST_CASE("a server that was given no stdin reads its end at once") {
    CHECK(test::run(test::shell("read word; echo $?")).out == "1\n");
}

TEST_CASE("exit codes and signals come back exactly: 137 is not SIGKILL") {
    for (int const code : {0, 1, 125, 127, 137, 255}) {
        auto const note = test::run(test::shell("exit " + std::to_string(code))).last;
        REQUIRE(note.kind == Note::Kind::ended);
        CHECK(WIFEXITED(note.value));
        CHECK(WEXITSTATUS(note.value) == code);
    }
    for (int const signal : {SIGKILL, SIGTERM, SIGSEGV, SIGPIPE}) {
        auto const note = test::run(test::shell("kill -" + std::to_string(signal) + " $$")).last;
        REQUIRE(note.kind == Note::Kind::ended);
        CHECK(WIFSIGNALED(note.value));
        CHECK(WTERMSIG(note.value) == signal);
    }
}

TEST_CASE("notes come in order: inside, running, ended, gone") {
    auto child = spawn::Child::start(test::shell("exit 3"), {}).value();
    CHECK(child.first_process() == 0);
    CHECK(child.next()->kind == Note::Kind::inside);
    CHECK(child.first_process() > 0);
    CHECK(child.next()->kind == Note::Kind::running);
    CHECK(child.next()->kind == Note::Kind::ended);
    auto const gone = child.next().value();
    CHECK(gone.kind == Note::Kind::gone);
    CHECK(gone.value == 0);
    CHECK(child.next()->kind == Note::Kind::gone); // and it stays so
}

TEST_CASE("a program that is not there is told in a sentence with the remedy") {
    auto const note = test::run(test::shim_plan({"/no/such/program", {}, "/", {}})).last;
    REQUIRE(note.kind == Note::Kind::failed);
    CHECK(note.stage == ShimStage::program);
    CHECK(note.value == ENOENT);
    CHECK(note.text == "/no/such/program");
    CHECK(spawn::explain(note, "notes") ==
          "notes could not be executed in the sandbox: it, or the interpreter that it names, is not "
          "there inside; grant the directory that it lies in");
}

TEST_CASE("a program that may not be executed is told in a sentence") {
    test::TempDir const dir;
    auto const file = dir.write("plain", "text");
    auto const note = test::run(test::shim_plan({file, {}, "/", {}})).last;
    CHECK(spawn::explain(note, file) == file.native() + " could not be executed in the sandbox: Permission denied");
}

TEST_CASE("a working directory that is not there is told in a sentence that names it") {
    auto plan = test::shell("true");
    plan.orders->command.cwd = "/no/such/directory";
    auto const note = test::run(plan).last;
    REQUIRE(note.kind == Note::Kind::failed);
    CHECK(note.stage == ShimStage::directory);
    CHECK(spawn::explain(note, "sh") ==
          "the sandbox could not enter the working directory /no/such/directory: No such file or directory");
}

TEST_CASE("a path with control characters does not get them into the sentence") {
    auto plan = test::shell("true");
    plan.orders->command.cwd = "/no/\x1b[31mred";
    CHECK(spawn::explain(test::run(plan).last, "sh").find('\x1b') == std::string::npos);
}

TEST_CASE("what a launcher says when it fails is the reason") {
    auto plan = test::shell("true");
    plan.argv = {"/bin/sh", "-c", "echo 'no namespaces here' >&2; exit 7"};
    auto child = spawn::Child::start(plan, {}).value();
    auto const note = child.next().value();
    REQUIRE(note.kind == Note::Kind::gone);
    CHECK(WEXITSTATUS(note.value) == 7);
    CHECK(spawn::explain(note, "sh").find("the sandbox could not be started: no namespaces here") == 0);
}

TEST_CASE("a launcher that says more than fits is not waited for") {
    auto plan = test::shell("true");
    plan.argv = {"/bin/sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 7"};
    auto child = spawn::Child::start(plan, {}).value();
    REQUIRE(test::Pipe::ready(child.notes()));
    auto const note = child.next().value();
    CHECK(note.kind == Note::Kind::gone);
    CHECK(note.text.size() <= 4096);
}

TEST_CASE("a launcher that is not there, and a plan without orders, start nothing") {
    auto plan = test::shell("true");
    plan.argv = {"/no/such/launcher"};
    auto const missing = spawn::Child::start(plan, {});
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == Errc::not_found);
    CHECK(missing.error().what == "/no/such/launcher could not be started: No such file or directory");
    plan = test::shell("true");
    plan.orders.reset();
    CHECK_FALSE(spawn::Child::start(plan, {}));
    plan = test::shell("true");
    plan.orders->stay = false;
    CHECK_FALSE(spawn::Child::start(plan, {}));
}

TEST_CASE("data arrives at its descriptors") {
    auto plan = test::shell("exit 4");
    plan.argv = {"/bin/sh", "-c", "test \"$(cat <&5)$(cat <&4)\" = fivefour && exec \"$0\"", plan.argv[0]};
    plan.data = {{4, "four"}, {5, "five"}};
    CHECK(WEXITSTATUS(test::run(plan).last.value) == 4);
}

TEST_CASE("a first shim prepares and executes the launcher, which finds its own orders on the same socket") {
    auto plan = test::shell("echo from the second");
    plan.prepare.emplace();
    plan.prepare->stay = false;
    plan.prepare->command = {"/bin/sh", {"-c", "exec \"$0\"", plan.argv[0]}, {}, {}};
    CHECK(test::run(plan).out == "from the second\n");
}

TEST_CASE("a signal that is passed on reaches the server's whole group") {
    test::Pipe out;
    auto child =
        spawn::Child::start(test::shell("sleep 1000 & p=$!; trap 'wait $p; echo $?; exit 3' TERM; echo ready; wait"),
                            {{-1, out.in.number(), -1}, {}, {}})
            .value();
    REQUIRE(out.line() == "ready");
    child.pass(SIGTERM);
    CHECK(out.line() == std::to_string(128 + SIGTERM)); // the sleep's own end
    CHECK(WEXITSTATUS(test::wait_for(child, Note::Kind::ended).value) == 3);
}

TEST_CASE("a server that stops is told of, and goes on when it is told to") {
    auto child = spawn::Child::start(test::shell("kill -STOP $$; exit 5"), {}).value();
    auto const stopped = test::wait_for(child, Note::Kind::stopped);
    REQUIRE(stopped.kind == Note::Kind::stopped);
    CHECK(stopped.value == SIGSTOP);
    child.pass(SIGCONT);
    CHECK(WEXITSTATUS(test::wait_for(child, Note::Kind::ended).value) == 5);
}

TEST_CASE("signals that do not exist, and signals to somebody who is gone, do no harm") {
    auto child = spawn::Child::start(test::shell("read word"), {}).value();
    child.pass(0);
    child.pass(200);
    CHECK(test::wait_for(child, Note::Kind::ended).kind == Note::Kind::ended);
    child.end();
    child.pass(SIGTERM);
    child.end();
}

TEST_CASE("the server has the signals, the mask and the limits that everybody begins with") {
    ::signal(SIGPIPE, SIG_IGN); // as a host has it
    auto const story = test::run(test::shell("grep -E 'Sig(Blk|Ign)' /proc/self/status; ulimit -c"));
    ::signal(SIGPIPE, SIG_DFL);
    CHECK(story.out == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0\n");
}

TEST_CASE("the server has no privileges that it could use or get") {
    auto const story = test::run(test::shell("grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs' /proc/self/status"));
    CHECK(std::count(story.out.begin(), story.out.end(), '\n') == 6);
    CHECK(story.out.find("NoNewPrivs:\t1\n") != std::string::npos);
    for (auto const* const set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
        CHECK(story.out.find(std::string(set) + ":\t0000000000000000\n") != std::string::npos);
}
