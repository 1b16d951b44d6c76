// Before TLS 1.3 the next record holds a handshake message of another type, in 1.3 (but for early data) encrypted bytes: either way
// it is over then.
#include "record_walk.hpp"

#include "client_hello_cursor.hpp"

#include <algorithm>

namespace pfar::proxy_connect {

namespace {

constexpr char change_cipher_spec = 20, alert = 21, handshake = 22, data = 23, client_hello = 1;
constexpr std::size_t record_header = 5;

} // namespace

std::size_t RecordWalk::take(std::string_view bytes) {
    std::size_t at = 0;
    while (!found_ && !over_ && at < bytes.size()) {
        auto const passing = std::min(left_, bytes.size() - at);
        at += passing;
        left_ -= passing;
        if (left_ > 0 || !open_record(bytes.substr(at))) break;
    }
    return over_ ? bytes.size() : at;
}

// False: more bytes are needed, or it is decided.
bool RecordWalk::open_record(std::string_view rest) {
    if (rest.empty()) return false;
    auto const type = rest[0];
    bool const skipped = type == change_cipher_spec || type == alert || (type == data && early_data_);
    over_ = !skipped && type != handshake;
    if (over_ || rest.size() < record_header) return false;
    left_ = Cursor{rest.substr(3)}.number(2);
    if (type != handshake) {
        left_ += record_header;
        return true;
    }
    if (left_ > 0 && rest.size() == record_header) return left_ = 0, false;
    found_ = left_ == 0 || rest[record_header] == client_hello; // an empty one is for the reader to refuse
    over_ = !found_;
    left_ = 0;
    return false;
}

} // namespace pfar::proxy_connect
