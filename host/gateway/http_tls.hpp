// HttpTls: the owner's certificate and key, ready for TLS 1.2 and later.
#pragma once

#include <pfar/result.hpp>

#include <filesystem>
#include <memory>

struct ssl_ctx_st;
struct ssl_st;

namespace pfar::gateway {

class HttpTls {
public:
    struct Free {
        void operator()(ssl_st* session) const;
        void operator()(ssl_ctx_st* context) const;
    };
    using Session = std::unique_ptr<ssl_st, Free>;

    /// PEM files: the certificate with those that lead to its authority, and its key without a passphrase. Says which is wrong, and how.
    static Result<HttpTls> open(std::filesystem::path const& certificate, std::filesystem::path const& key);
    /// The server's side of a connection, over a socket that stays the caller's; null if there is no memory.
    [[nodiscard]] Session session(int descriptor) const;

private:
    std::unique_ptr<ssl_ctx_st, Free> context_;
};

} // namespace pfar::gateway
