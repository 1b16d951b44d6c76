// A TLS server of the test's own that answers by path, each in its way, and keeps what it was asked.
#pragma once

#include "egress/certificates.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace test {

struct Asked {
    std::string method, path, body;
    std::map<std::string, std::string> fields; // names in lower case
};

class HttpPeer {
public:
    /// Listens on all addresses; 0: any port. Throws if it cannot.
    HttpPeer(Certificates const& certificates, unsigned short port);
    HttpPeer(HttpPeer const&) = delete;
    HttpPeer& operator=(HttpPeer const&) = delete;
    ~HttpPeer();

    [[nodiscard]] unsigned short port() const { return port_; }
    /// Since it was last asked for.
    std::vector<Asked> asked();

private:
    void serve();
    void answer(int socket, void* context);
    std::string reply(Asked const& request) const;

    Certificates certificates_;
    int listener_ = -1;
    unsigned short port_ = 0;
    std::atomic<bool> over_{false};
    std::mutex mutex_;
    std::vector<Asked> asked_;
    std::vector<std::thread> talks_;
    std::thread thread_;
};

} // namespace test
