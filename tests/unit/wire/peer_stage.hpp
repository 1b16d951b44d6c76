// A Peer whose far end a test holds, and everything it heard.
#pragma once

#include "unit/wire/far_end.hpp"
#include "wire/peer.hpp"

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>
#include <vector>

namespace test {

struct PeerStage {
    using Clean = std::function<std::optional<std::string>(std::string_view)>;

    boost::asio::io_context context;
    FarEnd far;
    std::unique_ptr<pfar::wire::Peer> peer;
    std::vector<std::string> replies, requests, notifications, troubles;
    int ended = 0;
    std::function<void(pfar::wire::Message const&)> on_request; // besides keeping it

    explicit PeerStage(pfar::wire::PeerLimits const& limits = {}, Clean clean = {}, Over over = Over::pipes)
        : peer(std::make_unique<pfar::wire::Peer>(context.get_executor(), far.open(over), limits)) {
        pfar::wire::Peer::Heard heard;
        heard.request = [this](pfar::wire::Message const& message) {
            if (on_request) return on_request(message);
            requests.push_back(std::string(message.id) + " " + std::string(message.method) + " " +
                               std::string(message.payload));
        };
        heard.notification = [this](pfar::wire::Message const& message) { notifications.emplace_back(message.method); };
        heard.trouble = [this](std::string const& what) { troubles.push_back(what); };
        heard.ended = [this] { ++ended; };
        heard.clean = std::move(clean);
        peer->start(std::move(heard));
    }
    PeerStage(PeerStage const&) = delete;
    PeerStage& operator=(PeerStage const&) = delete;
    ~PeerStage() {
        peer.reset();
        turn(context);
    }

    pfar::Result<std::uint64_t> ask(std::string const& method, std::string const& params) {
        return peer->ask(method, params, [this, method](pfar::wire::Reply const& reply) {
            static constexpr char const* kinds[] = {"result ", "error ", "lost "};
            replies.push_back(method + ": " + kinds[static_cast<int>(reply.kind)] + std::string(reply.payload) +
                              reply.lost.what);
        });
    }
    void say(std::string const& line) {
        std::string const whole = line + "\n";
        std::string_view rest = whole;
        REQUIRE(until([&] {
            rest.remove_prefix(far.write_some(rest));
            return rest.empty();
        }));
    }
    std::string sent() {
        turn(context);
        return far.read_some();
    }
    bool until(std::function<bool()> const& holds) { return turn_until(context, holds); }
};

} // namespace test
