// pfar exec with its streams on pipes and files.
#include "sandbox/live.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <sstream>

using test::has;
using test::Stage;

namespace {

std::set<std::string> lines(std::string const& text) {
    std::set<std::string> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) all.insert(line);
    return all;
}

std::string noise(std::size_t size) {
    std::string bytes(size, '\0');
    std::uint32_t state = 1;
    for (auto& byte : bytes) state = state * 1664525U + 1013904223U, byte = static_cast<char>(state >> 24U);
    return bytes;
}

/// 127.0.0.1, a port of the kernel's choice.
class Listener {
public:
    Listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        ::bind(fd_, reinterpret_cast<sockaddr*>(&address), size);
        ::listen(fd_, 8);
        ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = std::to_string(ntohs(address.sin_port));
    }
    Listener(Listener const&) = delete;
    Listener& operator=(Listener const&) = delete;
    ~Listener() { ::close(fd_); }
    [[nodiscard]] std::string const& port() const { return port_; }

private:
    int fd_;
    std::string port_;
};

} // namespace

TEST_CASE("the exit code is the command's") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    CHECK(stage.exec({}, {"true"}).status == 0);
    CHECK(stage.sh("exit 7").status == 7);
    CHECK(stage.sh("exit 255").status == 255);
    auto const chosen = stage.sh("exit 137");
    INFO(chosen.err);
    CHECK(chosen.status == 137);
    CHECK(chosen.err.empty());
    auto const killed = stage.sh("kill -9 $$");
    CHECK(killed.status == 137);
    CHECK(killed.err.find("memory") == std::string::npos);
    CHECK(stage.sh("kill -TERM $$").status == 143);
    CHECK(stage.sh("kill -SEGV $$").status == 139);
}

TEST_CASE("stdin, stdout and stderr pass through byte by byte") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const bytes = noise(5U << 20U);
    auto const outcome = stage.exec({}, {"sh", "-c", "cat > /tmp/all; cat /tmp/all; cat /tmp/all >&2"}, bytes);
    CHECK(outcome.status == 0);
    CHECK((outcome.out == bytes)); // not to be shown
    CHECK((outcome.err == bytes));
    auto const apart = stage.sh("echo out; echo err >&2");
    CHECK(apart.out == "out\n");
    CHECK(apart.err == "err\n");
}

TEST_CASE("pipes pass through too, and an end of input arrives") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    test::Live cat(stage, stage.exec_words({}, {"cat"}));
    cat.type("one\n");
    CHECK(cat.says("one\n"));
    cat.type("two\n");
    CHECK(cat.says("two\n"));
    cat.close_input();
    CHECK(cat.end() == 0);
    CHECK(cat.heard() == "one\ntwo\n");
}

TEST_CASE("INT, TERM and HUP reach the command, which may do with them what it likes") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    for (auto const& [name, number] : {std::pair{"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}}) {
        CAPTURE(name);
        auto const script =
            std::string("trap 'echo caught; exit 5' ") + name + "; echo ready; while :; do sleep 0.05; done";
        test::Live live(stage, stage.exec_words({}, {"sh", "-c", script}));
        REQUIRE(live.says("ready\n"));
        live.signal(number);
        CHECK(live.says("caught\n"));
        CHECK(live.end() == 5);
    }
    test::Live plain(stage, stage.exec_words({}, {"sh", "-c", "echo ready; exec sleep 1000"}));
    REQUIRE(plain.says("ready\n"));
    plain.signal(SIGTERM);
    CHECK(plain.end() == 143);
}

TEST_CASE("it starts in the current directory if that is granted, else in /tmp") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const here = stage.make("here/deep");
    CHECK(stage.exec({}, {"pwd"}, "", here).out == "/tmp\n");
    CHECK(stage.exec({"--read", "."}, {"pwd"}, "", here).out == here.native() + "\n");
    CHECK(stage.exec({"--read", (stage.path() / "here").native()}, {"pwd"}, "", here).out == here.native() + "\n");
    CHECK(stage.exec({"--read", (here / "..").native()}, {"pwd"}, "", "/").out == "/tmp\n");
}

