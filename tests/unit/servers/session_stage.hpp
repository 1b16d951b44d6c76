// A Session whose far end a test holds, and everything that was heard.
#pragma once

#include "servers/session.hpp"
#include "unit/wire/far_end.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

namespace test {

template <class T> using Later = std::shared_ptr<std::optional<T>>;

template <class T> boost::asio::awaitable<void> put_into(boost::asio::awaitable<T> work, Later<T> place) {
    auto got = co_await std::move(work);
    place->emplace(std::move(got));
}

/// What comes of it, once the context has turned far enough.
template <class T> Later<T> begin(boost::asio::io_context& context, boost::asio::awaitable<T> work) {
    auto const place = std::make_shared<std::optional<T>>();
    boost::asio::co_spawn(context, put_into(std::move(work), place), [](std::exception_ptr const& thrown) {
        if (thrown) std::rethrow_exception(thrown);
    });
    return place;
}

inline constexpr auto all_capabilities = R"({"tools":{},"resources":{},"prompts":{}})";

inline std::string greeting(std::string_view protocol, std::string_view capabilities = all_capabilities) {
    return fmt::format(R"({{"protocolVersion":"{}","capabilities":{},"serverInfo":{{"name":"far","version":"1"}}}})",
                       protocol, capabilities);
}

struct SessionStage {
    boost::asio::io_context context;
    FarEnd far;
    std::shared_ptr<pfar::servers::Session> session;
    Later<pfar::Result<void>> initialized;
    std::vector<std::string> changed, notifications, requests, troubles;
    bool answers_requests = false;
    int ended = 0;

    explicit SessionStage(pfar::servers::SessionTask task = {})
        : session(pfar::servers::Session::make(context.get_executor(), far.open(Over::pipes), std::move(task))) {}
    SessionStage(SessionStage const&) = delete;
    SessionStage& operator=(SessionStage const&) = delete;
    ~SessionStage() {
        if (session) session->close({pfar::Errc::unavailable, "the test is over"});
        session.reset();
        turn(context);
    }

    pfar::servers::Session::Heard heard() {
        pfar::servers::Session::Heard out;
        out.list_changed = [this](std::string_view kind) { changed.emplace_back(kind); };
        out.notification = [this](pfar::wire::Message const& message) {
            notifications.push_back(std::string(message.method) + " " + std::string(message.payload));
        };
        out.request = [this](pfar::wire::Message const& message) {
            requests.push_back(std::string(message.id) + " " + std::string(message.method));
            return answers_requests ? std::string()
                                    : fmt::format("the client in flight, test, has no {}",
                                                  message.method.substr(0, message.method.find('/')));
        };
        out.trouble = [this](std::string const& what) { troubles.push_back(what); };
        out.ended = [this] { ++ended; };
        return out;
    }
    bool until(std::function<bool()> const& holds) { return turn_until(context, holds); }

    /// The next line that the session sent, as JSON; null if none comes.
    boost::json::value next() {
        auto const whole = [&] {
            unread_ += far.read_some();
            return unread_.find('\n') != std::string::npos;
        };
        REQUIRE(until(whole));
        auto const line = unread_.substr(0, unread_.find('\n'));
        unread_.erase(0, line.size() + 1);
        return boost::json::parse(line);
    }
    /// All that it sent by now.
    std::string rest() {
        turn(context);
        return std::exchange(unread_, "") + far.read_some();
    }
    void say(std::string const& line) {
        std::string const whole = line + "\n";
        std::string_view left = whole;
        REQUIRE(until([&] {
            left.remove_prefix(far.write_some(left));
            return left.empty();
        }));
    }
    void answer(boost::json::value const& request, std::string_view result) {
        say(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", boost::json::serialize(request.at("id")),
                        result));
    }
    void refuse(boost::json::value const& request, std::string_view error) {
        say(fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{}}})", boost::json::serialize(request.at("id")), error));
    }

    /// Answered with this, until initialize has come to its end.
    pfar::Result<void> greet(std::string_view result) {
        initialized = begin(context, session->initialize(heard()));
        answer(next(), result);
        REQUIRE(until([&] { return initialized->has_value(); }));
        return **initialized;
    }
    /// Up and running.
    void open() {
        REQUIRE(greet(greeting("2025-11-25")));
        REQUIRE(next().at("method") == "notifications/initialized");
    }
    Later<pfar::Result<pfar::servers::Answer>> ask(pfar::servers::Session::Question question) {
        return begin(context, session->ask(std::move(question)));
    }

private:
    std::string unread_;
};

} // namespace test
