// pfar serve by its settings, from the command line and the environment, and over HTTP.
#include "process/agent_world.hpp"
#include "process/host_home.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace test;

namespace {

std::promise<void> heard;

AgentHost::Answer never(pfar::control::Request request) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, std::chrono::hours(1));
    request.caller->when_gone([&timer] { timer.cancel(); });
    heard.set_value();
    try {
        co_await timer.async_wait(boost::asio::use_awaitable);
    } catch (boost::system::system_error const&) {} // cancelled
    co_return std::string("{}");
}

} // namespace

TEST_CASE("a host that does not answer does not keep a signal waiting") {
    AgentHost host({}, {{"serve_http", never}});
    AgentChild child(host.home(), {"serve", "--http", "h:1"}, {});
    REQUIRE(heard.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready);
    ::kill(child.pid(), SIGINT);
    CHECK(child.end() == 130);
    CHECK(child.err().empty());
}

TEST_CASE("over HTTP it says where, and stays") {
    AgentHost host(Said{{"serve_http", R"({"url":"http://127.0.0.1:8900/mcp","page":"http://127.0.0.1:8900/",
        "token_file":"/home/a/.pfar/run/o'http.token","owner_token_file":"/home/a/.pfar/run/owner.token"})"}});
    auto const out = pipe_pair();
    AgentChild child(host.home(),
                     {"serve", "--json", "--http", "127.0.0.1:8900", "--tls-cert", "c.pem", "--tls-key", "/k.pem",
                      "--origin", "https://a.example", "--origin", "http://b:8"},
                     {-1, out.second.number(), -1, -1, {{"PFAR_HOST_NAMES", "x.example, y.example"}}});
    auto const served = host.served();
    CHECK(served.params ==
          fmt::format(R"({{"listen":"127.0.0.1:8900","auth":true,"origins":["https://a.example","http://b:8"],)"
                      R"("hosts":["x.example","y.example"],"certificate":"{}/c.pem","key":"/k.pem"}})",
                      std::filesystem::current_path().native()));
    CHECK(has(read_until(out.first, "}\n"), R"({"url":"http://127.0.0.1:8900/mcp","page")"));
    CHECK(is_gone_within(child.pid(), 100) == false);
    ::kill(child.pid(), SIGINT);
    CHECK(child.end() == 130);
    CHECK(child.err() ==
          R"-(MCP for agents   http://127.0.0.1:8900/mcp (all servers), http://127.0.0.1:8900/mcp/NAME (one)
  their header   "Authorization: Bearer $(cat '/home/a/.pfar/run/o'\''http.token')"
owner's page     http://127.0.0.1:8900/
  its token      $(cat '/home/a/.pfar/run/owner.token')
Ctrl-C ends it
)-");
}

TEST_CASE("what serve is told makes sense, or is refused by name") {
    AgentHost const host;
    struct Case {
        std::vector<std::string> words;
        std::map<std::string, std::string> environment;
        std::string complaint;
    };
    std::vector<Case> const cases{
        {{"--http", "8900"}, {}, "--http is HOST:PORT, such as 127.0.0.1:8900, not \"8900\""},
        {{"--http", "x:99999"}, {}, "--http is HOST:PORT"},
        {{"--http", "::1:80"}, {}, "--http is HOST:PORT"},
        {{"--http", ""}, {}, "--http is HOST:PORT"},
        {{}, {{"PFAR_HTTP", "nonsense"}}, "PFAR_HTTP is HOST:PORT"},
        {{"--server", ""}, {}, "--server is a server's name, not \"\""},
        {{}, {{"PFAR_SERVER", "No Server"}}, "PFAR_SERVER is a server's name"},
        {{"--http", "h:1", "--server", "x"}, {}, "/mcp/NAME; leave out --server"},
        {{}, {{"PFAR_HTTP", "h:1"}, {"PFAR_SERVER", "x"}}, "/mcp/NAME; leave out --server and PFAR_SERVER"},
        {{"--no-auth"}, {}, "--no-auth goes with --http"},
        {{"--json"}, {}, "--json goes with --http"},
        {{"--http", "h:1"}, {{"PFAR_NO_AUTH", "yes"}}, "PFAR_NO_AUTH is 0 or 1, not \"yes\""},
        {{"--http", "h:1", "--tls-cert", "a"}, {}, "--tls-cert needs --tls-key too"},
        {{"--http", "h:1"}, {{"PFAR_TLS_KEY", "a"}}, "PFAR_TLS_KEY needs --tls-cert too"},
        {{"--http", "h:1", "--origin", "example.com"}, {}, "--origin is an origin such as https://example.com"},
        {{"--http", "h:1"},
         {{"PFAR_ORIGINS", "https://a,b"}},
         "PFAR_ORIGINS is an origin such as https://example.com, not \"b\""},
        {{"--http", "h:1", "--host-name", "a/b"}, {}, "--host-name is a host name"},
        {{"extra"}, {}, "serve does not take \"extra\""},
    };
    for (auto const& [words, environment, complaint] : cases) {
        auto all = words;
        all.insert(all.begin(), "serve");
        auto const refused = host.pfar(all, "", environment);
        CHECK(refused.status == 64);
        CHECK(refused.out.empty());
        CHECK(has(refused.err, complaint));
    }
}

TEST_CASE("the command line wins over the environment") {
    AgentHost host(Said{{"serve_http", R"({"url":"u","page":"p"})"}});
    auto const out = pipe_pair();
    {
        AgentChild const child(
            host.home(), {"serve", "--http", "[::1]:0", "--no-auth", "--origin", "https://b"},
            {-1,
             out.second.number(),
             -1,
             -1,
             {{"PFAR_SERVER", "x"}, {"PFAR_HTTP", "nonsense"}, {"PFAR_NO_AUTH", "0"}, {"PFAR_ORIGINS", "https://a"}}});
        CHECK(host.served().params == R"({"listen":"[::1]:0","auth":false,"origins":["https://b"],"hosts":[]})");
    }
    AgentChild const child(host.home(), {"serve", "--server", "a"},
                           {-1, out.second.number(), -1, -1, {{"PFAR_SERVER", "x"}, {"PFAR_HTTP", "h:1"}}});
    CHECK(host.served().params == R"({"server":"a"})");
}
