// HttpRequest and HttpReply: what was asked and what is said to it, as plain values.
#pragma once

#include "gateway/http_body.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pfar::gateway {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
    std::string method, path; // without the query
    HttpFields fields;        // names in lower case, each at most once where it matters
    HttpBody body;
    bool is_new = true; // HTTP/1.1, not 1.0
    bool keeps = true;  // the connection may be used again

    /// Empty if it is not there.
    [[nodiscard]] std::string_view field(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const;
};

struct HttpReply {
    unsigned status = 200;
    std::string type{}, body{}; // no type: no body
    HttpFields fields{};
};

/// A sentence, as plain text.
HttpReply plain_reply(unsigned status, std::string_view sentence);
/// A sentence as a JSON-RPC error that answers `id`, a JSON text.
HttpReply rpc_reply(unsigned status, int code, std::string_view sentence, std::string_view id = "null");

/// How the reply goes over the connection.
struct HttpFraming {
    bool is_new = true, keeps = true;
    bool streamed = false; // the body follows in pieces, as long as it may
};
/// Status line and fields, with the empty line.
std::string head_text(HttpReply const& reply, HttpFraming const& framing);

/// One piece of a streamed body.
std::string chunk_text(std::string_view bytes);

/// Without the blanks around it; in lower case.
std::string_view trimmed(std::string_view text);
std::string lower_case(std::string_view text);
/// Whether a list such as Accept's names it, without regard to parameters.
bool names_token(std::string_view list, std::string_view token);
/// The value of a cookie.
std::string_view cookie(HttpRequest const& request, std::string_view name);
/// The value of a field of a form that was posted; none if it is not there or malformed.
std::optional<std::string> form_value(std::string_view form, std::string_view name);

} // namespace pfar::gateway
