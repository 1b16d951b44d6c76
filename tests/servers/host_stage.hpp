// A person whose server files run the fixture server, and the built host that runs them in real sandboxes.
#pragma once

#include "sandbox/live.hpp"
#include "servers/control.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace test {

/// A server file that runs the fixture server: its arguments, keys above the tables, and further tables.
struct ServerText {
    std::vector<std::string> args;
    std::string top, tables;
};

/// What came of a call: the text of its result, or the error's message.
struct Called {
    bool ok = false;       // a result without isError
    bool is_result = true; // false: a JSON-RPC error, or no answer at all
    std::string text;
    double seconds = 0;
};

class HostStage : public Stage {
public:
    explicit HostStage(Setting setting);
    HostStage(HostStage const&) = delete;
    HostStage& operator=(HostStage const&) = delete;
    ~HostStage(); // stopped, then killed

    std::filesystem::path server(std::string const& name, ServerText const& text = {}) const;
    /// The same below a project's root.
    std::filesystem::path server_in(std::string const& directory, std::string const& name,
                                    ServerText const& text) const;
    [[nodiscard]] std::string text_of(std::string const& name, ServerText const& text) const;

    /// Starts `pfar host` and waits for its socket; false if it does not come.
    bool begin();
    /// SIGTERM; its exit code, 128 + signal, or -1 if it goes on for 20 s.
    int end();
    void kill_host();
    [[nodiscard]] pid_t host() const { return host_; }
    [[nodiscard]] Control& control() { return *control_; }
    [[nodiscard]] Control connect(std::string const& directory = "/") const;
    [[nodiscard]] std::filesystem::path socket() const { return pfar_home() / "run/pfar.sock"; }
    [[nodiscard]] std::string log() const;

    /// The result; empty if there is none, with the error shown if a check fails.
    json::value ask(std::string const& method, json::object const& params = {});
    /// The server's object in `list`; empty if it is not there.
    json::object listed(std::string const& server);
    json::object status(std::string const& server);
    std::string word(std::string const& server, std::string const& key); // of its status
    std::int64_t number(std::string const& server, std::string const& key);
    /// Names in `tools` without the server's.
    std::vector<std::string> tools(std::string const& server);
    Called call(std::string const& server, std::string const& tool, json::object const& arguments = {},
                std::string const& session = "");
    /// What `call` would make of the answer to a call that was sent by hand.
    static Called called(std::optional<json::object> const& answer);
    static json::object call_params(std::string const& server, std::string const& tool,
                                    json::object const& arguments = {}, std::string const& session = "");

    bool reaches(std::string const& server, std::string const& state, unsigned seconds = 20);
    /// Looks again and again; false when the time is over.
    bool soon(std::function<bool()> const& holds, unsigned seconds = 20) const;

    /// Fixture servers of this stage as the machine sees them, of one server or of all.
    [[nodiscard]] std::vector<pid_t> processes(std::string const& server = "") const;
    [[nodiscard]] std::size_t host_descriptors() const;
    [[nodiscard]] long host_rss_kib() const;

private:
    pid_t host_ = -1;
    std::unique_ptr<Control> control_;
};

/// An ordinary user where the tests are root, else oneself: for what does not depend on who it is.
Setting somebody();

} // namespace test
