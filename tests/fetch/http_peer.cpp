// By OpenSSL, a thread for each connection, and one request on each.
#include "fetch/http_peer.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace test {
namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Talk = std::unique_ptr<SSL, decltype(&SSL_free)>;

std::unique_ptr<BIO, decltype(&BIO_free)> memory(std::string const& text) {
    return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

Context context_of(Certificates const& certificates) {
    Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    std::unique_ptr<X509, decltype(&X509_free)> const leaf(
        PEM_read_bio_X509(memory(certificates.certificate).get(), nullptr, nullptr, nullptr), X509_free);
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> const key(
        PEM_read_bio_PrivateKey(memory(certificates.key).get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
    if (SSL_CTX_use_certificate(context.get(), leaf.get()) != 1 ||
        SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1)
        throw std::runtime_error("the peer has no certificate");
    return context;
}

std::string lower(std::string text) {
    for (auto& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

/// True once all of it is there.
bool parse(std::string const& bytes, Asked& out) {
    auto const end = bytes.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    std::istringstream head(bytes.substr(0, end + 2));
    std::string line;
    std::getline(head, line);
    std::istringstream first(line);
    first >> out.method >> out.path;
    while (std::getline(head, line)) {
        auto const colon = line.find(": ");
        if (colon == std::string::npos) continue;
        out.fields[lower(line.substr(0, colon))] = line.substr(colon + 2, line.size() - colon - 3);
    }
    auto const length = out.fields.contains("content-length") ? std::stoul(out.fields["content-length"]) : 0;
    out.body = bytes.substr(end + 4);
    return out.body.size() >= length;
}

std::string text(unsigned status, std::string const& type, std::string const& body, std::string const& more = "") {
    return fmt::format("HTTP/1.1 {} Said\r\nContent-Type: {}\r\nContent-Length: {}\r\nSet-Cookie: a=b\r\nConnection: "
                       "close\r\n{}\r\n{}",
                       status, type, body.size(), more, body);
}

std::string redirect(unsigned status, std::string const& place) {
    return text(status, "text/plain", "elsewhere", "Location: " + place + "\r\n");
}

} // namespace

HttpPeer::HttpPeer(Certificates const& certificates, unsigned short port) : certificates_(certificates) {
    listener_ = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int const on = 1, off = 0;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    ::setsockopt(listener_, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_in6 place{};
    place.sin6_family = AF_INET6;
    place.sin6_port = htons(port);
    socklen_t size = sizeof place;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&place), size) != 0 || ::listen(listener_, 64) != 0)
        throw std::runtime_error("the peer cannot listen");
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&place), &size);
    port_ = ntohs(place.sin6_port);
    thread_ = std::thread([this] { serve(); });
}

HttpPeer::~HttpPeer() {
    over_ = true;
    thread_.join();
    for (auto& talk : talks_) talk.join();
    ::close(listener_);
}

std::vector<Asked> HttpPeer::asked() {
    std::lock_guard const lock(mutex_);
    return std::exchange(asked_, {});
}

void HttpPeer::serve() {
    sigset_t pipe; // of this thread and those it starts: a client that has enough goes in the middle
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    auto const context = context_of(certificates_);
    while (!over_) {
        pollfd ready{listener_, POLLIN, 0};
        if (::poll(&ready, 1, 20) <= 0) continue;
        int const socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket >= 0) talks_.emplace_back([this, socket, &context] { answer(socket, context.get()); });
    }
    for (auto& talk : talks_) talk.join(); // they use the context
    talks_.clear();
}

void HttpPeer::answer(int socket, void* context) {
    Talk const talk(SSL_new(static_cast<SSL_CTX*>(context)), SSL_free);
    timeval const patience{5, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    SSL_set_fd(talk.get(), socket);
    if (SSL_accept(talk.get()) == 1) {
        std::string bytes;
        Asked request;
        char place[8192];
        while (!parse(bytes, request = {})) {
            int const got = SSL_read(talk.get(), place, sizeof place);
            if (got <= 0) break;
            bytes.append(place, static_cast<std::size_t>(got));
        }
        {
            std::lock_guard const lock(mutex_);
            asked_.push_back(request);
        }
        pollfd gone{socket, POLLIN, 0};
        if (request.path == "/slow") // until the other side goes
            while (!over_ && ::poll(&gone, 1, 20) == 0) continue;
        else if (request.path == "/drip") {
            std::string const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n";
            SSL_write(talk.get(), head.data(), static_cast<int>(head.size()));
            while (!over_ && ::poll(&gone, 1, 50) == 0 && SSL_write(talk.get(), ".", 1) == 1) continue;
        } else {
            auto const said = reply(request);
            SSL_write(talk.get(), said.data(), static_cast<int>(said.size()));
            SSL_shutdown(talk.get());
        }
    }
    ::close(socket);
}

std::string HttpPeer::reply(Asked const& request) const {
    auto const& path = request.path;
    auto const field = [&](char const* name) {
        return request.fields.contains(name) ? request.fields.at(name) : "(none)";
    };
    if (path.starts_with("/json"))
        return text(200, "application/json; charset=utf-8",
                    "{\n  \"n\": 12345678901234567890.5,\r\n \"a\": [1, null]\n}\n");
    if (path == "/echo")
        return text(200, "text/plain",
                    request.method + " " + field("authorization") + " " + field("content-type") + " " + request.body);
    if (path == "/big") return text(200, "text/plain", std::string(3U << 20U, 'x'));
    if (path == "/umlauts") { // cut in the middle of one of them, wherever an even limit is
        std::string many = "x";
        for (int i = 0; i < 100000; ++i) many += "\u00e4";
        return text(200, "text/plain; charset=utf-8", many);
    }
    if (path == "/image") return text(200, "image/png", std::string("\x89PNG\r\n\x1a\n\0\xff", 10));
    if (path == "/binary") return text(200, "application/zip", std::string("PK\x03\x04\xff\0", 6));
    if (path == "/big-binary") return text(200, "application/zip", std::string(300U << 10U, '\xff'));
    if (path == "/latin") return text(200, "text/html; charset=iso-8859-1", "gr\xfc\xdf");
    if (path == "/deep") return text(200, "application/json", std::string(60, '[') + std::string(60, ']'));
    if (path == "/broken-json") return text(200, "application/json", "{not json");
    if (path == "/found") return redirect(302, "/json");
    if (path == "/kept") return redirect(307, "/echo");
    if (path == "/other") return redirect(302, fmt::format("https://evil.test:{}/stolen", port_));
    if (path.starts_with("/to-port?")) return redirect(307, fmt::format("https://localhost:{}/echo", path.substr(9)));
    if (path == "/plain") return redirect(302, fmt::format("http://good.example:{}/", port_));
    if (path == "/file") return redirect(302, "file:///etc/passwd");
    if (path.starts_with("/loop")) return redirect(302, path + "x");
    if (path == "/nothing") return "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
    if (path == "/injected") return text(200, "text/plain", "fine", "X-Request-Id: a\x1b[31mb\r\n");
    return text(404, "application/json", R"({"error": "there is no )" + request.path + "\"}");
}

} // namespace test
