// pfar-shim: the first program inside a sandbox. Reads its orders, confines itself, executes the server.
//
// Static and without the C++ library's heavier parts: it starts in a root that may have no libraries, and its start is part of
// every server's. It trusts the host that wrote its orders and checks all the same.
#include "shim/landlock.hpp"
#include "shim/orders.hpp"

#include <pfar/launch_plan.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace {

[[noreturn]] void give_up(char const* stage, int error) {
    ::dprintf(2, "pfar-shim: %s: %s\n", stage, std::strerror(error));
    ::_exit(pfar::shim_failed);
}

} // namespace

int main() {
    auto* const orders = pfar::shim::read_orders(pfar::orders_fd);
    if (orders == nullptr) give_up("orders", EBADMSG);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up("no_new_privs", errno);
    if (char const* const stage = pfar::shim::confine(*orders)) give_up(stage, errno);
    if (orders->directory != nullptr && ::chdir(orders->directory) != 0) give_up("working directory", errno);
    ::close_range(3, ~0U, 0);
    ::execve(orders->program, orders->arguments, orders->variables);
    give_up("exec", errno);
}
