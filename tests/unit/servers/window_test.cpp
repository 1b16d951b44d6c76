#include "servers/window.hpp"

#include "unit/wire/far_end.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <catch2/catch_test_macros.hpp>

using pfar::servers::Window;
using namespace std::chrono_literals;

namespace {

struct Doors {
    boost::asio::io_context context;
    std::shared_ptr<Window> window;
    std::vector<std::pair<std::string, std::unique_ptr<Window::Place>>> in;

    explicit Doors(Window::Limits const& limits) : window(Window::make(context.get_executor(), limits)) {}

    void come(std::string const& session, int times = 1) {
        for (int i = 0; i < times; ++i) boost::asio::co_spawn(context, enter(session), boost::asio::detached);
        run();
    }
    void run() {
        context.restart();
        context.poll();
    }
    /// The oldest that is in goes.
    void go(std::size_t bytes = 0) {
        in.front().second->weigh(bytes);
        in.erase(in.begin());
        run();
    }
    std::string who() const {
        std::string out;
        for (auto const& one : in) out += one.first;
        return out;
    }

private:
    boost::asio::awaitable<void> enter(std::string session) {
        auto place = window->enter_now(session);
        if (!place) {
            auto later = co_await window->enter(session);
            place.emplace(std::move(later));
        }
        in.emplace_back(session, std::make_unique<Window::Place>(std::move(*place)));
    }
};

Window::Limits small() {
    Window::Limits limits;
    limits.most = 2, limits.alone = 8, limits.young = 10s;
    return limits;
}

} // namespace

TEST_CASE("one session alone has all the room") {
    Doors doors(small());
    doors.come("a", 20);
    CHECK(doors.in.size() == 8);
    doors.go();
    CHECK(doors.in.size() == 8);
}

TEST_CASE("who comes seldom goes before those who flood") {
    Doors doors(small());
    doors.come("a", 6), doors.come("b", 6);
    while (doors.in.size() > 2) doors.go();
    for (int i = 0; i < 4; ++i) doors.go();
    doors.come("c");
    doors.go(), doors.go();
    CHECK(doors.who().find('c') != std::string::npos); // before the others' rest
}

TEST_CASE("those who flood take turns") {
    Doors doors(small());
    doors.come("a"), doors.come("b");
    doors.come("a", 4), doors.come("b", 4);
    int ahead = 0, all = 0;
    for (; !doors.in.empty(); doors.go(), ++all) {
        ahead += doors.in.front().first == "a" ? 1 : -1;
        CHECK(std::abs(ahead) <= 1);
    }
    CHECK(all == 10);
}

TEST_CASE("who gets much at a time goes one by one, and keeps nobody else out") {
    Doors doors(small());
    doors.come("a"), doors.come("b");
    doors.go(1 << 20), doors.go();
    doors.come("a", 3);
    CHECK(doors.who() == "a");
    doors.come("b", 2);
    CHECK(doors.who() == "abb");
    doors.go(10); // the next of them are light again
    CHECK(doors.who() == "bba");
}

TEST_CASE("what is slow keeps nobody out for long") {
    auto limits = small();
    limits.young = 20ms;
    Doors doors(limits);
    doors.come("a"), doors.come("b"), doors.come("c", 2);
    CHECK(doors.who() == "ab");
    SECTION("if nothing comes back") {
        CHECK(test::turn_until(doors.context, [&] { return doors.in.size() == 4; }));
    }
    SECTION("if others come back, but it has been overtaken") {
        std::swap(doors.in[0], doors.in[1]);
        doors.go();
        CHECK(doors.who() == "ac"); // the place of b
        CHECK(test::turn_until(doors.context, [&] { return doors.in.size() == 3; }));
    }
}

TEST_CASE("who is forgotten leaves nothing, and places may outlive the window") {
    Doors doors(small());
    doors.come("a"), doors.come("b", 3);
    doors.window->forget("a"), doors.window->forget("b"), doors.window->forget("nobody");
    while (doors.in.size() > 1) doors.go();
    doors.window.reset();
    doors.go();
    CHECK(doors.in.empty());
}
