// Records first, then the message in them, then the extensions in that: each checks its lengths before the next one looks.
#include "client_hello.hpp"
#include "client_hello_cursor.hpp"
#include "http_letters.hpp"

namespace pfar::proxy_connect {

namespace {

using State = HelloScan::State;

constexpr unsigned char handshake_record = 22, client_hello = 1, major_version = 3;
constexpr std::size_t record_header = 5, largest_record = std::size_t{1} << 14U; // before encryption, which comes later
constexpr std::size_t message_header = 4, largest_message = std::size_t{64} << 10U;
constexpr std::size_t most_bytes = std::size_t{128} << 10U; // with the records around it, which can be of one byte each
constexpr std::size_t server_name_extension = 0, host_name = 0, early_data_extension = 42;

bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= 255 && std::all_of(name.begin(), name.end(), [](char letter) {
        return is_letter_or_digit(letter) || letter == '.' || letter == '-' || letter == '_';
    });
}

// A list, by its grammar; of exactly one name, because nobody agrees on which of two is meant.
std::optional<std::string> name_in(std::string_view extension) {
    Cursor outer{extension};
    Cursor list{outer.block(2)};
    auto const type = list.number(1);
    auto const name = list.block(2);
    if (!outer.at_end() || !list.at_end() || type != host_name || !is_name(name)) return std::nullopt;
    return std::string(name);
}

HelloScan read_extensions(std::string_view bytes) {
    HelloScan scan{State::complete, {}, false};
    for (Cursor extensions{bytes}; !extensions.rest.empty();) {
        auto const type = extensions.number(2);
        auto const data = extensions.block(2);
        if (!extensions.good) return {State::bad, {}, false};
        if (type == early_data_extension) scan.early_data = true;
        if (type != server_name_extension) continue;
        if (scan.name) return {State::bad, {}, false};
        scan.name = name_in(data);
        if (!scan.name) return {State::bad, {}, false};
    }
    return scan;
}

HelloScan read_hello(std::string_view body) {
    Cursor hello{body};
    auto const version = hello.number(2);
    hello.take(32); // random
    auto const session = hello.block(1), suites = hello.block(2), compressions = hello.block(1);
    if (!hello.good || version >> 8U != major_version || session.size() > 32 || suites.empty() ||
        suites.size() % 2 != 0 || compressions.empty())
        return {State::bad, {}, false};
    if (hello.at_end()) return {State::complete, {}, false}; // before TLS 1.3, extensions can be left out altogether
    auto const extensions = hello.block(2);
    return hello.at_end() ? read_extensions(extensions) : HelloScan{State::bad, {}, false};
}

} // namespace

HelloScan const& HelloReader::take(std::string_view more) {
    bytes_.append(more);
    while (scan_.state == State::incomplete)
        if (left_ == 0 ? !open_record() : !take_record()) break;
    return scan_;
}

// False: more bytes are needed.
bool HelloReader::open_record() {
    auto const header = std::string_view(bytes_).substr(read_, record_header);
    if ((!header.empty() && header[0] != handshake_record) || (header.size() > 1 && header[1] != major_version))
        scan_.state = State::bad;
    if (header.size() < record_header) return false;
    left_ = Cursor{header.substr(3)}.number(2);
    read_ += record_header;
    if (left_ == 0 || left_ > largest_record || read_ > most_bytes) scan_.state = State::bad;
    return true;
}

bool HelloReader::take_record() {
    auto const part = std::string_view(bytes_).substr(read_, left_);
    if (part.empty()) return false;
    message_.append(part);
    read_ += part.size();
    left_ -= part.size();
    judge_message();
    return true;
}

void HelloReader::judge_message() {
    if (message_[0] != client_hello) scan_.state = State::bad;
    if (scan_.state == State::bad || message_.size() < message_header) return;
    auto const size = message_header + Cursor{std::string_view(message_).substr(1)}.number(3);
    // A record that goes on behind the hello has something in it that nobody here has looked at.
    if (size > largest_message || message_.size() + left_ > size)
        scan_.state = State::bad;
    else if (message_.size() == size)
        scan_ = read_hello(std::string_view(message_).substr(message_header));
}

} // namespace pfar::proxy_connect
