// Each byte is judged by the one before it, each line once when it ends: so a head costs the same in one piece and in a thousand.
#include "http_head.hpp"
#include "http_fields.hpp"
#include "http_letters.hpp"

namespace pfar::proxy_connect {

namespace {

constexpr std::string_view http2_preface = "PRI * HTTP/2.0";

// CR and LF stand together or not at all, and a line that begins with a blank would go on with the one before it.
bool may_follow(char before, char letter) {
    if (before == '\r' || letter == '\n') return before == '\r' && letter == '\n';
    if (letter == '\r') return true;
    return before == '\n' ? is_token_letter(letter) : letter == '\t' || !is_control(letter);
}

bool is_field(std::string_view line) {
    return is_token(line.substr(0, line.find(':'))) && line.find(':') != std::string_view::npos;
}

// Of a request or of an answer. HTTP/0.9 says no version, and would wait for nothing more.
bool is_first_line(std::string_view line) {
    bool const versioned = line.starts_with("HTTP/1.") || line.ends_with(" HTTP/1.1") || line.ends_with(" HTTP/1.0");
    return versioned && line.find('\t') == std::string_view::npos;
}

HeadScan scan_lines(std::string_view bytes, std::size_t known, bool (*is_first)(std::string_view)) {
    for (auto at = known; at < bytes.size(); ++at) {
        if (!may_follow(at == 0 ? '\n' : bytes[at - 1], bytes[at])) return {HeadScan::State::bad, 0};
        if (bytes[at] != '\n') continue;
        auto const start = bytes.rfind('\n', at - 1) + 1; // 0 if there is none
        auto const line = bytes.substr(start, at - 1 - start);
        if (line.empty()) return {HeadScan::State::complete, at + 1};
        if (!(start == 0 ? is_first : is_field)(line)) return {HeadScan::State::bad, 0};
    }
    return {};
}

} // namespace

HeadScan scan_head(std::string_view bytes, std::size_t known) {
    if (bytes.starts_with('\r') || bytes.starts_with(http2_preface)) return {HeadScan::State::bad, 0};
    return scan_lines(bytes, known, is_first_line);
}

HeadScan scan_fields(std::string_view bytes, std::size_t known) {
    return scan_lines(bytes, known, is_field);
}

} // namespace pfar::proxy_connect
