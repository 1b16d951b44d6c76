// HttpServer: Streamable HTTP for agents on /mcp and /mcp/NAME, /health and /metrics for machines, and the owner's page on /.
#pragma once

#include "gateway/http_limits.hpp"
#include "gateway/party.hpp"

#include <pfar/secret.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <vector>

namespace pfar::gateway {

struct HttpSettings {
    std::string host = "127.0.0.1"; // an address, or localhost
    std::uint16_t port = 0;         // 0: any
    bool auth = true;
    std::filesystem::path certificate, key;  // PEM; empty: no TLS
    std::vector<std::string> origins, hosts; // further ones that are welcome
    Secret agents_token{}, owners_token{};
    std::filesystem::path directory{}; // server names are resolved as seen from there
};

/// What the house does for it. JSON texts.
struct HttpRooms {
    Admit admit;
    std::function<std::string()> servers;   // as `pfar list --json`
    std::function<std::string()> approvals; // as `pfar approvals --json`
    std::function<std::string()> blocked;   // [{server, domain, why, remedy, count}]
    std::function<std::string()> metrics;   // Prometheus text of the rest of the host
    std::function<Result<void>(std::string const& id, bool for_session)> approve;
    std::function<Result<void>(std::string const& id)> deny;
};

class HttpServer {
public:
    /// Errc::refused for what must not be: a public address without a token and TLS, no token elsewhere than on loopback.
    /// Errc::conflict if the address is taken. [main thread, as all of it]
    static Result<std::shared_ptr<HttpServer>> open(boost::asio::any_io_executor const& executor, HttpSettings settings,
                                                    HttpRooms rooms, HttpLimits const& limits = {});
    HttpServer() = default;
    HttpServer(HttpServer const&) = delete;
    HttpServer& operator=(HttpServer const&) = delete;
    virtual ~HttpServer() = default;

    [[nodiscard]] virtual std::uint16_t port() const = 0;
    [[nodiscard]] virtual std::size_t sessions() const = 0;
    /// Nobody is let in any more; all sessions end.
    virtual void close(std::string const& why) = 0;
};

} // namespace pfar::gateway
