// A client's way to a server: over the pipes of a process that it started, or over HTTP. Blocking, and no more parsing than an answer's end takes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

class Way {
public:
    Way() = default;
    Way(Way const&) = delete;
    Way& operator=(Way const&) = delete;
    virtual ~Way() = default;
    /// One message. It goes out at flush(), or at once.
    virtual void send(std::string_view message) = 0;
    virtual void flush() {}
    /// The next message; valid until the next call of anything.
    virtual std::string_view receive() = 0;
    /// Whether receive() has one without waiting.
    [[nodiscard]] virtual bool has_more() const { return false; }
};

std::unique_ptr<Way> over_pipes(std::vector<std::string> const& command);

/// url: http://ADDRESS:PORT/PATH; token: of the Authorization field, may be empty.
std::unique_ptr<Way> over_http(std::string const& url, std::string const& token);

} // namespace bench
