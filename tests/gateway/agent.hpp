// Agent: an MCP client of the test's own that talks to `pfar serve` over pipes, as an agent does.
#pragma once

#include "servers/host_stage.hpp"

#include <deque>

namespace test {

class Agent {
public:
    struct Task {
        json::object capabilities{};
        std::string name = "agent", protocol = "2025-11-25";
        std::vector<std::string> options{}; // of serve
    };
    /// Started and initialized.
    explicit Agent(Stage const& stage) : Agent(stage, Task()) {}
    Agent(Stage const& stage, Task const& task);
    Agent(Agent const&) = delete;
    Agent& operator=(Agent const&) = delete;
    ~Agent(); // killed and reaped

    std::int64_t send(std::string const& method, json::object const& params = {});
    void send_raw(std::string const& line);
    void tell(std::string const& method, json::object const& params = {});
    /// The whole answer; empty if it does not come in time.
    json::object wait(std::int64_t id, unsigned seconds = 30);
    json::object ask(std::string const& method, json::object const& params = {}, unsigned seconds = 30);
    Called call(std::string const& tool, json::object const& arguments = {}, unsigned seconds = 30);
    std::int64_t begin_call(std::string const& tool, json::object const& arguments = {});
    /// The next request of the other side; empty if none comes. Those of `answers_with` are answered by themselves.
    json::object request(unsigned seconds = 30);
    void answer(json::value const& id, json::object const& result);
    /// How every request is answered from now on; none: by hand.
    std::optional<json::object> answers_with{};
    /// Hears until a notification of this method has come; empty if none comes.
    json::object notification(std::string const& method, unsigned seconds = 10);
    /// Hears whatever is there until nothing has come for a moment.
    void hear_all();

    [[nodiscard]] std::string const& everything() const { return everything_; } // that was ever heard
    [[nodiscard]] json::object const& greeting() const { return greeting_; }
    std::size_t requests = 0;
    [[nodiscard]] pid_t pid() const { return pid_; }
    void close_input();
    /// Its exit code or 128 + signal; -1 if it goes on for 20 s.
    int end();
    void kill();

private:
    bool hear(std::chrono::steady_clock::time_point late);
    void take(std::string_view line);

    pid_t pid_ = -1;
    int in_ = -1, out_ = -1;
    std::int64_t next_ = 0;
    std::string unread_, everything_;
    json::object greeting_;
    std::map<std::int64_t, json::object> answers_;
    std::deque<json::object> requests_, notifications_;
};

} // namespace test
