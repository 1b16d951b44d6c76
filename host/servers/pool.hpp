// Pool: initialised processes of stateless servers that wait for their one call. Each serves only the policy that it was made for.
#pragma once

#include "servers/instance.hpp"

#include <list>

namespace pfar::servers {

class Pool : public std::enable_shared_from_this<Pool> {
public:
    /// Processes of all servers together. [the executor's thread, as all of it]
    Pool(boost::asio::any_io_executor const& executor, std::size_t most) : sweep_(executor), most_(most) {}

    /// One that waits under this key and lives; null if there is none.
    std::shared_ptr<Instance> take(std::string const& key);
    /// Where there are too many, the one that has waited longest goes.
    void put(std::string const& key, std::string const& server, std::shared_ptr<Instance> instance);
    /// Those that live.
    [[nodiscard]] std::size_t count(std::string const& key) const;
    [[nodiscard]] std::size_t of_server(std::string const& server) const;
    /// Those of a server whose file, secrets or package have changed; all for an empty name.
    void drain(std::string const& server);
    void use(std::size_t most);

private:
    struct Waiting {
        std::string key, server;
        std::shared_ptr<Instance> instance;
        std::chrono::steady_clock::time_point until;
    };
    void fit();
    void sweep_soon();
    void sweep();

    boost::asio::steady_timer sweep_;
    std::size_t most_;
    std::list<Waiting> waiting_; // oldest first
    bool sweeping_ = false;
};

/// Ends it, and nobody waits for that. `patiently` as in Instance::stop.
void retire(std::shared_ptr<Instance> instance, std::string why, bool patiently = false);

} // namespace pfar::servers
