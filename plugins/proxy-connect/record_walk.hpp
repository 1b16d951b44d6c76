// RecordWalk: goes along the TLS records that a client sends behind its hello, up to where a second hello can come.
//
// A server may ask for another hello (HelloRetryRequest), and takes the server name of that one. So it has to be looked at too,
// whenever the client chooses to send it.
#pragma once

#include <cstddef>
#include <string_view>

namespace pfar::proxy_connect {

class RecordWalk {
public:
    /// The first `skip` bytes are the hello itself. `early_data`: records of data may come before a second one.
    RecordWalk(std::size_t skip, bool early_data) : left_(skip), early_data_(early_data) {}

    /// How many of these bytes can be passed on. The others are needed again, with more behind them; once found(), they are the hello.
    std::size_t take(std::string_view bytes);
    bool found() const { return found_; }
    bool over() const { return over_; } // none can come any more

private:
    bool open_record(std::string_view rest);

    std::size_t left_; // of the record that is passing
    bool early_data_, found_ = false, over_ = false;
};

} // namespace pfar::proxy_connect
