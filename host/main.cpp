// pfar: the program. Everything is in the rooms; this is the door.
#include "cli/run.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    ::umask(077);               // what pfar writes is the owner's alone
    rlimit const no_core{0, 0}; // a core dump would hold secrets
    ::setrlimit(RLIMIT_CORE, &no_core);
    try {
        return pfar::cli::run({argv + (argc > 0 ? 1 : 0), argv + argc});
    } catch (std::exception const& problem) { // a bug: everything that comes from outside is a Result
        std::fprintf(stderr, "pfar: internal error: %s\n", problem.what());
        return 70;
    }
}
