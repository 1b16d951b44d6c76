// The first message of a TLS client, read for the server name in it; nothing is decrypted and nothing is changed.
//
// The name is what the other side chooses a certificate by, so it has to be the one that was judged. Whatever could be read in
// two ways (two names, bytes behind the message in its record, a length that does not fit) is no hello here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pfar::proxy_connect {

struct HelloScan {
    enum class State { incomplete, complete, bad };
    State state = State::incomplete;
    std::optional<std::string> name; // complete: as it was said, if it was; letters, digits, '-', '_' and '.'
    bool early_data = false;         // encrypted data may follow at once
};

/// Takes a connection's first bytes in any pieces; every byte is looked at once, however they arrive.
class HelloReader {
public:
    /// Until it is complete or bad; bad as soon as it cannot become a ClientHello. From then on bytes are only kept.
    HelloScan const& take(std::string_view more);

    /// Everything taken so far, to be passed on unchanged; also what came behind the hello.
    std::string const& bytes() const { return bytes_; }
    /// Complete: how many of them are the hello.
    std::size_t size() const { return read_; }

private:
    bool open_record();
    bool take_record();
    void judge_message();

    std::string bytes_, message_; // as it arrived; the handshake message without the records around it
    std::size_t read_ = 0;        // of bytes_
    std::size_t left_ = 0;        // of the record that is open
    HelloScan scan_;
};

/// A fatal alert that says: no such server name here.
inline constexpr std::string_view alert_unrecognized_name{"\x15\x03\x03\x00\x02\x02\x70", 7};

} // namespace pfar::proxy_connect