TEST_CASE("--read shows, --write lets write, and nothing beside it is there") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const canary = stage.write("canary", "secret").native();
    auto const read = stage.write("read/file", "shown\n").parent_path().native();
    auto const write = stage.make("write").native();
    std::vector<std::string> const grants{"--read", read, "--write", write};

    CHECK(stage.sh("cat " + read + "/file", grants).out == "shown\n");
    CHECK(has(stage.sh("cat " + canary, grants).err, "No such file"));
    CHECK(has(stage.sh("echo x > " + read + "/new", grants).err, "Read-only file system"));
    CHECK(stage.sh("echo x >> " + read + "/file", grants).status != 0);
    CHECK(stage.sh("rm -f " + read + "/file", grants).status != 0);
    CHECK(stage.sh("mv " + read + " " + read + "2", grants).status != 0);
    CHECK(test::read(read + "/file") == "shown\n");
    CHECK(stage.bare("echo x > " + read + "/new").status == 0); // the control

    auto const made =
        stage.sh("mkdir " + write + "/d && echo made > " + write + "/d/f && chmod 640 " + write + "/d/f && mv " +
                     write + "/d/f " + write + "/f && rmdir " + write + "/d && stat -c %u " + write + "/f && id -u",
                 grants);
    CHECK(made.err.empty());
    CHECK(test::read(write + "/f") == "made\n");
    CHECK(lines(made.out).size() == 1); // its own, seen from inside
    struct stat info {};
    REQUIRE(::stat((write + "/f").c_str(), &info) == 0);
    auto const owner = stage.setting().uid == 0 ? ::geteuid() : stage.setting().uid;
    CHECK(info.st_uid == owner);
    CHECK((info.st_mode & 07777U) == 0640);
}

TEST_CASE("a file, a link and a nested grant can be granted; the most specific one wins") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const file = stage.write("one/file", "1\n").native();
    static_cast<void>(stage.write("one/other", "2\n"));
    CHECK(stage.sh("cat " + file, {"--read", file}).out == "1\n");
    CHECK(stage.sh("cat " + (stage.path() / "one/other").native(), {"--read", file}).status != 0);
    CHECK(stage.sh("echo 3 > " + file, {"--write", file}).status == 0);
    CHECK(test::read(file) == "3\n");
    std::filesystem::create_symlink("one", stage.path() / "link");
    CHECK(stage.sh("cat " + (stage.path() / "link/file").native(), {"--read", (stage.path() / "link").native()}).out ==
          "3\n");
    auto const inner = stage.make("one/inner").native();
    std::vector<std::string> const grants{"--read", (stage.path() / "one").native(), "--write", inner};
    CHECK(stage.sh("echo x > " + inner + "/x", grants).status == 0);
    CHECK(stage.sh("echo x > " + inner + "/../x", grants).status != 0);
}

TEST_CASE("the environment is exactly the minimal one and what --env names") {
    Stage stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    stage.environment = {"TZ=Europe/Vienna", "LC_TIME=de_AT.UTF-8", "AWS_SECRET_ACCESS_KEY=hush",
                         "SSH_AUTH_SOCK=/x", "EDITOR=vi",           "MORE=a=b c"};
    auto const plain = lines(stage.exec({}, {"env"}).out);
    CHECK(plain == std::set<std::string>{"HOME=/tmp", "LANG=C.UTF-8", "LC_TIME=de_AT.UTF-8", "LOGNAME=pfar",
                                         "PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
                                         "TMPDIR=/tmp", "TZ=Europe/Vienna", "USER=pfar", "XDG_CACHE_HOME=/tmp/.cache",
                                         "XDG_CONFIG_HOME=/tmp/.config", "XDG_DATA_HOME=/tmp/.local/share",
                                         "XDG_STATE_HOME=/tmp/.local/state"});
    auto more = plain;
    more.insert({"EDITOR=vi", "MORE=a=b c"});
    CHECK(lines(stage.exec({"--env", "EDITOR,MORE"}, {"env"}).out) == more);
    CHECK(lines(stage.exec({"--env", "EDITOR", "--env", "MORE,NOT_SET"}, {"env"}).out) == more);
    CHECK(stage.sh("cat /proc/*/environ | tr '\\0' '\\n' | grep -c hush").out == "0\n");
}

