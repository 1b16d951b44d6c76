#include "servers/instance.hpp"

#include "unit/servers/fake_process.hpp"

using namespace pfar;
using namespace pfar::servers;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Where = StartFailure::Where;

namespace {

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

boost::asio::awaitable<bool> stop(std::shared_ptr<Instance> instance, std::string why, bool patiently) {
    co_await instance->stop(std::move(why), patiently);
    co_return true;
}

struct Stage {
    boost::asio::io_context context;
    test::FakeStarts starts{context};
    std::vector<std::string> last_words;
    int made_count = 0;
    std::shared_ptr<Instance> instance;

    Stage() = default;
    Stage(Stage const&) = delete;
    Stage& operator=(Stage const&) = delete;
    ~Stage() {
        instance.reset();
        test::turn(context);
    }
    Instance::Task task() {
        Session::Heard heard;
        heard.list_changed = [](std::string_view) {};
        heard.notification = [](wire::Message const&) {};
        heard.request = [](wire::Message const&) { return std::string("nobody is there"); };
        heard.trouble = [](std::string const&) {};
        config::Timeouts timeouts;
        timeouts.start = 2s;
        auto made = [this](Instance&) { ++made_count; };
        return {"fake", {}, timeouts, std::move(heard), [this] { return last_words; }, std::move(made)};
    }
    Instance::Begun begin() {
        auto const begun = test::begin(context, Instance::begin(context.get_executor(), starts.start(), task()));
        REQUIRE(until([&] { return begun->has_value(); }));
        return **begun;
    }
    void open() {
        auto begun = begin();
        REQUIRE(begun.has_value());
        instance = *begun;
    }
    test::Later<Result<Answer>> ask() { return test::begin(context, instance->session()->ask({"tools/call", "{}"})); }
    bool until(std::function<bool()> const& holds) { return test::turn_until(context, holds); }
    test::FakeLife& life() { return *starts.lives.back(); }
};

} // namespace

TEST_CASE("a start that cannot be made says where it failed") {
    std::pair<Errc, Where> const places[] = {{Errc::not_found, Where::missing},   {Errc::locked, Where::locked},
                                             {Errc::refused, Where::refused},     {Errc::invalid, Where::refused},
                                             {Errc::unsupported, Where::refused}, {Errc::io, Where::spawn}};
    for (auto const& [code, where] : places) {
        Stage stage;
        stage.starts.refuses = fail(code, "why");
        auto const begun = stage.begin();
        REQUIRE_FALSE(begun.has_value());
        CHECK(begun.error().where == where);
        CHECK(begun.error().words == "why");
    }
}

TEST_CASE("one that ends before initialize is a failed handshake, with how it ended, its last words and what it was "
          "kept from") {
    Stage stage;
    stage.last_words = {"no config", "bye"};
    stage.starts.prepare = [](test::FakeLife& life) {
        life.results.clear();
        life.blocked = {{"api.example.com", "not allowed", "pfar allow fake api.example.com", 1}};
        life.far->close({Errc::unavailable, ""});
        life.end("exit code 3");
    };
    auto const begun = stage.begin();
    REQUIRE_FALSE(begun.has_value());
    CHECK(begun.error().where == Where::handshake);
    CHECK(begun.error().words ==
          "exit code 3; it was kept from api.example.com (to allow it: pfar allow fake api.example.com)");
    CHECK(begun.error().last == "; its last words: no config | bye");
    CHECK(stage.made_count == 1);
    CHECK(stage.life().dropped);
}

TEST_CASE("one that does not answer initialize, or answers nonsense, is ended and told of") {
    Stage silent;
    silent.starts.prepare = [](test::FakeLife& life) { life.results.clear(), life.heeds_stdin = false; };
    auto const late = silent.begin();
    REQUIRE_FALSE(late.has_value());
    CHECK(late.error().words.starts_with("it did not answer initialize within "));
    CHECK(late.error().last == "; it said nothing on stderr");
    CHECK(silent.life().killed);
    CHECK(silent.life().signals.empty());
    Stage odd;
    odd.starts.prepare = [](test::FakeLife& life) { life.results["initialize"] = "[]"; };
    auto const begun = odd.begin();
    REQUIRE_FALSE(begun.has_value());
    CHECK(has(begun.error().words, "no object"));
}

