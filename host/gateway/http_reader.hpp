// HttpReader: makes one request out of bytes, however they are cut. Strict: what two readers could understand in two ways is refused.
#pragma once

#include "gateway/http_limits.hpp"
#include "gateway/http_message.hpp"

#include <cstdint>
#include <memory>

namespace pfar::gateway {

class HttpReader {
public:
    enum class Stage { head, body, whole, bad };

    explicit HttpReader(HttpLimits const& limits);
    HttpReader(HttpReader const&) = delete;
    HttpReader& operator=(HttpReader const&) = delete;
    ~HttpReader();

    /// How many of the bytes it used; the others are to be given again, with what follows. It stops where the head ends.
    std::size_t feed(std::string_view bytes);
    [[nodiscard]] Stage stage() const { return stage_; }
    /// At Stage::bad: what to say.
    [[nodiscard]] HttpReply const& refusal() const { return refusal_; }
    /// Whole but for its body after Stage::head.
    [[nodiscard]] HttpRequest const& request() const { return request_; }
    HttpRequest take();
    /// Bytes of the body that are there.
    [[nodiscard]] std::size_t arrived() const;
    /// Refuses a larger body; at once if it is announced.
    void limit_body(std::size_t most);
    [[nodiscard]] bool expects_continue() const;

private:
    struct Parser;
    std::size_t feed_head(std::string_view bytes);
    std::size_t feed_body(std::string_view bytes);
    void take_head();
    void add_field(std::string name, std::string_view value);
    void refuse(unsigned status, std::string_view sentence);

    HttpLimits const& limits_;
    std::unique_ptr<Parser> parser_;
    std::size_t searched_ = 0; // no head ends before
    Stage stage_ = Stage::head;
    HttpRequest request_;
    HttpReply refusal_;
};

} // namespace pfar::gateway
