// pfar-bench-gateway-echo: the least MCP server over stdio, so that what is measured is the way to it. Static: it needs no library in a sandbox.
// All lines of one read are answered by one write, unless that grows large; JSON is looked at no closer than it takes to find a member, in whatever order they stand.
#include "gateway.hpp"

#include <vector>

namespace {

using std::string_view;

constexpr std::size_t most_waiting = std::size_t{1} << 20U;
constexpr string_view tools =
    R"({"tools":[{"name":"echo","description":"Gives back its text.","annotations":{"readOnlyHint":true},)"
    R"("inputSchema":{"type":"object","properties":{"text":{"type":"string","maxLength":100000}},"required":["text"]},)"
    R"("outputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},)"
    R"({"name":"big","description":"Gives 1 MiB of text.","annotations":{"readOnlyHint":true},)"
    R"("inputSchema":{"type":"object","properties":{}}}]})";
constexpr string_view introduction =
    R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}})";

std::size_t after_string(string_view text, std::size_t at) { // at: its opening quotation mark
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    return at + 1;
}

std::size_t after_value(string_view text, std::size_t at) {
    if (at < text.size() && text[at] == '"') return after_string(text, at);
    for (int depth = 0; at < text.size();) {
        char const c = text[at];
        if (c == '"') {
            at = after_string(text, at);
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        ++at;
        if (depth == 0 && (c == '}' || c == ']')) return at;
    }
    return at;
}

std::size_t after_blanks(string_view text, std::size_t at) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r')) ++at;
    return at;
}

struct Wanted {
    string_view key;
    string_view* value;
};

void find_members(string_view object, std::initializer_list<Wanted> wanted) {
    auto at = after_blanks(object, 0);
    if (at >= object.size() || object[at] != '{') return;
    for (at = after_blanks(object, at + 1); at < object.size() && object[at] == '"';) {
        auto const key_end = after_string(object, at);
        auto const key = object.substr(at + 1, key_end - at - 2);
        auto const begin = after_blanks(object, after_blanks(object, key_end) + 1); // behind the colon
        auto const end = after_value(object, begin);
        for (auto const& [name, value] : wanted)
            if (name == key) *value = object.substr(begin, end - begin);
        at = after_blanks(object, after_blanks(object, end) + 1); // behind the comma
    }
}

class Echo {
public:
    void answer(string_view line) {
        string_view id, method, params;
        find_members(line, {{"id", &id}, {"method", &method}, {"params", &params}});
        if (id.empty() || method.empty()) return;
        if (method == R"("tools/call")")
            call(id, params);
        else if (method == R"("initialize")")
            result(id, introduction);
        else if (method == R"("tools/list")")
            result(id, tools);
        else if (method == R"("ping")")
            result(id, "{}");
        else
            add(R"({"jsonrpc":"2.0","id":)", id, R"(,"error":{"code":-32601,"message":"Method not found"}})", "\n");
    }

    [[nodiscard]] std::size_t waiting() const { return out_.size(); }
    void flush() {
        bench::write_all(STDOUT_FILENO, out_);
        out_.clear();
    }

private:
    template <class... Parts> void add(Parts... parts) { (out_.append(parts), ...); }
    void result(string_view id, string_view what) {
        add(R"({"jsonrpc":"2.0","id":)", id, R"(,"result":)", what, "}\n");
    }

    void call(string_view id, string_view params) {
        string_view name, arguments, text = "\"\"";
        find_members(params, {{"name", &name}, {"arguments", &arguments}});
        if (name == R"("big")") return result(id, big_);
        find_members(arguments, {{"text", &text}});
        add(R"({"jsonrpc":"2.0","id":)", id, R"(,"result":{"content":[{"type":"text","text":)", text,
            R"(}],"structuredContent":{"text":)", text, "}}}\n");
    }

    std::string out_;
    std::string const big_ = R"({"content":[{"type":"text","text":")" + bench::big_text() + "\"}]}";
};

} // namespace

int main() {
    Echo echo;
    std::vector<char> buffer(std::size_t{1} << 20U);
    for (std::size_t had = 0;;) {
        if (had == buffer.size()) buffer.resize(buffer.size() * 2);
        auto const count = ::read(STDIN_FILENO, buffer.data() + had, buffer.size() - had);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return 0;
        string_view text(buffer.data(), had + static_cast<std::size_t>(count));
        for (auto end = text.find('\n', had); end != string_view::npos; end = text.find('\n')) {
            echo.answer(text.substr(0, end));
            if (echo.waiting() > most_waiting) echo.flush();
            text.remove_prefix(end + 1);
            had = 0;
        }
        echo.flush();
        had = text.size();
        std::memmove(buffer.data(), text.data(), had);
    }
}
