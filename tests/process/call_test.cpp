// pfar call: what it asks the host, what it shows meanwhile, and what it makes of the answer.
#include "process/agent_world.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace test;
using pfar::control::Request;
using Answer = AgentHost::Answer;

namespace {

constexpr auto tools =
    R"([{"name":"s.write","server":"s","semantics":"write","approve":"write","pinned":true,"label":"internal",
    "description":"","input_schema":{"type":"object","properties":{"path":{"type":"string"},"count":{"type":"integer"}},"additionalProperties":false}}])";
constexpr auto fine = R"({"outcome":"ok","result":{"content":[{"type":"text","text":"done \u001b[31m"}],"x":1.50}})";

/// A call that needs a yes: it is asked for, and what came back decides.
struct Queue {
    std::shared_ptr<pfar::control::Caller> caller;
    std::shared_ptr<boost::asio::steady_timer> timer;
    std::string decision; // "approve {...}"
    std::string row =
        R"({"id":"a1b2c3","session":"s7","server":"s","tool":"write","arguments":{"path":"/x\u001b","n":12345678901234567890123},
        "why":"it writes","expires_in":45})";
};

Answer call(std::shared_ptr<Queue> queue, Request request) {
    auto const executor = co_await boost::asio::this_coro::executor;
    queue->caller = request.caller;
    queue->timer = std::make_shared<boost::asio::steady_timer>(executor, std::chrono::hours(1));
    (void)request.caller->tell("progress", R"({"progress":1,"total":3,"message":"half\u001b way"})");
    (void)request.caller->tell("approval", queue->row);
    try {
        co_await queue->timer->async_wait(boost::asio::use_awaitable);
    } catch (boost::system::system_error const&) {} // cancelled
    if (queue->decision.starts_with("approve")) co_return std::string(fine);
    co_return std::string(
        R"({"outcome":"refused","result":{"isError":true,"content":[{"type":"text","text":"the owner said no"}]}})");
}

Answer decide(std::shared_ptr<Queue> queue, Request request) {
    queue->decision = request.method + " " + request.params;
    queue->timer->cancel();
    co_return queue->row;
}

struct Scene {
    explicit Scene(bool without_terminal = false)
        : host(Said{{"tools", tools},
                    {"policy", without_terminal ? R"({"approve_without_terminal":true})"
                                                : R"({"approve_without_terminal":false})"}},
               {{"call", [q = queue](Request request) { return call(q, std::move(request)); }},
                {"approve", [q = queue](Request request) { return decide(q, std::move(request)); }},
                {"deny", [q = queue](Request request) { return decide(q, std::move(request)); }}}) {
        std::replace(queue->row.begin(), queue->row.end(), '\n', ' ');
    }
    Scene(Scene const&) = delete;
    Scene& operator=(Scene const&) = delete;
    ~Scene() {
        host.world().on_thread([&] { queue->caller.reset(), queue->timer.reset(); }); // they keep each other
    }
    std::shared_ptr<Queue> queue = std::make_shared<Queue>();
    AgentHost host;
};

} // namespace

TEST_CASE("a call's texts are printed as they are, and --json is the result byte for byte") {
    AgentHost host(Said{{"tools", tools}, {"call", fine}});
    auto const plain = host.pfar({"call", "s.write", "path=/x", "count=12345678901234567890123"});
    CHECK(plain.status == 0);
    CHECK(plain.out == "done \x1b[31m\n"); // it is no terminal
    CHECK(plain.err.empty());
    CHECK(
        host.asked().back() ==
        R"(call {"server":"s","tool":"write","arguments":{"path":"/x","count":12345678901234567890123},"ask":"queue"})");
    CHECK(host.pfar({"call", "s__write", "--json"}).out ==
          "{\"content\":[{\"type\":\"text\",\"text\":\"done \\u001b[31m\"}],\"x\":1.50}\n");
    CHECK(host.pfar({"call", "s", "write", "--args", "-", "count=2"}, "{\n \"path\": \"a\"\n}\n").status == 0);
    CHECK(has(host.asked().back(), R"("arguments":{"path":"a","count":2})"));
}

TEST_CASE("what came of a call is its exit code") {
    auto const outcome = [](std::string const& answer) {
        AgentHost const host(Said{{"tools", tools}, {"call", answer}});
        return host.pfar({"call", "s.write"});
    };
    auto const failed =
        outcome(R"({"outcome":"error","result":{"isError":true,"content":[{"type":"text","text":"no such file"}]}})");
    CHECK(failed.status == 1);
    CHECK(failed.out.empty());
    CHECK(failed.err == "no such file\n");
    auto const refused = outcome(
        R"({"outcome":"refused","result":{"isError":true,"content":[{"type":"text","text":"waits for the owner: pfar approve a1"}]}})");
    CHECK(refused.status == 77);
    CHECK(refused.err == "pfar: waits for the owner: pfar approve a1\n");
}

