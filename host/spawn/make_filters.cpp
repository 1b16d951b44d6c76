// Runs when the host is built: prints the system call filters as C arrays.
#include "spawn/seccomp.hpp"

#include <cstdio>

int main() {
    for (unsigned wishes = 0; wishes < 8; ++wishes) {
        auto const program = pfar::spawn::seccomp_program({(wishes & 1U) != 0, (wishes & 2U) != 0, (wishes & 4U) != 0});
        if (!program) {
            std::fprintf(stderr, "%s\n", program.error().what.c_str());
            return 1;
        }
        std::printf("alignas(8) constexpr unsigned char filter_%u[] = {", wishes);
        for (char const byte : *program) std::printf("%u,", static_cast<unsigned char>(byte));
        std::printf("};\n");
    }
}
