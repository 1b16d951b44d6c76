// BodyScan: finds the end of an HTTP/1 body in a stream that is passed on unchanged.
//
// Where both sides disagree on a body's end, the next request is one that nobody judged. So chunks are taken only in the one
// spelling that everybody reads alike.
#pragma once

#include "http_head.hpp"

namespace pfar::proxy_connect {

class BodyScan {
public:
    explicit BodyScan(Body body);

    /// How many of these bytes belong to the body, with the framing of chunks and their trailer; what is behind them is the
    /// next message. Errc::invalid if they are no body, and from then on.
    Result<std::size_t> take(std::string_view bytes);

    /// The body has ended. One that goes on until the connection closes never does.
    bool done() const { return part_ == Part::done; }

private:
    enum class Part {
        length,
        until_close,
        first_digit,
        digits,
        extension,
        size_lf,
        chunk,
        chunk_cr,
        chunk_lf,
        trailer,
        done,
        bad
    };

    std::size_t take_data(std::size_t available);
    std::size_t take_trailer(std::string_view bytes);
    Part after(char letter);
    Part after_digit(char letter);
    Part after_extension(char letter);

    Part part_;
    std::uint64_t left_ = 0; // of the body, or of the chunk
    std::size_t size_ = 0;   // of the digits, or of the extension
    std::string trailer_;
};

} // namespace pfar::proxy_connect
