// HttpChannel: bytes over a connected socket, in the clear or by TLS, without ever waiting.
//
// OpenSSL sits on the descriptor itself: asio::ssl would keep 68 KiB for every connection, also for one that is idle.
#pragma once

#include "gateway/http_tls.hpp"

#include <cstddef>
#include <string_view>

namespace pfar::gateway {

class HttpChannel {
public:
    struct Moved {
        enum class How { some, later, ended };
        How how;
        std::size_t bytes = 0;
        bool when_writable = false; // `later` is when it can be written to, not read from
    };

    /// The descriptor is another's. No `tls`: in the clear. [main thread, as all of it]
    HttpChannel(int descriptor, HttpTls const* tls);

    Moved read(char* place, std::size_t size);
    Moved write(std::string_view bytes);
    /// There is something to read that the kernel knows nothing of.
    [[nodiscard]] bool holds_bytes() const;
    /// The client sees the end; it may still be read from.
    void finish();

private:
    [[nodiscard]] Moved judged(int result) const;

    int descriptor_;
    HttpTls::Session tls_;
    bool broken_ = false;
};

} // namespace pfar::gateway
