// pfar: the program. Everything is in the rooms; this is the door.
#include "cli/run.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
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

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

} // namespace

int main(int argc, char** argv) {
    standard_streams();
    std::signal(SIGCHLD, SIG_DFL); // whoever started us may have ignored it, and then no child could be waited for
    ::umask(077);                  // what pfar writes is the owner's alone
    rlimit core{};                 // a core dump would hold secrets
    ::getrlimit(RLIMIT_CORE, &core);
    core.rlim_cur = 0;
    ::setrlimit(RLIMIT_CORE, &core);
    if (!sanitized)
        ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); // nor may others of the same user look into it; LeakSanitizer has to
    try {
        int const code = pfar::cli::run({argv + (argc > 0 ? 1 : 0), argv + argc});
        std::fflush(nullptr);
        if (sanitized) return code; // leaks are looked for at the end
        ::_exit(code);              // everything is written; taking the libraries down one by one is for nobody
    } catch (std::exception const& problem) { // a bug: everything that comes from outside is a Result
        std::fprintf(stderr, "pfar: internal error: %s\n", problem.what());
        return 70;
    }
}
