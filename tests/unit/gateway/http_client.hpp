// A client that speaks HTTP by hand, over a real socket, in the clear or by TLS: it can stop anywhere, and say what no library would.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct ssl_st;
struct ssl_ctx_st;

namespace test {

struct HttpAnswer {
    int status = 0;                            // 0: the connection ended instead
    std::map<std::string, std::string> fields; // names in lower case
    std::string body;                          // of a stream: empty, its events are read one by one

    [[nodiscard]] std::string field(std::string const& name) const {
        auto const found = fields.find(name);
        return found == fields.end() ? "" : found->second;
    }
};

/// One SSE event: its id and its data. Comments have neither.
struct HttpEvent {
    std::string id, retry, data, comment;
};

class HttpTalk {
public:
    explicit HttpTalk(std::uint16_t port, std::string const& authority = {}); // PEM: by TLS
    HttpTalk(HttpTalk&& other) noexcept;
    HttpTalk& operator=(HttpTalk&&) = delete;
    HttpTalk(HttpTalk const&) = delete;
    HttpTalk& operator=(HttpTalk const&) = delete;
    ~HttpTalk();

    /// False: the other side does not take it any more.
    bool say(std::string_view bytes);
    /// One reply. Of a stream (text/event-stream) its head only.
    HttpAnswer hear();
    /// The next event of a stream; none at its end.
    std::optional<HttpEvent> event();
    /// The next one that is no comment.
    std::optional<HttpEvent> message();
    /// The other side has closed the connection; waits for it, and swallows what it says.
    bool ended();
    [[nodiscard]] int descriptor() const { return descriptor_; }
    void close();

private:
    bool more();
    std::optional<std::string> line();
    std::string take(std::size_t count);
    bool fill_stream();

    int descriptor_;
    ssl_ctx_st* context_ = nullptr;
    ssl_st* tls_ = nullptr;
    std::string in_, stream_; // what was read, and what of it is a stream's
    bool chunked_ = false, stream_ended_ = false;
};

using Fields = std::vector<std::pair<std::string, std::string>>;
/// A whole request, with Host and Content-Length.
std::string request_text(std::string const& method, std::string const& path, Fields const& fields,
                         std::string const& body = {});

} // namespace test
