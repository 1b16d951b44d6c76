// Programs that people run servers with do their work under the filter.
#include "spawn/seccomp.hpp"
#include "support/child.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>

#include <vector>

using namespace pfar;

namespace {

/// What the program prints under the filter, and how it ended.
std::string said(std::string const& filter, std::vector<std::string> words) {
    test::TempDir const dir;
    auto const out = dir.write("out", "");
    int const status = test::in_child([&] {
        int const fd = ::open(out.c_str(), O_WRONLY | O_APPEND);
        if (::dup2(fd, 1) < 0 || ::dup2(fd, 2) < 0 || test::filter_self(filter) != 0) return 255;
        std::vector<char*> argv;
        for (auto& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        ::execv(argv[0], argv.data());
        return 254;
    });
    return test::read(out) + (status == 0 ? "" : " ended with " + std::to_string(status));
}

bool is_there(char const* program) {
    return ::access(program, X_OK) == 0;
}

void check_says(std::vector<std::string> const& words, std::string const& text) {
    for (spawn::FilterWishes const& wishes : {spawn::FilterWishes{},
                                              {.deny_sockets = true},
                                              {.deny_hidden_memory = true},
                                              {.deny_sockets = true, .deny_hidden_memory = true}})
        CHECK(said(spawn::seccomp_program(wishes).value(), words) == text);
}

} // namespace

TEST_CASE("node with workers and child processes runs under the filter") {
    if (!is_there("/usr/bin/node")) SKIP("node is not installed");
    check_says({"/usr/bin/node", "-e",
                "const { Worker } = require('worker_threads');\n"
                "const work = 'require(`worker_threads`).parentPort.postMessage(`worker`)';\n"
                "new Worker(work, { eval: true }).on('message', word =>\n"
                "    require('child_process').exec('echo child', (error, out) => {\n"
                "        if (error) throw error;\n"
                "        require('fs').readFile('/proc/self/comm', () => console.log(word, out.trim()));\n"
                "    }));\n"},
               "worker child\n");
}

TEST_CASE("python with threads and subprocesses runs under the filter") {
    if (!is_there("/usr/bin/python3")) SKIP("python3 is not installed");
    check_says({"/usr/bin/python3", "-c",
                "import asyncio, subprocess, tempfile, threading\n"
                "t = threading.Thread(target=lambda: print('thread', flush=True)); t.start(); t.join()\n"
                "print(subprocess.run(['/bin/echo', 'child'], capture_output=True, text=True).stdout, end='')\n"
                "tempfile.TemporaryDirectory().cleanup()\n"
                "async def f():\n"
                "    p = await asyncio.create_subprocess_exec('/bin/echo', 'async', stdout=-1)\n"
                "    print((await p.communicate())[0].decode(), end='')\n"
                "asyncio.run(f())\n"},
               "thread\nchild\nasync\n");
}

TEST_CASE("a static program with threads runs under the filter") {
    check_says({PFAR_STATIC_PROGRAM}, "well\n");
}
