// Server: MCP over two descriptors, and the transfers that are under way. One thread: libcurl moves its bytes between two looks at the input, so that
// a slow peer keeps no other call, no cancellation and no end waiting.
#pragma once

#include "fetch/transfer.hpp"
#include "wire/message.hpp"

#include <deque>
#include <list>
#include <memory>

namespace pfar::fetch {

class Server {
public:
    /// The descriptors stay the caller's.
    Server(Settings settings, int in, int out);
    Server(Server const&) = delete;
    Server& operator=(Server const&) = delete;
    ~Server();

    /// Until the input ends or nobody reads the output. What is under way then is given up. [may block]
    void run();

private:
    struct Running {
        Running(std::string name, Wanted wanted, Settings const& settings)
            : id(std::move(name)), transfer(std::move(wanted), settings) {}
        std::string id; // as it was written
        Transfer transfer;
        bool begun = false;
    };
    void wait();
    bool read_input();
    void take_lines();
    void take_line(std::string_view line);
    void take(wire::Message const& message);
    void call(wire::Message const& message);
    void cancel(std::string_view params);
    void begin_some();
    void begin(std::list<Running>::iterator running);
    void finish_some();
    void finish(std::list<Running>::iterator running, CURLcode code);
    void end(std::list<Running>::iterator running);
    void say(std::string_view line);

    Settings settings_;
    int in_, out_;
    std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi_;
    std::list<Running> running_; // in their order; those that have not begun wait for their turn
    std::string unread_;
    bool skipping_ = false, over_ = false;
};

} // namespace pfar::fetch
