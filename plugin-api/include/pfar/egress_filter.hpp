// EgressFilter: moves bytes between a sandbox's listeners and the world, and asks before each connection.
//
// The filter understands protocols; it does not decide. It names the destination it was asked for, the host judges it and
// answers with the addresses that were judged, and the filter dials one of those and nothing else.
#pragma once

#include <pfar/fd.hpp>
#include <pfar/plugin.hpp>
#include <pfar/secret.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace pfar {

/// A listening socket inside the sandbox's network namespace. `tls`, `http`, `port` and the DNS pair are transparent mode.
struct EgressListener {
    enum class Role { proxy, tls, http, port, dns_udp, dns_tcp };
    Fd socket;
    Role role;
    std::uint16_t port;
};

/// Where the server wants to go, as it said it: not canonical, not trusted.
struct Destination {
    enum class Said { connect, http_host, tls_name, dns_question, address };
    std::string host;
    std::uint16_t port;
    Said said;
    bool connected =
        false; // there is a connection to it already: no addresses are wanted, only whether it still may be
};

/// A proxy that the owner's machine has to go through: it is dialled instead, and asked to CONNECT to the verdict's name.
struct Upstream {
    std::vector<boost::asio::ip::address> dial;
    std::uint16_t port = 0;
    Secret authorization; // the value of Proxy-Authorization; empty: none
};

struct Verdict {
    bool allowed = false;
    std::string name;                           // canonical; what a TLS client has to say as its server name
    bool is_address = false;                    // `name` is an IP literal; a TLS client has to say none
    std::vector<boost::asio::ip::address> dial; // the judged addresses, best first; empty for a dns_question
    std::shared_ptr<Upstream const> upstream;   // none: dial directly
    std::string
        why; // refused: sentences for the server, with the line that would allow it; nothing to dial: the reason
};

/// One connection that is over, or (not `allowed`) that the filter itself refused: malformed, another server name than was judged. The
/// host is empty if it never named one. What `decide` refused is not recorded again.
struct EgressRecord {
    Destination destination;
    bool allowed;
    std::uint64_t sent = 0, received = 0;
    std::chrono::milliseconds lasted{0};
    std::string ended; // why: "closed", "idle", "server name differs"
};

/// What one server's filter works with. The functions may be called from the executor only and outlive the session.
struct EgressTask {
    std::string server;
    std::vector<EgressListener> listeners;
    boost::asio::any_io_executor executor; // single-threaded: everything the session does runs here
    std::function<void(Destination, std::function<void(Verdict)>)>
        decide; // answers once, later or at once, on the executor
    std::function<void(EgressRecord)> record;
    bool require_sni = true;
};

/// Serves until it is destroyed: then it records what is open, closes listeners and connections and calls nothing any more. What is
/// left of its work ends on the executor, so the executor is run dry before the plugin is destroyed.
class PFAR_EXPORT EgressSession {
public:
    virtual ~EgressSession() = default;
    /// Open tunnels at this moment. [executor]
    virtual Result<std::size_t> tunnels() const = 0;
};

class PFAR_EXPORT EgressFilter : public Plugin {
public:
    static constexpr char kind[] = "egress";

    /// Starts serving; takes the listeners. Errc::unsupported for a role it does not know. The session is the caller's
    /// and is destroyed before the plugin, on the executor. [executor]
    virtual Result<std::unique_ptr<EgressSession>> serve(EgressTask task) = 0;
};

} // namespace pfar