TEST_CASE("/tmp and /dev/shm are sized, private and empty at every start") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const first = stage.sh(
        "stat -f -c %T /tmp /dev/shm; ls -A /tmp /dev/shm; echo x > /tmp/left; echo x > /dev/shm/left; cat /tmp/left");
    CHECK(first.out == "tmpfs\ntmpfs\n/dev/shm:\n\n/tmp:\nx\n");
    CHECK(stage.sh("ls -A /tmp /dev/shm").out == "/dev/shm:\n\n/tmp:\n");
    CHECK_FALSE(std::filesystem::exists("/tmp/left"));
    CHECK(has(stage.sh("head -c 300000000 /dev/zero > /tmp/big", {"--memory", "1g"}).err, "No space left"));
    CHECK(has(stage.sh("head -c 300000000 /dev/zero > /dev/shm/big", {"--memory", "1g"}).err, "No space left"));
}

TEST_CASE("it writes to /tmp and /dev/shm and nowhere else, and sees no home directory") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    static_cast<void>(stage.write("home/.ssh/id", "key"));
    static_cast<void>(stage.write("home/.pfar/vault", "hush"));
    auto const tried =
        stage.sh("for d in / /usr /usr/bin /etc /dev /proc /proc/sys/kernel /run /var /home /root /tmp /dev/shm; do "
                 "(echo x > $d/pfar-was-here) 2>/dev/null && echo $d; done");
    CHECK(tried.out == "/tmp\n/dev/shm\n");
    for (auto const& gone : {stage.home(), stage.pfar_home(), stage.home() / ".ssh/id", std::filesystem::path("/root"),
                             std::filesystem::path("/home"), std::filesystem::path("/etc/shadow")}) {
        CAPTURE(gone);
        CHECK(has(stage.exec({}, {"ls", gone.native()}).err, "No such file"));
        CHECK(std::filesystem::exists(gone)); // the control
    }
}

TEST_CASE("there is no network, not even the machine's own") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    Listener const listener;
    auto const dial = "import socket; socket.create_connection(('127.0.0.1', " + listener.port() + "), 5)";
    CHECK(test::run({{"/usr/bin/python3", "-c", dial}, {}, {}, {}, stage.setting().uid}).status == 0); // the control
    auto const inside = stage.exec({}, {"/usr/bin/python3", "-c", dial});
    CHECK(inside.status == 1);
    CHECK((inside.err.find("refused") != std::string::npos || inside.err.find("unreachable") != std::string::npos ||
           inside.err.find("not permitted") != std::string::npos));
    CHECK(stage.sh("tail -n +3 /proc/net/dev | grep -vc ' lo:'").out == "0\n");
}

TEST_CASE("the host's name, processes and root stay outside") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    CHECK(stage.exec({}, {"hostname"}).out == "pfar\n");
    CHECK(stage.sh("id -u").out != "0\n");
    CHECK(stage.sh("ls -d /proc/[0-9]* | wc -l").out < "9");
    CHECK(has(stage.sh("grep -E 'CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status").out,
              "CapEff:\t0000000000000000"));
    test::Live live(stage, stage.exec_words({}, {"sh", "-c", "echo ready; read never"})); // it is that sh which says so
    REQUIRE(live.says("ready\n"));
    std::string const words("\0-c\0echo ready; read never\0", 27); // behind the name under which it was found
    unsigned seen = 0;
    for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
        auto const line = test::read(entry.path() / "cmdline");
        if (line.find('\0') == std::string::npos || line.substr(line.find('\0')) != words) continue;
        auto const status = test::read(entry.path() / "status");
        CHECK(status.find("Uid:\t0\t") == std::string::npos);
        ++seen;
    }
    CHECK(seen == 1);
    live.signal(SIGTERM);
    CHECK(live.end() == 143);
}