TEST_CASE("what makes no sense is told before anything is called") {
    AgentHost host(Said{{"tools", tools}, {"call", fine}});
    CHECK(host.pfar({"call"}).status == 64);
    CHECK(has(host.pfar({"call", "s"}).err, "call needs a tool, such as notion.search"));
    auto const typo = host.pfar({"call", "s.wrte"});
    CHECK(typo.status == 69);
    CHECK(has(typo.err, "s has no tool \"wrte\" (did you mean write?)"));
    for (std::vector<std::string> const& words : std::vector<std::vector<std::string>>{
             {"count=x"}, {"pth=x"}, {"path"}, {"--args", "[]"}, {"--args", "-"}, {"path=a", "path=b"}}) {
        auto all = words;
        all.insert(all.begin(), {"call", "s.write"});
        CHECK(host.pfar(all).status == 64);
    }
    for (auto const& asked : host.asked()) CHECK_FALSE(asked.starts_with("call"));
}

TEST_CASE("on a terminal the person is asked, and shown how far it is") {
    struct Case {
        std::string typed, decision;
        int code;
    };
    for (auto const& [typed, decision, code] :
         {Case{"y\n", R"(approve {"id":"a1b2c3","for":"once"})", 0},
          Case{"s\n", R"(approve {"id":"a1b2c3","for":"session"})", 0}, Case{"\n", R"(deny {"id":"a1b2c3"})", 77},
          Case{"maybe\n", R"(deny {"id":"a1b2c3"})", 77}, Case{"\x04", R"(deny {"id":"a1b2c3"})", 77}}) {
        Scene scene;
        auto const [screen, terminal] = terminal_pair();
        write_to(screen, "y\n"); // before the question: no answer
        AgentChild child(scene.host.home(), {"call", "s.write", "path=/x"},
                         {terminal.number(), terminal.number(), terminal.number(), terminal.number()});
        auto const shown = read_until(screen, "[N]o: ");
        CHECK(has(shown, "s.write: 1/3 half\\u001b way"));
        CHECK(has(shown, "s.write wants to run (session s7)\r\nwhy: it writes\r\n"));
        CHECK(has(shown, "\"path\": \"/x\\u001b\""));
        CHECK(has(shown, "12345678901234567890123"));
        write_to(screen, typed);
        auto const told = read_until(screen, code == 0 ? "[31m" : "said no");
        CHECK(has(told, code == 0 ? "done \\u001b[31m" : "pfar: the owner said no")); // it is a terminal
        CHECK(child.end() == code);
        CHECK(scene.queue->decision == decision);
    }
}

TEST_CASE("a question that was settled elsewhere goes away by itself") {
    Scene scene;
    auto const [screen, terminal] = terminal_pair();
    AgentChild child(scene.host.home(), {"call", "s.write"},
                     {terminal.number(), terminal.number(), terminal.number(), terminal.number()});
    CHECK(has(read_until(screen, "[N]o: "), "[N]o: "));
    scene.host.world().on_thread([&] { scene.queue->timer->cancel(); });
    CHECK(has(read_until(screen, "said no"), "(settled without you)"));
    CHECK(child.end() == 77);
}

TEST_CASE("Ctrl-C in the middle ends the call") {
    Scene scene;
    auto const [screen, terminal] = terminal_pair();
    AgentChild child(scene.host.home(), {"call", "s.write"},
                     {terminal.number(), terminal.number(), terminal.number(), terminal.number()});
    read_until(screen, "[N]o: ");
    std::promise<void> gone;
    scene.host.world().on_thread([&] { scene.queue->caller->when_gone([&] { gone.set_value(); }); });
    write_to(screen, "\x03");
    CHECK(child.end() == 128 + SIGINT);
    CHECK(gone.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready);
    scene.host.world().on_thread([&] { scene.queue->timer->cancel(); });
}

TEST_CASE("--yes asks on the controlling terminal, whatever stdin and stdout are") {
    Scene scene;
    auto const [screen, terminal] = terminal_pair();
    auto const out = pipe_pair();
    AgentChild child(scene.host.home(), {"call", "s.write", "--yes"}, {-1, out.second.number(), -1, terminal.number()});
    CHECK(has(read_until(screen, "[N]o: "), "s.write wants to run"));
    write_to(screen, "y\n");
    CHECK(child.end() == 0);
    CHECK(has(read_until(out.first, "\n"), "done"));
    CHECK(child.err().empty());
}

TEST_CASE("--yes without a terminal is refused, unless the policy has it otherwise") {
    Scene scene;
    auto const refused = scene.host.pfar({"call", "s.write", "--yes"});
    CHECK(refused.status == 77);
    CHECK(has(refused.err, "policy.approve_without_terminal = true"));
    CHECK(scene.queue->caller == nullptr); // nothing was called
    Scene open(true);
    CHECK(open.host.pfar({"call", "s.write", "--yes"}).status == 0);
    CHECK(open.queue->decision == R"(approve {"id":"a1b2c3","for":"once"})");
}
