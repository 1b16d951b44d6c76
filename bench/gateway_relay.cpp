// pfar-bench-gateway-relay COMMAND...: the least that any gateway over stdio must do. A process between two pipes each way that moves bytes and
// looks at none of them; what pfar costs more than this is what its own work costs.
#include "gateway.hpp"

#include <vector>

#include <poll.h>

namespace {

/// False at the end of it.
bool move(int from, int to, std::vector<char>& buffer) {
    auto const count = ::read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return false;
    bench::write_all(to, {buffer.data(), static_cast<std::size_t>(count)});
    return true;
}

void become(char** command, int const (&in)[2], int const (&out)[2]) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    for (int const fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
    ::execv(command[0], command);
    bench::give_up(command[0]);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 64;
    int in[2], out[2];
    if (::pipe(in) != 0 || ::pipe(out) != 0) bench::give_up("pipe");
    auto const child = ::fork();
    if (child < 0) bench::give_up("fork");
    if (child == 0) become(argv + 1, in, out);
    ::close(in[0]), ::close(out[1]);
    std::vector<char> buffer(std::size_t{256} << 10U);
    pollfd ends[2] = {{STDIN_FILENO, POLLIN, 0}, {out[0], POLLIN, 0}};
    for (;;) {
        if (::poll(ends, 2, -1) < 0 && errno != EINTR) bench::give_up("poll");
        if (ends[0].revents != 0 && !move(STDIN_FILENO, in[1], buffer)) {
            ::close(in[1]);
            ends[0].fd = -1;
        }
        if (ends[1].revents != 0 && !move(out[0], STDOUT_FILENO, buffer)) return 0;
    }
}
