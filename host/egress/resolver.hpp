// Resolver: names to addresses by the machine's own means (getaddrinfo: hosts file, DNS, whatever nsswitch says), off the executor.
//
// getaddrinfo cannot be interrupted and may take half a minute. So it runs in threads that nobody waits for.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pfar::egress {

struct Lookup {
    std::vector<boost::asio::ip::address> addresses;
    std::string trouble; // why there are none
};

class Resolver {
public:
    explicit Resolver(boost::asio::any_io_executor executor);
    Resolver(Resolver const&) = delete;
    Resolver& operator=(Resolver const&) = delete;
    /// Answers nothing any more. [executor, or when it no longer runs]
    ~Resolver();

    /// Answers once, later, on the executor. At most 32 lookups run at once; above 1024 waiting ones it answers with trouble. [executor]
    void look_up(std::string const& name, std::function<void(Lookup)> answer);

private:
    struct Shared;
    static void work(std::shared_ptr<Shared> const& shared);
    void finish(std::uint64_t id, Lookup lookup);

    std::shared_ptr<Shared> shared_;
    std::map<std::uint64_t, std::function<void(Lookup)>> waiting_; // answers never leave the executor
    std::uint64_t next_ = 0;
};

} // namespace pfar::egress
