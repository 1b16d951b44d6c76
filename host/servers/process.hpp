// Process: a confined server process as this room sees it. The house makes them, because that takes every room.
#pragma once

#include "base/fd.hpp"
#include "base/redact.hpp"
#include "config/survey.hpp"
#include "wire/line_stream.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pfar::servers {

/// How it ended, in words: "exit code 3", "killed by SIGSEGV", "it needed more memory than memory_limit = 256m allows".
struct Ending {
    std::string words;
    bool out_of_memory = false;
    bool of_itself = false; // it returned 0
};

/// Where it was not let go, and the line that would allow it.
struct BlockedDomain {
    std::string domain, why, remedy;
    std::uint64_t count = 0;
    std::string rule{}; // that would allow it, if one would
    std::chrono::steady_clock::time_point last{};
};

class Process {
public:
    struct Facts {
        pid_t pid = 0;                                  // the server's own, as the host sees it
        std::string backend, memory;                    // how memory is held
        std::string lacks;                              // promises that are not kept here; empty: all are
        std::vector<std::string> roots;                 // file grants, as seen inside
        std::string access = "{}";                      // JSON: the resolved policy, for the server
        std::shared_ptr<base::Redactor const> redactor; // of what it was given; may be null
        /// Of what any server was given, as it is known now; may be empty, or give null.
        std::function<std::shared_ptr<base::Redactor const>()> known{};
        std::map<std::string, std::string> secrets; // vault entries that it has, and when each was set
    };
    using Ended = std::function<void(Ending const&)>;

    Process() = default;
    Process(Process const&) = delete;
    Process& operator=(Process const&) = delete;
    /// Whatever of it still lives is killed; nobody waits for that.
    virtual ~Process() = default;

    [[nodiscard]] virtual Facts const& facts() const = 0;
    /// Its stdin and stdout, or its socket once it listens; once.
    virtual boost::asio::awaitable<Result<wire::Ends>> connect(std::chrono::steady_clock::time_point late) = 0;
    /// Called once, also if it has ended already, never before this returns.
    virtual void when_ended(Ended ended) = 0;
    virtual void signal(int number) = 0;
    /// All of the tree.
    virtual void kill() = 0;
    [[nodiscard]] virtual std::vector<BlockedDomain> blocked() const = 0;
    /// Domains as the file has them now. False if it has to be started anew for that.
    virtual bool use(config::ServerSpec const& spec) = 0;
};

/// Which process of which server.
struct StartTask {
    std::shared_ptr<config::SurveyedFile const> file;
    std::string tool;                                 // of a stateless one: with this tool's grants; empty: with none
    std::function<void(std::string_view chunk)> said; // its stderr, redacted
};

/// Errors: not_found (something is missing, and putting it there is the remedy), locked (the same, and the vault's bell will tell), unsupported,
/// refused, invalid; anything else: it could not be started.
using StartProcess = std::function<boost::asio::awaitable<Result<std::unique_ptr<Process>>>(StartTask)>;

} // namespace pfar::servers
