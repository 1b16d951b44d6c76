// The parts of ServerRooms, for the two files that it is written in: server_rooms.cpp builds and stops them, server_methods.cpp answers.
#pragma once

#include "house/gateway_room.hpp"
#include "house/process_maker.hpp"
#include "house/roster.hpp"
#include "house/server_rooms.hpp"
#include "house/vault_bell.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/json/array.hpp>

namespace pfar::house {

using control::Request;
using Answer = boost::asio::awaitable<Result<std::string>>;

struct ServerRooms::Rooms {
    Rooms(boost::asio::io_context& context, House& opened)
        : executor(context.get_executor()), house(opened), record(opened), maker(executor, opened, record, worker),
          bell_events(executor) {}

    void open();
    void hear_bell();
    boost::asio::awaitable<void> look_at_vault();
    void hear(servers::Server const& server, servers::Happening const& happening);
    Result<std::shared_ptr<servers::Server>> named(Request const& request) const;
    [[nodiscard]] boost::json::array list(std::filesystem::path const& directory) const;

    Answer answer_list(Request request);
    Answer answer_status(Request request);
    Answer answer_tools(Request request);
    Answer answer_logs(Request request);
    Answer answer_restart(Request request);
    Answer answer_enable(Request request);
    Answer answer_disable(Request request);
    Answer answer_settle_record();

    boost::asio::any_io_executor executor;
    House& house;
    Record record;
    Worker worker;
    ProcessMaker maker;
    std::shared_ptr<servers::Common const> common;
    std::unique_ptr<Roster> roster;
    std::unique_ptr<GatewayRoom> gateway; // goes first
    std::optional<VaultBell> bell;
    boost::asio::posix::stream_descriptor bell_events;
    bool stopping = false;
};

} // namespace pfar::house
