// The built pfar between an agent and a host that are both the test's own: any kind of stdin and stdout, with a terminal or without.
#pragma once

#include "support/process.hpp"
#include "unit/control/control_world.hpp"

#include <condition_variable>
#include <map>
#include <mutex>

namespace test {

using pfar::base::Fd;

/// {"method": answer as JSON}
using Said = std::map<std::string, std::string>;

/// What a `serve` or `serve_http` brought.
struct Served {
    std::string params;
    Fd in, out;
    std::shared_ptr<pfar::control::Caller> caller;
};

class AgentHost {
public:
    using Answer = ControlWorld::Answer;
    explicit AgentHost(Said said = {}, pfar::control::Methods methods = {});

    [[nodiscard]] std::filesystem::path const& home() const { return world_.home(); }
    ControlWorld& world() { return world_; }
    /// The next one; throws after 20 s.
    Served served();
    void tell(Served const& served, std::string_view method, std::string params);
    /// As if it had died, for this one.
    void hang_up(Served const& served);
    /// The params of every request so far that had a method of `said`, as "method params".
    [[nodiscard]] std::vector<std::string> asked();
    /// Words and exit code of a pfar that talks to it, without a terminal.
    [[nodiscard]] Outcome pfar(std::vector<std::string> words, std::string input = "",
                               std::map<std::string, std::string> environment = {}) const;

private:
    Answer serve(pfar::control::Request request);
    Answer say(std::string text, pfar::control::Request request);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Served> served_;
    std::vector<std::string> asked_;
    ControlWorld world_;
};

/// Both ends of something.
struct Pair {
    Fd first, second;
};
Pair pipe_pair();   // read, write
Pair socket_pair(); // alike
/// master, slave
Pair terminal_pair();

/// A pfar that runs while the test goes on.
class AgentChild {
public:
    struct Streams {
        int in = -1, out = -1, err = -1; // -1: nothing; err: a file of the test's
        int terminal = -1;               // its controlling one; -1: none
        std::map<std::string, std::string> environment{};
    };
    AgentChild(std::filesystem::path const& home, std::vector<std::string> words, Streams const& streams);
    AgentChild(AgentChild const&) = delete;
    AgentChild& operator=(AgentChild const&) = delete;
    ~AgentChild(); // killed and reaped

    [[nodiscard]] pid_t pid() const { return pid_; }
    /// Its exit code or 128 + signal; -1 if it goes on for 20 s.
    int end();
    [[nodiscard]] std::string err() const;

private:
    TempDir files_;
    pid_t pid_ = -1;
    bool ended_ = false;
};

/// Reads until `text` has come; what was read. Gives up after 20 s or at the end.
std::string read_until(Fd const& fd, std::string const& text);
void write_to(Fd const& fd, std::string_view text);

} // namespace test
