// Real programs run; those that want all the memory there is are ended near their limit.
#include "sandbox/live.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <boost/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

using test::has;
using test::Live;
using test::Stage;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

/// Installed once, below the build directory. Empty: the registry cannot be reached.
fs::path everything() {
    fs::path const cache = PFAR_BUILD "/npm";
    auto const script = cache / "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    if (!fs::exists(script)) {
        fs::create_directories(cache);
        test::run({{"npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", cache.native(),
                    "@modelcontextprotocol/server-everything"},
                   {},
                   cache,
                   {},
                   0,
                   300});
    }
    return fs::exists(script) ? script : fs::path();
}

json::object answer(Live& live, std::string const& request, std::string const& id) {
    live.forget();
    live.type(request + "\n");
    if (!live.says("\"id\":" + id) || !live.says("\n")) return {};
    auto const& text = live.heard();
    auto const at = text.find("\"id\":" + id);
    while (text.find('\n', at) == std::string::npos)
        if (!live.says("}\n")) return {};
    auto const start = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
    return json::parse(text.substr(start, text.find('\n', at) - start)).as_object();
}

void check_everything(Stage const& stage, std::vector<std::string> const& options) {
    auto const script = everything();
    if (script.empty()) SKIP("@modelcontextprotocol/server-everything cannot be installed: no npm, or no registry");
    Live live(stage, stage.exec_words(options, {"node", script.native(), "stdio"}));
    auto const hello =
        answer(live,
               R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
               R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})",
               "1");
    REQUIRE(hello.contains("result"));
    CHECK(hello.at("result").at("serverInfo").at("name").is_string());
    live.type("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    auto const tools = answer(live, R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})", "2");
    REQUIRE(tools.contains("result"));
    CHECK(tools.at("result").at("tools").as_array().size() >= 8);
    live.close_input();
    auto const code = live.end();
    CHECK((code == 0 || code == 143)); // it ends with its input
}

constexpr char const* bombs[] = {
    // private, shared, memfd, twenty children, tmpfs
    "b = []\nwhile True: b.append(bytearray(b'x') * (8 << 20))",
    "import mmap\nb = []\nwhile True:\n m = mmap.mmap(-1, 8 << 20)\n m.write(b'x' * (8 << 20))\n b.append(m)",
    "import os\nf = os.memfd_create('b')\nwhile True: os.write(f, b'x' * (8 << 20))",
    "import os, time\nfor i in range(20):\n if os.fork() == 0:\n  b = bytearray(b'x') * (40 << 20)\n  "
    "time.sleep(1000)\ntime.sleep(1000)",
    "import os\nfor d in ('/tmp', '/dev/shm'):\n f = open(d + '/big', 'wb', 0)\n try:\n  while True: f.write(b'x' * (1 "
    "<< 20))\n except OSError: pass\n"
    "b = []\nwhile True: b.append(bytearray(b'x') * (8 << 20))"};

/// MemAvailable, in MiB.
long available() {
    auto const text = test::read("/proc/meminfo");
    return std::atol(text.c_str() + text.find("MemAvailable:") + 13) / 1024;
}

} // namespace

TEST_CASE("node runs with workers and child processes") {
    if (::access("/usr/bin/node", X_OK) != 0) SKIP("there is no /usr/bin/node");
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const outcome = stage.exec({}, {"node", "-e", R"js(
const { Worker } = require('worker_threads'), { execFileSync, spawn } = require('child_process'), os = require('os');
const w = new Worker("require('worker_threads').parentPort.postMessage(6 * 7)", { eval: true });
w.on('message', m => console.log('worker', m)).on('exit', () => {
    console.log('child', execFileSync('/bin/echo', ['hi']).toString().trim());
    spawn('sh', ['-c', 'exit 3']).on('exit', c => console.log('spawn', c, os.userInfo().username, os.homedir(), os.tmpdir()));
});)js"});
    CHECK(outcome.out == "worker 42\nchild hi\nspawn 3 pfar /tmp /tmp\n");
    CHECK(outcome.err.empty());
}

TEST_CASE("python3 runs with threads, processes and temporary files") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const outcome = stage.exec({}, {"/usr/bin/python3", "-c", R"(
import subprocess, tempfile, threading, multiprocessing, ssl, socket, os
threading.Thread(target=lambda: print('thread', flush=True)).start()
print(subprocess.check_output(['echo', 'child']).decode().strip())
with multiprocessing.Pool(2) as p: print(p.map(abs, [-1, -2]))
with tempfile.NamedTemporaryFile() as f: print(os.path.dirname(f.name))
ssl.create_default_context(); a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))
)"});
    CHECK(outcome.out == "thread\nchild\n[1, 2]\n/tmp\nb'x'\n");
    CHECK(outcome.err.empty());
}

TEST_CASE("server-everything answers initialize and tools/list") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check_everything(stage, {});
}

TEST_CASE("server-everything starts within 256 MiB") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check_everything(stage, {"--memory", "256m"});
}

/// Without a control group RLIMIT_DATA and the system call filter stop some before there is anything to kill.
static bool was_refused_memory(std::string const& said) {
    return said.find("MemoryError") != std::string::npos || said.find("Function not implemented") != std::string::npos;
}

TEST_CASE("a memory bomb is ended near its limit, and pfar says so") {
    Stage const stage(GENERATE(from_range(test::settings())));
    auto const* const bomb = GENERATE(from_range(std::begin(bombs), std::end(bombs)));
    CAPTURE(stage.setting(), bomb);
    auto const before = available();
    Live live(stage, stage.exec_words({"--memory", "256m"}, {"/usr/bin/python3", "-c", bomb}));
    auto const code = live.end();
    CHECK(before - available() < 1500); // the machine has its memory
    if (!stage.is_root() && code == 1 && was_refused_memory(live.heard())) return;
    CHECK(code == 137);
    CHECK(has(live.heard(), "needed more memory than its limit"));
}

TEST_CASE("what stays below its limit is left alone") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const outcome = stage.exec({"--memory", "256m"},
                                    {"/usr/bin/python3", "-c", "b = bytearray(b'x') * (150 << 20); print(len(b))"});
    CHECK(outcome.out == "157286400\n");
    CHECK(outcome.status == 0);
}
