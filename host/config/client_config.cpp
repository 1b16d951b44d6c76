// Values are secrets until they are known to be none: the tree lies in memory that is wiped, and no message has anything of it but keys.
#include "config/client_config.hpp"

#include "base/text.hpp"
#include "config/values.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <new>
#include <optional>

namespace pfar::config {
namespace {

namespace json = boost::json;

constexpr std::size_t most_servers = 100;

/// Every alignment is the usual one: Boost.JSON 1.81 gives a key back with another than it asked for.
class Wiping final : public json::memory_resource {
    void* do_allocate(std::size_t bytes, std::size_t /*align*/) override { return ::operator new(bytes); }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t /*align*/) override {
        ::explicit_bzero(memory, bytes);
        ::operator delete(memory);
    }
    bool do_is_equal(json::memory_resource const& other) const noexcept override { return this == &other; }
};

/// A key for a sentence; short, because somebody may have pasted anything.
std::string shown(std::string_view key) {
    return base::printable(key.substr(0, 40)) + (key.size() > 40 ? "..." : "");
}

std::string text_of(json::string const& text) {
    return {text.data(), text.size()};
}

Error not_json(std::string_view text, std::size_t at, std::string_view why) {
    auto const before = text.substr(0, at);
    auto const line = std::count(before.begin(), before.end(), '\n') + 1;
    auto const column = at - (before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1) + 1;
    return fail(Errc::invalid, fmt::format("that is not JSON: {} at line {}, column {}; paste a client's whole "
                                           "configuration, or {{\"NAME\": {{\"command\": ..., \"args\": [...]}}}}",
                                           why, line, column));
}

/// Without the braces around it, as documents often show it: "notion": { ... }
bool is_inside(std::string_view text) {
    auto const first = text.find_first_not_of(" \t\r\n");
    return first != text.npos && text[first] == '"';
}

Result<json::value> parse(std::string_view text, Wiping& memory) {
    json::parse_options options;
    options.allow_comments = options.allow_trailing_commas = true;
    json::stream_parser parser(&memory, options);
    parser.reset(&memory);
    boost::system::error_code error;
    bool const inside = is_inside(text);
    if (inside) parser.write("{", error);
    auto const read = parser.write_some(text.data(), text.size(), error);
    if (error) return not_json(text, read, error.message());
    if (inside && !parser.done()) parser.write("}", error);
    auto const rest = text.substr(std::min(read, text.size()));
    if (!error && rest.find_first_not_of(" \t\r\n") != rest.npos) return not_json(text, read, "more behind its end");
    if (!error) parser.finish(error);
    if (error) return not_json(text, text.size(), "it ends too early");
    return parser.release();
}

std::string said(json::object const& entry, std::string_view key) {
    auto const* const value = entry.if_contains(key);
    return value != nullptr && value->is_string() ? text_of(value->get_string()) : "";
}

bool is_entry(json::value const& value) {
    if (!value.is_object()) return false;
    auto const& object = value.get_object();
    return std::any_of(object.begin(), object.end(), [](auto const& pair) {
        constexpr std::array keys{"command", "url", "serverUrl", "httpUrl", "uri"};
        auto const is_key = std::find(keys.begin(), keys.end(), pair.key()) != keys.end();
        return is_key && (pair.value().is_string() || pair.value().is_array() || pair.key() == "command");
    });
}

/// The map from names to servers.
json::object const* servers_in(json::object const& root) {
    for (auto const* const key : {"mcpServers", "servers", "context_servers", "mcp"}) {
        auto const* const found = root.if_contains(key);
        if (found == nullptr || !found->is_object() || is_entry(*found)) continue;
        auto const* const deeper = servers_in(found->get_object());
        return deeper != nullptr ? deeper : &found->get_object();
    }
    return nullptr;
}

class EntryReader {
public:
    EntryReader(std::string_view name, json::object const& entry) : entry_(entry) { out_.name = name; }

    Result<ClientServer> read() {
        PFAR_CHECK(refuse_remote());
        for (auto const& pair : entry_) PFAR_CHECK(take(pair.key(), pair.value()));
        if (out_.command.empty()) return wrong("has no command; {\"command\": \"node\", \"args\": [\"/path/x.js\"]}");
        return std::move(out_);
    }

private:
    [[nodiscard]] Error wrong(std::string_view what) const {
        return fail(Errc::invalid, fmt::format("{} {}", out_.name.empty() ? "the server" : shown(out_.name), what));
    }

    [[nodiscard]] Result<void> refuse_remote() const {
        auto const type = said(entry_, "type"), transport = said(entry_, "transport");
        bool const local = type.empty() || type == "stdio" || type == "local" || type == "custom";
        bool remote = !local || (!transport.empty() && transport != "stdio");
        for (auto const* const key : {"url", "serverUrl", "httpUrl", "uri"}) remote = remote || entry_.contains(key);
        if (!remote) return {};
        return fail(Errc::unsupported,
                    fmt::format("{} is a remote server: pfar runs servers on this machine, and there is nothing of it "
                                "here to run; connect your agent to it directly, or find one that runs here",
                                out_.name.empty() ? "that" : shown(out_.name)));
    }

