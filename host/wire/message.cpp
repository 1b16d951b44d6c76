#include "wire/message.hpp"

#include "wire/scan.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace pfar::wire {
namespace {

/// The members that count. A second one of a name makes the whole ambiguous: two readers could understand two things.
struct Envelope {
    std::string_view version, id, method, params, result, error;
    char const* fault = nullptr;
    std::string plain_method{}; // if it was written with escaped slashes, as some libraries do

    bool put(std::string_view key, std::string_view value) {
        auto* const place = place_of(key);
        if (place == nullptr) return true;
        if (!place->empty()) fault = "a member stands in it twice";
        *place = value;
        return fault == nullptr;
    }

private:
    std::string_view* place_of(std::string_view key) {
        if (key == "jsonrpc") return &version;
        if (key == "id") return &id;
        if (key == "method") return &method;
        if (key == "params") return &params;
        if (key == "result") return &result;
        if (key == "error") return &error;
        return nullptr;
    }
};

bool is_string(std::string_view json) {
    return json.starts_with('"');
}
bool is_structured(std::string_view json) {
    return json.starts_with('{') || json.starts_with('[');
}
bool is_integer(std::string_view json) {
    auto const digits = json.starts_with('-') ? json.substr(1) : json;
    return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

char const* fault_of_id(std::string_view id) {
    if (id.size() > most_id_bytes) return "its id is too long";
    return is_string(id) || is_integer(id) ? nullptr : "its id is neither a string nor an integer";
}

/// `"tools\/call"` -> `tools/call`; empty if it has no escapes, or others.
std::string without_escaped_slashes(std::string_view method) {
    if (!is_string(method) || method.find('\\') == std::string_view::npos) return "";
    std::string out;
    for (auto const c : method.substr(1, method.size() - 2))
        if (c != '\\')
            out += c;
        else
            out += '\0';
    for (auto at = out.find('\0'); at != std::string::npos; at = out.find('\0', at)) {
        if (at + 1 == out.size() || out[at + 1] != '/') return "";
        out.erase(at, 1);
    }
    return out;
}

char const* fault_of_call(Envelope const& in) {
    if (!is_string(in.method)) return "its method is no string";
    if (in.method.size() > most_method_bytes + 2) return "its method's name is too long";
    if (in.method.find('\\') != std::string_view::npos && in.plain_method.empty())
        return "its method's name has an escape in it";
    if (!in.params.empty() && !is_structured(in.params)) return "its params are neither an object nor a list";
    if (!in.result.empty() || !in.error.empty()) return "it is a request and a response";
    return in.id.empty() ? nullptr : fault_of_id(in.id);
}

char const* fault_of_answer(Envelope const& in) {
    if (in.result.empty() == in.error.empty())
        return in.error.empty() ? "it has neither a method, a result nor an error" : "it has a result and an error";
    if (in.id.empty()) return "it answers, but not to any id";
    if (!in.error.empty() && !in.error.starts_with('{')) return "its error is no object";
    return fault_of_id(in.id);
}

char const* fault_of(Envelope const& in) {
    if (in.fault != nullptr) return in.fault;
    if (in.version != "\"2.0\"") return "it does not say \"jsonrpc\": \"2.0\"";
    return in.method.empty() ? fault_of_answer(in) : fault_of_call(in);
}

Message message_of(Envelope const& in) {
    if (in.method.empty())
        return in.error.empty() ? Message{Message::Kind::result, in.id, {}, in.result}
                                : Message{Message::Kind::error, in.id, {}, in.error};
    auto const method =
        in.plain_method.empty() ? in.method.substr(1, in.method.size() - 2) : std::string_view(in.plain_method);
    return {in.id.empty() ? Message::Kind::notification : Message::Kind::request, in.id, method, in.params};
}

/// Of a text that is known to be an object. `again`: it was scanned before, as part of a batch.
void read_one(std::string_view text, OnMessage const& heard, OnTrouble const& trouble) {
    Envelope in;
    bool const whole =
        scan_members(text, [&in](std::string_view key, std::string_view value) { return in.put(key, value); });
    if (!whole && in.fault == nullptr) return trouble("it is no JSON, not whole UTF-8, or nested too deep");
    in.plain_method = without_escaped_slashes(in.method);
    if (auto const* const fault = fault_of(in)) return trouble(fault);
    heard(message_of(in));
}

void read_batch(std::string_view text, OnMessage const& heard, OnTrouble const& trouble) {
    std::vector<std::string_view> elements;
    ScanTask task;
    task.element = [&elements](std::string_view value) {
        elements.push_back(value);
        return elements.size() <= most_in_batch;
    };
    task.depth = most_depth + 1;
    bool const whole = scan(text, task);
    if (elements.size() > most_in_batch) return trouble("a batch of more than 64 messages");
    if (!whole) return trouble("it is no JSON, not whole UTF-8, or nested too deep");
    if (elements.empty()) return trouble("an empty batch");
    for (auto const element : elements)
        element.starts_with('{') ? read_one(element, heard, trouble)
                                 : trouble("a batch with something else than messages in it");
}

} // namespace

void read_messages(std::string_view text, OnMessage const& heard, OnTrouble const& trouble) {
    auto const begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return; // an empty line says nothing
    if (text[begin] == '{') return read_one(text, heard, trouble);
    if (text[begin] == '[') return read_batch(text, heard, trouble);
    trouble("it is no JSON object");
}

namespace {

/// The parts one after the other, copied once: a payload may be long.
std::string joined(std::initializer_list<std::string_view> parts) {
    std::size_t size = 1;
    for (auto const part : parts) size += part.size();
    std::string out;
    out.reserve(size);
    for (auto const part : parts) out += part;
    return out;
}

} // namespace

std::string request_line(std::string_view id, std::string_view method, std::string_view params) {
    if (params.empty()) return joined({R"({"jsonrpc":"2.0","id":)", id, R"(,"method":")", method, "\"}\n"});
    return joined({R"({"jsonrpc":"2.0","id":)", id, R"(,"method":")", method, R"(","params":)", params, "}\n"});
}

std::string notification_line(std::string_view method, std::string_view params) {
    if (params.empty()) return joined({R"({"jsonrpc":"2.0","method":")", method, "\"}\n"});
    return joined({R"({"jsonrpc":"2.0","method":")", method, R"(","params":)", params, "}\n"});
}

std::string result_line(std::string_view id, std::string_view result) {
    return joined({R"({"jsonrpc":"2.0","id":)", id, R"(,"result":)", result, "}\n"});
}

std::string error_line(std::string_view id, int code, std::string_view message) {
    return error_line(id, fmt::format(R"({{"code":{},"message":{}}})", code, quoted(message)));
}

std::string error_line(std::string_view id, std::string_view error) {
    return joined({R"({"jsonrpc":"2.0","id":)", id, R"(,"error":)", error, "}\n"});
}

void append_quoted(std::string& out, std::string_view text) {
    bool const plain = std::all_of(text.begin(), text.end(), [](char byte) {
        return static_cast<unsigned char>(byte) >= 0x20 && byte != '"' && byte != '\\';
    });
    if (plain)
        out.append("\"").append(text).append("\"");
    else
        out += boost::json::serialize(boost::json::string_view(text.data(), text.size()));
}

std::string quoted(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 2);
    append_quoted(out, text);
    return out;
}

} // namespace pfar::wire
