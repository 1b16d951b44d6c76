// pfar-shim: the first program inside a sandbox. Reads its orders, confines itself, runs the server.
//
// Static and without the C++ library's heavier parts: it starts in a root that may have no libraries, and its start is part of
// every server's. It trusts the host that wrote its orders and checks all the same. This file is the order of the steps.
#include "shim/landlock.hpp"
#include "shim/namespaces.hpp"
#include "shim/network.hpp"
#include "shim/orders.hpp"
#include "shim/privileges.hpp"
#include "shim/report.hpp"
#include "shim/root.hpp"
#include "shim/server.hpp"
#include "shim/socket_memory.hpp"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

using namespace pfar;
using namespace pfar::shim;

int main() {
    Stdio stdio;
    auto* const orders = read_orders(orders_fd, stdio);
    must(orders != nullptr, ShimStage::orders);
    leave_namespaces(*orders);
    bool const stays = (orders->flags & shim_flag_stay) != 0;
    if (stays && ::getpid() == 1) must(::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0, ShimStage::lifeline);
    if (stays) tell(ShimNoteKind::inside, 0, static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
    build_root(*orders);
    if (!stays) {
        ::execve(orders->program, orders->arguments, orders->variables);
        give_up(ShimStage::program, orders->program);
    }
    check_witnesses(*orders);
    open_listeners(*orders);
    enter_second_user_namespace(*orders);
    set_limits(*orders);
    drop_privileges(*orders);
    write_secret_files(*orders);
    confine(*orders, stdio);
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);                             // the server may not look into it
    int const monitor = ::getpid() == 1 ? open_socket_monitor() : -1; // elsewhere it would see the whole machine's
    filter_calls(*orders);
    run_server(*orders, stdio, monitor);
}