    Result<void> take(std::string_view key, json::value const& value) {
        if (key == "command") return take_command(value);
        if (key == "args") return take_args(value);
        if (key == "env" || key == "environment") return take_env(value);
        if (key == "cwd") return take_text(value, key, out_.cwd);
        if (key == "description") return take_text(value, key, out_.description);
        if (key == "disabled" && value.is_bool())
            return out_.disabled = out_.disabled || value.get_bool(), Result<void>();
        if (key == "enabled" && value.is_bool())
            return out_.disabled = out_.disabled || !value.get_bool(), Result<void>();
        if (key == "type" || key == "transport" || key == "name" || key == "source") return {};
        if (key == "alwaysAllow" || key == "autoApprove" || key == "trust")
            out_.left_out.push_back(
                fmt::format("{} is left out: what is asked for is said by [tools.NAME] approve", shown(key)));
        else if (key == "envFile" && value.is_string())
            out_.env_file = text_of(value.get_string()), out_.left_out.emplace_back(env_file_left_out);
        else
            out_.left_out.push_back(fmt::format("{} is left out: pfar has no such setting", shown(key)));
        return {};
    }

    Result<void> take_text(json::value const& value, std::string_view key, std::string& to) {
        if (!value.is_string()) return wrong(fmt::format("has a {} that is no text", shown(key)));
        to = text_of(value.get_string());
        return {};
    }

    /// A text, a list (OpenCode), or { path, args, env } (Zed).
    Result<void> take_command(json::value const& value) {
        if (value.is_array()) {
            PFAR_CHECK(take_args(value));
            if (out_.args.empty()) return wrong("has an empty command");
            out_.command = out_.args.front();
            out_.args.erase(out_.args.begin());
            return {};
        }
        if (!value.is_object()) return take_text(value, "command", out_.command);
        for (auto const& pair : value.get_object()) {
            bool const path = pair.key() == "path";
            PFAR_CHECK(path ? take_text(pair.value(), "path", out_.command) : take(pair.key(), pair.value()));
        }
        return {};
    }

    Result<void> take_args(json::value const& value) {
        if (value.is_null()) return {};
        if (!value.is_array()) return wrong("has args that are no list; write \"args\": [\"one\", \"two\"]");
        for (auto const& item : value.get_array()) {
            if (!item.is_string() && !item.is_number()) return wrong("has an argument that is no text");
            out_.args.push_back(item.is_string() ? text_of(item.get_string()) : json::serialize(item));
        }
        return {};
    }

    Result<void> take_env(json::value const& value) {
        if (value.is_null()) return {};
        if (!value.is_object()) return wrong("has an env that is no table; write \"env\": {\"NAME\": \"value\"}");
        for (auto const& pair : value.get_object()) {
            auto const& given = pair.value();
            if (given.is_null()) continue;
            if (given.is_structured()) return wrong(fmt::format("has an env.{} that is no text", shown(pair.key())));
            out_.env.emplace_back(std::string(pair.key()),
                                  given.is_string() ? Secret({given.get_string().data(), given.get_string().size()})
                                                    : Secret(json::serialize(given)));
        }
        return {};
    }

    json::object const& entry_;
    ClientServer out_;
};

Result<ClientServer> read_entry(std::string_view name, json::value const& value) {
    if (value.is_object()) return EntryReader(name, value.get_object()).read();
    return fail(Errc::invalid,
                fmt::format("{} is no server; a server is {{\"command\": ..., \"args\": [...]}}", shown(name)));
}

} // namespace

Result<std::vector<ClientServer>> read_client_config(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    if (text.find_first_not_of(" \t\r\n") == text.npos)
        return fail(
            Errc::invalid,
            "there is nothing on stdin; paste a client's configuration, or name a command: pfar add NAME -- COMMAND");
    Wiping memory;
    PFAR_TRY(root, parse(text, memory));
    std::vector<ClientServer> out;
    auto const no_server = fail(Errc::invalid, "there is no server in that; a client's configuration has "
                                               "{\"mcpServers\": {\"NAME\": {\"command\": ..., \"args\": [...]}}}");
    if (!root.is_object()) return no_server;
    auto const& whole = root.get_object();
    auto const* servers = servers_in(whole);
    if (servers == nullptr && is_entry(root)) {
        PFAR_TRY(alone, read_entry(said(whole, "name"), root));
        out.push_back(std::move(alone));
        return out;
    }
    if (servers == nullptr &&
        std::any_of(whole.begin(), whole.end(), [](auto const& pair) { return is_entry(pair.value()); }))
        servers = &whole;
    if (servers == nullptr || servers->empty()) return no_server;
    if (servers->size() > most_servers)
        return fail(Errc::invalid,
                    fmt::format("that has {} servers; at most {} are added at once", servers->size(), most_servers));
    for (auto const& pair : *servers) {
        PFAR_TRY(server, read_entry(pair.key(), pair.value()));
        out.push_back(std::move(server));
    }
    return out;
}

std::string near_server_name(std::string_view name) {
    std::string out;
    for (unsigned char c : name) {
        bool const kept = c < 128 && std::isalnum(c) != 0;
        if (kept)
            out += static_cast<char>(std::tolower(c));
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    out = out.substr(0, 20);
    while (out.ends_with('-')) out.pop_back();
    return out == own_name ? out + "-server" : out;
}

} // namespace pfar::config
