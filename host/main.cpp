// pfar: the program. Everything is in the rooms; this is the door.
#include "cli/run.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

/// A closed stdin, stdout or stderr would be the number of the next file that is opened. Reading and writing them fails, as it should.
void standard_streams() {
    while (true) {
        int const fd = ::open("/dev/null", O_PATH);
        if (fd > 2 || fd < 0) {
            ::close(fd);
            return;
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    standard_streams();
    std::signal(SIGCHLD, SIG_DFL); // whoever started us may have ignored it, and then no child could be waited for
    ::umask(077);                  // what pfar writes is the owner's alone
    rlimit const no_core{0, 0};    // a core dump would hold secrets
    ::setrlimit(RLIMIT_CORE, &no_core);
    try {
        return pfar::cli::run({argv + (argc > 0 ? 1 : 0), argv + argc});
    } catch (std::exception const& problem) { // a bug: everything that comes from outside is a Result
        std::fprintf(stderr, "pfar: internal error: %s\n", problem.what());
        return 70;
    }
}
