// ServerRooms: the servers of a running host: which there are, their processes, and what the control socket may ask of them.
#pragma once

#include "control/methods.hpp"
#include "house/house.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>

namespace pfar::house {

class ServerRooms {
public:
    /// Begins to start whatever has autostart. [main thread, as all of it]
    static Result<std::unique_ptr<ServerRooms>> open(boost::asio::io_context& context, House& house);
    ServerRooms(ServerRooms const&) = delete;
    ServerRooms& operator=(ServerRooms const&) = delete;
    ~ServerRooms();

    /// list, status, tools, logs, restart, enable, disable, and those of the gateway.
    void add_methods(control::Methods& methods);
    /// Where a caller stands: if that is in a project, its trusted servers are started too.
    void open_directory(std::filesystem::path const& directory);
    /// Settings and files are read again.
    void reload();
    /// Something is in flight: no time to leave.
    [[nodiscard]] bool busy() const;
    [[nodiscard]] std::size_t sessions() const;
    /// Why the record cannot be written at the moment.
    [[nodiscard]] Result<void> record_health() const;
    /// As `pfar list --json` has it.
    [[nodiscard]] std::string list_json() const;
    /// Top-down; afterwards nothing of it runs.
    boost::asio::awaitable<void> stop();

private:
    struct Rooms;
    explicit ServerRooms(std::unique_ptr<Rooms> rooms);

    std::unique_ptr<Rooms> rooms_;
};

} // namespace pfar::house
