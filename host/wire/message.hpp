// Message: one JSON-RPC 2.0 message, judged and cut: who it is for, and its payload as it came.
//
// All parts are views of the line it was read from, so it is good only while that is. Whoever needs it longer copies the part.
#pragma once

#include <pfar/result.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace pfar::wire {

inline constexpr std::size_t most_id_bytes = 256, most_method_bytes = 256, most_in_batch = 64;

struct Message {
    enum class Kind { request, notification, result, error };
    Kind kind;
    std::string_view id{};      // as written: a string with its quotation marks, or an integer; empty: a notification
    std::string_view method{};  // without quotation marks
    std::string_view payload{}; // params (may be empty), result, or the error object
};

using OnMessage = std::function<void(Message const&)>;

/// What is wrong with a text that is no message, in words for a log.
using OnTrouble = std::function<void(std::string const& what)>;

/// One message or a batch of them. What is wrong is told, and the rest of a batch still counts. [any thread]
void read_messages(std::string_view text, OnMessage const& heard, OnTrouble const& trouble);

/// Lines ready to be sent, with their end. `params` and `result` are JSON texts; empty params are left out.
std::string request_line(std::string_view id, std::string_view method, std::string_view params);
std::string notification_line(std::string_view method, std::string_view params);
std::string result_line(std::string_view id, std::string_view result);
std::string error_line(std::string_view id, int code, std::string_view message);
/// The same with an error object as it came.
std::string error_line(std::string_view id, std::string_view error);

/// JSON-RPC's and MCP's own numbers.
inline constexpr int parse_error = -32700, invalid_request = -32600, method_not_found = -32601, invalid_params = -32602,
                     internal_error = -32603, server_error = -32000;

/// `text` as a JSON string, with quotation marks.
std::string quoted(std::string_view text);
void append_quoted(std::string& out, std::string_view text);

} // namespace pfar::wire
