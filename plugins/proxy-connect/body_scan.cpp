// Data is counted, framing is read letter by letter, and a trailer is kept until it is whole, because lines are judged whole.
#include "body_scan.hpp"
#include "http_fields.hpp"
#include "http_letters.hpp"

namespace pfar::proxy_connect {

namespace {

constexpr std::size_t most_digits = 16, most_extension = 256, most_trailer = 8192;

// -1: none.
int hex_value(char letter) {
    if (is_digit(letter)) return letter - '0';
    auto const small = lower(letter);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

} // namespace

BodyScan::BodyScan(Body body) : left_(body.length) {
    switch (body.kind) {
    case Body::Kind::none:
        part_ = Part::done;
        break;
    case Body::Kind::length:
        part_ = body.length == 0 ? Part::done : Part::length;
        break;
    case Body::Kind::chunked:
        part_ = Part::first_digit;
        break;
    case Body::Kind::until_close:
        part_ = Part::until_close;
        break;
    }
}

Result<std::size_t> BodyScan::take(std::string_view bytes) {
    std::size_t taken = 0;
    while (taken < bytes.size() && part_ != Part::done && part_ != Part::bad) {
        if (part_ == Part::until_close) return bytes.size();
        if (part_ == Part::length || part_ == Part::chunk)
            taken += take_data(bytes.size() - taken);
        else if (part_ == Part::trailer)
            taken += take_trailer(bytes.substr(taken));
        else
            part_ = after(bytes[taken++]);
    }
    if (part_ == Part::bad) return fail(Errc::invalid, "the body's chunks are malformed");
    return taken;
}

std::size_t BodyScan::take_data(std::size_t available) {
    auto const size = std::min<std::uint64_t>(available, left_);
    left_ -= size;
    if (left_ == 0) part_ = part_ == Part::length ? Part::done : Part::chunk_cr;
    return size;
}

std::size_t BodyScan::take_trailer(std::string_view bytes) {
    auto const known = trailer_.size();
    trailer_.append(bytes.substr(0, most_trailer - known));
    auto const scan = scan_fields(trailer_, known);
    if (scan.state == HeadScan::State::complete) {
        part_ = Part::done;
        return scan.size - known;
    }
    if (scan.state == HeadScan::State::bad || trailer_.size() == most_trailer) part_ = Part::bad;
    return trailer_.size() - known;
}

BodyScan::Part BodyScan::after(char letter) {
    switch (part_) {
    case Part::first_digit:
        left_ = size_ = 0;
        return hex_value(letter) < 0 ? Part::bad : after_digit(letter);
    case Part::digits:
        return after_digit(letter);
    case Part::extension:
        return after_extension(letter);
    case Part::size_lf:
        if (letter != '\n') return Part::bad;
        return left_ == 0 ? Part::trailer : Part::chunk;
    case Part::chunk_cr:
        return letter == '\r' ? Part::chunk_lf : Part::bad;
    case Part::chunk_lf:
        return letter == '\n' ? Part::first_digit : Part::bad;
    default:
        return Part::bad;
    }
}

BodyScan::Part BodyScan::after_digit(char letter) {
    if (auto const value = hex_value(letter); value >= 0) {
        left_ = (left_ << 4U) | static_cast<unsigned>(value);
        return ++size_ > most_digits ? Part::bad : Part::digits;
    }
    size_ = 0;
    if (letter == ';') return Part::extension;
    return letter == '\r' ? Part::size_lf : Part::bad;
}

// Nobody here reads it; it only has to be something that others cannot take for more than an extension.
BodyScan::Part BodyScan::after_extension(char letter) {
    if (letter == '\r') return Part::size_lf;
    return is_control(letter) || ++size_ > most_extension ? Part::bad : Part::extension;
}

} // namespace pfar::proxy_connect
