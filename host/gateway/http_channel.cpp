#include "gateway/http_channel.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace pfar::gateway {
namespace {

using Moved = HttpChannel::Moved;

Moved judged_call(ssize_t count, bool writing) {
    if (count > 0) return {Moved::How::some, static_cast<std::size_t>(count)};
    bool const later = count < 0 && (errno == EAGAIN || errno == EINTR);
    return {later ? Moved::How::later : Moved::How::ended, 0, writing};
}

int clamped(std::size_t size) {
    return static_cast<int>(std::min<std::size_t>(size, INT_MAX));
}

} // namespace

HttpChannel::HttpChannel(int descriptor, HttpTls const* tls) : descriptor_(descriptor) {
    if (tls == nullptr) return;
    tls_ = tls->session(descriptor);
    broken_ = !tls_; // never in the clear instead
}

Moved HttpChannel::read(char* place, std::size_t size) {
    if (broken_) return {Moved::How::ended};
    if (!tls_) return judged_call(::recv(descriptor_, place, size, MSG_DONTWAIT), false);
    ERR_clear_error();
    return judged(SSL_read(tls_.get(), place, clamped(size)));
}

Moved HttpChannel::write(std::string_view bytes) {
    if (broken_) return {Moved::How::ended};
    if (!tls_) return judged_call(::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL), true);
    ERR_clear_error();
    return judged(SSL_write(tls_.get(), bytes.data(), clamped(bytes.size())));
}

Moved HttpChannel::judged(int result) const {
    if (result > 0) return {Moved::How::some, static_cast<std::size_t>(result)};
    auto const why = SSL_get_error(tls_.get(), result);
    bool const later = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
    return {later ? Moved::How::later : Moved::How::ended, 0, why == SSL_ERROR_WANT_WRITE};
}

bool HttpChannel::holds_bytes() const {
    return tls_ && SSL_has_pending(tls_.get()) == 1;
}

void HttpChannel::finish() {
    if (tls_ && SSL_is_init_finished(tls_.get()) == 1) {
        ERR_clear_error();
        SSL_shutdown(tls_.get());
    }
    ::shutdown(descriptor_, SHUT_WR);
}

} // namespace pfar::gateway
