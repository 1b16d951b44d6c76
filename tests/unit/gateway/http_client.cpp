#include "unit/gateway/http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace test {
namespace {

int connected(std::uint16_t port) {
    int const out = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval const patience{60, 0};
    ::setsockopt(out, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(out, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (::connect(out, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0)
        throw std::runtime_error("nobody listens");
    return out;
}

void trust(ssl_ctx_st* context, std::string const& authority) {
    std::unique_ptr<BIO, decltype(&BIO_free)> const memory(
        BIO_new_mem_buf(authority.data(), static_cast<int>(authority.size())), BIO_free);
    auto* const certificate = PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate);
    X509_free(certificate);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

} // namespace

HttpTalk::HttpTalk(std::uint16_t port, std::string const& authority) : descriptor_(connected(port)) {
    if (authority.empty()) return;
    context_ = SSL_CTX_new(TLS_client_method());
    trust(context_, authority);
    tls_ = SSL_new(context_);
    SSL_set_fd(tls_, descriptor_);
    if (SSL_connect(tls_) != 1) throw std::runtime_error("no TLS");
}

HttpTalk::HttpTalk(HttpTalk&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), context_(std::exchange(other.context_, nullptr)),
      tls_(std::exchange(other.tls_, nullptr)), in_(std::move(other.in_)), stream_(std::move(other.stream_)),
      chunked_(other.chunked_), stream_ended_(other.stream_ended_) {}

HttpTalk::~HttpTalk() {
    close();
    SSL_free(tls_);
    SSL_CTX_free(context_);
}

void HttpTalk::close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool HttpTalk::say(std::string_view bytes) {
    while (!bytes.empty()) {
        auto const wrote = tls_ != nullptr
                               ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                               : static_cast<int>(::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
        if (wrote <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return true;
}

bool HttpTalk::more() {
    char place[65536];
    auto const got = tls_ != nullptr ? SSL_read(tls_, place, sizeof place)
                                     : static_cast<int>(::recv(descriptor_, place, sizeof place, 0));
    if (got > 0) in_.append(place, static_cast<std::size_t>(got));
    return got > 0;
}

std::optional<std::string> HttpTalk::line() {
    auto end = in_.find("\r\n");
    while (end == std::string::npos) {
        if (!more()) return {};
        end = in_.find("\r\n");
    }
    auto out = in_.substr(0, end);
    in_.erase(0, end + 2);
    return out;
}

std::string HttpTalk::take(std::size_t count) {
    while (in_.size() < count)
        if (!more()) break;
    auto out = in_.substr(0, count);
    in_.erase(0, count);
    return out;
}

HttpAnswer HttpTalk::hear() {
    HttpAnswer out;
    auto const first = line();
    if (!first || first->size() < 12) return out;
    out.status = std::stoi(first->substr(9, 3));
    for (auto next = line(); next && !next->empty(); next = line()) {
        auto const colon = next->find(':');
        out.fields[lower(next->substr(0, colon))] = next->substr(colon + 2);
    }
    if (out.status == 100) return hear();
    chunked_ = out.field("transfer-encoding") == "chunked";
    stream_ended_ = false;
    if (out.field("content-type") == "text/event-stream") return out;
    if (!out.field("content-length").empty()) out.body = take(std::stoul(out.field("content-length")));
    return out;
}

bool HttpTalk::fill_stream() {
    if (stream_ended_) return false;
    if (!chunked_) {
        if (in_.empty() && !more()) return false;
        stream_ += std::exchange(in_, {});
        return true;
    }
    auto const size = line();
    if (!size || size->empty()) return false;
    auto const count = std::stoul(*size, nullptr, 16);
    stream_ += take(count);
    take(2);
    stream_ended_ = count == 0;
    return count != 0;
}

std::optional<HttpEvent> HttpTalk::event() {
    auto end = stream_.find("\n\n");
    while (end == std::string::npos) {
        if (!fill_stream()) return {};
        end = stream_.find("\n\n");
    }
    HttpEvent out;
    auto text = stream_.substr(0, end + 1);
    stream_.erase(0, end + 2);
    for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n')) {
        auto const one = text.substr(0, at);
        text.erase(0, at + 1);
        if (one.starts_with("id: ")) out.id = one.substr(4);
        if (one.starts_with("retry: ")) out.retry = one.substr(7);
        if (one.starts_with("data: ")) out.data = one.substr(6);
        if (one.starts_with(":")) out.comment = one;
    }
    return out;
}

std::optional<HttpEvent> HttpTalk::message() {
    auto out = event();
    while (out && (!out->comment.empty() || out->data.empty())) out = event();
    return out;
}

bool HttpTalk::ended() {
    while (more()) in_.clear();
    return errno != EAGAIN;
}

std::string request_text(std::string const& method, std::string const& path, Fields const& fields,
                         std::string const& body) {
    auto out = method + " " + path + " HTTP/1.1\r\n";
    bool host = false;
    for (auto const& [name, value] : fields) {
        host = host || name == "Host";
        out += name + ": " + value + "\r\n";
    }
    if (!host) out += "Host: 127.0.0.1\r\n";
    if (!body.empty() || method == "POST") out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return out + "\r\n" + body;
}

} // namespace test
