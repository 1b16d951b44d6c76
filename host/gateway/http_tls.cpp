#include "gateway/http_tls.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace pfar::gateway {
namespace {

std::string last_fault() {
    auto const code = ERR_peek_last_error();
    ERR_clear_error();
    auto const* const words =
        ERR_SYSTEM_ERROR(code) ? std::strerror(ERR_GET_REASON(code)) : ERR_reason_error_string(code);
    return words == nullptr ? "it is not understood" : words;
}

Error unusable(char const* what, std::filesystem::path const& file, char const* remedy) {
    return fail(Errc::invalid, fmt::format("the {} {} cannot be used: {}; {}", what, base::printable(file.native()),
                                           last_fault(), remedy));
}

/// Nobody is asked for a passphrase: the host may have no terminal, and must not wait at one.
int no_passphrase(char* /*place*/, int /*size*/, int /*writing*/, void* /*own*/) {
    return -1;
}

void configure(SSL_CTX* context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                     SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
}

} // namespace

void HttpTls::Free::operator()(ssl_st* session) const {
    SSL_free(session);
}
void HttpTls::Free::operator()(ssl_ctx_st* context) const {
    SSL_CTX_free(context);
}

Result<HttpTls> HttpTls::open(std::filesystem::path const& certificate, std::filesystem::path const& key) {
    HttpTls out;
    out.context_.reset(SSL_CTX_new(TLS_server_method()));
    auto* const context = out.context_.get();
    if (context == nullptr) return fail(Errc::internal, "TLS cannot be set up: OpenSSL has no memory or is broken");
    configure(context);
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1)
        return unusable("certificate", certificate, "give a readable PEM file with the certificate and its chain");
    if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1)
        return unusable("key", key, "give the readable PEM file of this certificate's key, without a passphrase");
    if (SSL_CTX_check_private_key(context) != 1)
        return unusable("key", key, "it has to be the key of this very certificate");
    return out;
}

HttpTls::Session HttpTls::session(int descriptor) const {
    Session out(SSL_new(context_.get()));
    if (!out) return out;
    SSL_set_fd(out.get(), descriptor);
    SSL_set_accept_state(out.get());
    return out;
}

} // namespace pfar::gateway
