// ServerProcess: a confined server process on the host's loop: its notes, its stderr, its memory, its way out, its end.
#pragma once

#include "house/confine.hpp"
#include "house/way_out.hpp"
#include "servers/process.hpp"
#include "servers/server_socket.hpp"

#include <boost/asio/any_io_executor.hpp>

namespace pfar::house {

/// Everything that a started sandbox leaves to be looked after.
struct ProcessParts {
    Started started;
    servers::Wish wish;
    servers::Process::Facts facts;
    std::unique_ptr<WayOut> way_out;
    wire::Ends ends;
    base::Fd errors; // the reading end of its stderr
    std::function<void(std::string_view)> said;
    std::optional<servers::ServerSocket> socket; // in place of `ends`
};

/// The shim has said that the server runs. What is still being ended is counted in `ending`. [main thread]
std::unique_ptr<servers::Process> make_process(boost::asio::any_io_executor const& executor, ProcessParts parts,
                                               std::shared_ptr<std::size_t> ending);

/// Waits until the descriptor can be read, or the time has come: false. [main thread]
boost::asio::awaitable<bool> readable(boost::asio::any_io_executor executor, int descriptor,
                                      std::chrono::steady_clock::time_point late);

/// How a server ended, in words, from what waitpid gives.
servers::Ending ending_of(int status, bool out_of_memory, std::uint64_t memory_limit);

} // namespace pfar::house
