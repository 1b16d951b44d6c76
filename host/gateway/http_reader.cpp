// The only file that knows Beast: its parser does the grammar and the chunks. What it lets pass and a proxy could read otherwise is refused before:
// folded lines, repeated lengths, other transfer codings, targets that are no plain path.
#include "gateway/http_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <array>

namespace pfar::gateway {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

/// Grows with what arrives; Beast's own would believe the announced length.
struct GrowingBody {
    using value_type = HttpBody;
    struct reader {
        template <bool is_request, class Fields>
        reader(http::header<is_request, Fields>& /*head*/, value_type& body) : body_(body) {}
        void init(boost::optional<std::uint64_t> const& /*length*/, error_code& error) { error = {}; }
        template <class Buffers> std::size_t put(Buffers const& buffers, error_code& error) {
            auto const before = body_.size();
            error = {};
            for (auto const buffer : boost::beast::buffers_range_ref(buffers))
                if (!body_.append({static_cast<char const*>(buffer.data()), buffer.size()}))
                    error = http::error::buffer_overflow;
            return body_.size() - before;
        }
        void finish(error_code& error) { error = {}; }

    private:
        value_type& body_;
    };
};

/// Those of which a second one could mean another thing.
constexpr std::array<std::string_view, 12> single{
    "host",   "content-length",       "transfer-encoding", "content-type", "authorization", "origin",
    "cookie", "mcp-protocol-version", "mcp-session-id",    "expect",       "last-event-id", "sec-fetch-site"};

char const* fault_of_lines(std::string_view head, std::size_t most_lines) {
    std::size_t lines = 0;
    for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
        auto const next = head.substr(at + 2, 1);
        if (next == " " || next == "\t") return "a header line is folded";
        if (++lines > most_lines + 2) return "too many header lines";
    }
    return nullptr;
}

char const* fault_of_fields(HttpRequest const& request) {
    if (!request.has("host")) return "there is no Host field";
    auto const length = request.field("content-length");
    if (length.find_first_not_of("0123456789") != std::string_view::npos) return "Content-Length is no number";
    if (!request.has("transfer-encoding")) return nullptr;
    if (request.has("content-length")) return "Content-Length and Transfer-Encoding exclude each other";
    if (!request.is_new) return "HTTP/1.0 knows no Transfer-Encoding";
    return lower_case(request.field("transfer-encoding")) == "chunked" ? nullptr
                                                                       : "the only Transfer-Encoding here is chunked";
}

} // namespace

struct HttpReader::Parser {
    http::request_parser<GrowingBody> parser;
};

HttpReader::HttpReader(HttpLimits const& limits) : limits_(limits) {}
HttpReader::~HttpReader() = default;

std::size_t HttpReader::feed(std::string_view bytes) {
    if (stage_ == Stage::head) return feed_head(bytes);
    return stage_ == Stage::body ? feed_body(bytes) : 0;
}

std::size_t HttpReader::feed_head(std::string_view bytes) {
    auto const end = bytes.find("\r\n\r\n", searched_ < 3 ? 0 : searched_ - 3);
    auto const size = end == std::string_view::npos ? bytes.size() : end + 4;
    searched_ = size;
    if (size > limits_.head) return refuse(431, "the header is larger than 16 KiB; send less"), 0;
    if (end == std::string_view::npos) return 0;
    if (auto const* const fault = fault_of_lines(bytes.substr(0, size), limits_.head_lines))
        return refuse(400, fault), 0;
    parser_ = std::make_unique<Parser>();
    parser_->parser.header_limit(static_cast<std::uint32_t>(limits_.head));
    parser_->parser.body_limit(boost::none);
    error_code error;
    parser_->parser.put(boost::asio::const_buffer(bytes.data(), size), error);
    if (error || !parser_->parser.is_header_done())
        return refuse(400, "this is no HTTP/1.1 request: " + error.message()), 0;
    take_head();
    return size;
}

/// A list may be cut into several fields of one name.
void HttpReader::add_field(std::string name, std::string_view value) {
    auto const same = std::find_if(request_.fields.begin(), request_.fields.end(),
                                   [&](auto const& field) { return field.first == name; });
    if (same == request_.fields.end())
        request_.fields.emplace_back(std::move(name), value);
    else if (std::find(single.begin(), single.end(), name) != single.end())
        refuse(400, "the header field " + name + " stands in it twice");
    else
        same->second.append(", ").append(value);
}

void HttpReader::take_head() {
    auto const& head = parser_->parser.get();
    request_.is_new = head.version() == 11;
    request_.keeps = parser_->parser.keep_alive() && request_.is_new;
    request_.method = std::string(head.method_string());
    for (auto const& field : head.base()) add_field(lower_case(std::string(field.name_string())), field.value());
    std::string const target(head.target());
    request_.path = target.substr(0, target.find('?'));
    if (stage_ == Stage::bad) return;
    if (auto const* const fault = fault_of_fields(request_)) return refuse(400, fault);
    if (!target.starts_with('/')) return refuse(400, "the target is no path");
    if (request_.has("expect") && lower_case(request_.field("expect")) != "100-continue")
        return refuse(417, "nothing but 100-continue can be expected here");
    parser_->parser.eager(true);
    stage_ = parser_->parser.is_done() ? Stage::whole : Stage::body;
}

std::size_t HttpReader::feed_body(std::string_view bytes) {
    error_code error;
    auto const used = parser_->parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (error == http::error::buffer_overflow)
        refuse(503, "there is no memory for the body");
    else if (error == http::error::body_limit)
        refuse(413, "the body is too large");
    else if (error && error != http::error::need_more)
        refuse(400, "the body is malformed: " + error.message());
    else if (parser_->parser.is_done())
        stage_ = Stage::whole;
    else if (bytes.size() - used > limits_.head)
        refuse(400, "the body is malformed: the line of a chunk is too long");
    return used;
}

HttpRequest HttpReader::take() {
    if (parser_) request_.body = std::move(parser_->parser.get().body());
    return std::move(request_);
}

std::size_t HttpReader::arrived() const {
    return parser_ ? parser_->parser.get().body().size() : 0;
}

void HttpReader::limit_body(std::size_t most) {
    if (stage_ != Stage::body) return;
    auto const length = parser_->parser.content_length();
    if (length && *length > most) return refuse(413, "the body is too large");
    parser_->parser.body_limit(most);
}

bool HttpReader::expects_continue() const {
    return stage_ == Stage::body && request_.has("expect") && request_.is_new;
}

void HttpReader::refuse(unsigned status, std::string_view sentence) {
    stage_ = Stage::bad;
    refusal_ = plain_reply(status, sentence);
}

} // namespace pfar::gateway