TEST_CASE("its end is told once, and those who wait are told how it ended") {
    Stage stage;
    stage.open();
    int ends = 0;
    stage.instance->on_end([&](Instance const& ended) {
        ++ends;
        CHECK(ended.has_ended());
    });
    auto const asked = stage.ask();
    stage.life().end("killed by SIGSEGV");
    REQUIRE(stage.until([&] { return asked->has_value(); }));
    CHECK((*asked)->error().code == Errc::unavailable);
    CHECK((*asked)->error().what == "it ended: killed by SIGSEGV");
    CHECK(ends == 1);
    CHECK(stage.instance->ending()->words == "killed by SIGSEGV");
}

TEST_CASE("what it said before it ended still counts") {
    Stage stage;
    stage.open();
    stage.life().results["tools/call"] = R"({"content":[]})";
    auto const asked = stage.ask();
    stage.life().end("exit code 0"); // told before its answer is read
    REQUIRE(stage.until([&] { return asked->has_value(); }));
    CHECK(**asked);
}

TEST_CASE("one that closes its output has a second to end by itself, then it is killed") {
    Stage stage;
    stage.open();
    stage.life().heeds_stdin = false;
    auto const asked = stage.ask();
    test::turn(stage.context);
    auto const begun = Clock::now();
    stage.life().far->close({Errc::unavailable, ""});
    REQUIRE(stage.until([&] { return asked->has_value(); }));
    CHECK(Clock::now() - begun >= 900ms);
    CHECK(stage.life().killed);
    CHECK((*asked)->error().what == "it ended: it closed its output");
}

TEST_CASE("one that closes its output and then ends is told of by how it ended") {
    Stage stage;
    stage.open();
    auto const asked = stage.ask();
    test::turn(stage.context);
    stage.life().far->close({Errc::unavailable, ""});
    test::turn(stage.context);
    stage.life().end("exit code 7");
    REQUIRE(stage.until([&] { return asked->has_value(); }));
    CHECK((*asked)->error().what == "it ended: exit code 7");
    CHECK_FALSE(stage.life().killed);
}

TEST_CASE("a kill is told by its reason") {
    Stage stage;
    stage.open();
    stage.instance->kill("it was hung");
    REQUIRE(stage.until([&] { return stage.instance->has_ended(); }));
    CHECK(stage.instance->ending()->words == "it was hung");
    stage.instance->kill("again");
    stage.instance->give_up("again");
    CHECK(stage.instance->ending()->words == "it was hung");
}

TEST_CASE("stopping closes stdin, and one that ends by that is neither signalled nor killed") {
    Stage stage;
    stage.open();
    auto const asked = stage.ask();
    auto const stopped = test::begin(stage.context, stop(stage.instance, "it is being stopped", true));
    REQUIRE(stage.until([&] { return stopped->has_value() && asked->has_value(); }));
    CHECK(stage.life().signals.empty());
    CHECK_FALSE(stage.life().killed);
    CHECK_FALSE(**asked);
}

TEST_CASE("one that is stopped without patience and heeds nothing is killed after half a second") {
    Stage stage;
    stage.starts.prepare = [](test::FakeLife& life) { life.heeds_stdin = life.heeds_sigterm = false; };
    stage.open();
    auto const begun = Clock::now();
    auto const stopped = test::begin(stage.context, stop(stage.instance, "over", false));
    REQUIRE(stage.until([&] { return stopped->has_value(); }));
    CHECK(Clock::now() - begun >= 450ms);
    CHECK(stage.life().killed);
    CHECK(stage.life().signals.empty());
}

TEST_CASE("dropping it drops its process, and whoever waits is told") {
    Stage stage;
    stage.open();
    auto const asked = stage.ask();
    test::turn(stage.context);
    stage.instance.reset();
    CHECK(stage.life().dropped);
    REQUIRE(stage.until([&] { return asked->has_value(); }));
    CHECK((*asked)->error().what == "it was ended");
}
