#include "servers/pool.hpp"

#include "unit/servers/fake_process.hpp"

using namespace pfar;
using namespace pfar::servers;

namespace {

struct Stage {
    boost::asio::io_context context;
    std::vector<std::shared_ptr<test::FakeLife>> lives;
    std::shared_ptr<Pool> pool = std::make_shared<Pool>(context.get_executor(), 3);

    Stage() = default;
    Stage(Stage const&) = delete;
    Stage& operator=(Stage const&) = delete;
    ~Stage() {
        pool.reset();
        test::turn(context);
    }
    /// Without a session: the pool does not look at it.
    std::shared_ptr<Instance> make() {
        lives.push_back(std::make_shared<test::FakeLife>(context));
        return std::make_shared<Instance>(context.get_executor(), std::make_unique<test::FakeProcess>(lives.back()));
    }
    std::shared_ptr<Instance> put(std::string const& key, std::string const& server) {
        auto const instance = make();
        pool->put(key, server, instance);
        return instance;
    }
    /// One with a session that hears of its end.
    std::shared_ptr<Instance> begun() {
        test::FakeStarts starts{context};
        Session::Heard heard;
        heard.trouble = [](std::string const&) {};
        Instance::Task task{"fake",          {}, {}, std::move(heard), [] { return std::vector<std::string>(); },
                            [](Instance&) {}};
        auto const done =
            test::begin(context, Instance::begin(context.get_executor(), starts.start(), std::move(task)));
        REQUIRE(test::turn_until(context, [&] { return done->has_value(); }));
        lives.push_back(starts.lives.back());
        return **done ? ***done : nullptr;
    }
    bool retired(std::size_t number) {
        return test::turn_until(context, [&] { return lives.at(number)->killed || lives.at(number)->dropped; });
    }
};

} // namespace

TEST_CASE("a process is taken only under the key it was put under, once") {
    Stage stage;
    auto const a = stage.put("a", "one"), b = stage.put("b", "one");
    CHECK(stage.pool->count("a") == 1);
    CHECK(stage.pool->take("") == nullptr);
    CHECK(stage.pool->take("a b") == nullptr);
    CHECK(stage.pool->take("b") == b);
    CHECK(stage.pool->take("b") == nullptr);
    CHECK(stage.pool->take("a") == a);
    CHECK(stage.pool->take("a") == nullptr);
}

TEST_CASE("of one key the oldest is taken first") {
    Stage stage;
    auto const first = stage.put("a", "one"), second = stage.put("a", "one");
    CHECK(stage.pool->take("a") == first);
    CHECK(stage.pool->take("a") == second);
}

TEST_CASE("where there are too many, the one that has waited longest is ended, whosever it is") {
    Stage stage;
    stage.put("a", "one");
    for (auto const* const key : {"b", "c", "d"}) stage.put(key, "two");
    CHECK(stage.pool->count("a") == 0);
    CHECK(stage.pool->of_server("one") == 0);
    CHECK(stage.pool->of_server("two") == 3);
    CHECK(stage.retired(0));
    CHECK_FALSE(stage.lives[1]->killed);
}

TEST_CASE("a smaller pool ends at once what no longer fits, and one of none keeps nothing") {
    Stage stage;
    for (auto const* const key : {"a", "b", "c"}) stage.put(key, "one");
    stage.pool->use(1);
    CHECK(stage.pool->of_server("one") == 1);
    CHECK(stage.pool->count("c") == 1);
    CHECK(stage.retired(0));
    CHECK(stage.retired(1));
    stage.pool->use(0);
    stage.put("d", "one");
    CHECK(stage.pool->of_server("one") == 0);
    CHECK(stage.retired(3));
}

TEST_CASE("draining a server ends its processes and nobody else's; draining without a name ends all") {
    Stage stage;
    stage.put("a", "one"), stage.put("b", "two"), stage.put("c", "one");
    stage.pool->drain("one");
    CHECK(stage.pool->of_server("one") == 0);
    CHECK(stage.pool->of_server("two") == 1);
    CHECK(stage.retired(0));
    CHECK(stage.retired(2));
    CHECK_FALSE(stage.lives[1]->killed);
    stage.pool->drain("nobody");
    CHECK(stage.pool->of_server("two") == 1);
    stage.pool->drain("");
    CHECK(stage.pool->of_server("two") == 0);
    CHECK(stage.retired(1));
}

TEST_CASE("one that died while it waited is not given out, not counted, and takes no place from the living") {
    Stage stage;
    auto const dead = stage.begun();
    REQUIRE(dead);
    stage.pool->put("a", "one", dead);
    auto const alive = stage.put("a", "one");
    stage.lives[0]->end("exit code 1");
    REQUIRE(test::turn_until(stage.context, [&] { return dead->has_ended(); }));
    CHECK(stage.pool->count("a") == 1);
    CHECK(stage.pool->of_server("one") == 1);
    stage.put("b", "one"), stage.put("c", "one");
    CHECK(stage.pool->take("a") == alive);
    CHECK(stage.pool->take("a") == nullptr);
    CHECK(stage.pool->count("b") == 1);
}

TEST_CASE("putting one that has ended already keeps nothing") {
    Stage stage;
    auto const dead = stage.begun();
    stage.lives[0]->end("exit code 1");
    REQUIRE(test::turn_until(stage.context, [&] { return dead->has_ended(); }));
    stage.pool->put("a", "one", dead);
    CHECK(stage.pool->take("a") == nullptr);
}
