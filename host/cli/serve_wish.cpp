// Only form is checked here: whether a server exists and an address may be listened on is the host's to say.
#include "cli/serve_wish.hpp"

#include "base/text.hpp"
#include "config/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace pfar::cli {
namespace {

/// Where a setting was found, for the sentence about it.
struct Setting {
    std::string name, value;
};

std::optional<Setting> setting(Arguments const& arguments, char const* option, char const* variable) {
    if (auto const given = arguments.options.find(option); given != arguments.options.end())
        return Setting{fmt::format("--{}", option), given->second};
    char const* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return {};
    return Setting{variable, value};
}

Error wrong(Setting const& setting, std::string_view expected) {
    return fail(Errc::invalid, fmt::format("{} is {}, not \"{}\"", setting.name, expected,
                                           base::printable(setting.value.substr(0, 200))));
}

bool is_address(std::string_view text) {
    auto const colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return false;
    auto const host = text.substr(0, colon), port = text.substr(colon + 1);
    bool const is_bracketed = host.starts_with('[') && host.ends_with(']');
    if (!is_bracketed && host.find(':') != std::string_view::npos) return false;
    std::uint16_t number = 0;
    auto const [stop, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    return error == std::errc() && stop == port.data() + port.size();
}

/// scheme://host[:port], as browsers send it.
bool is_origin(std::string_view text) {
    auto const stop = text.find("://");
    return stop != std::string_view::npos && stop > 0 && stop + 3 < text.size() &&
           text.find_first_of("/ ?#@", stop + 3) == std::string_view::npos;
}

bool is_host_name(std::string_view text) {
    return !text.empty() && text.find_first_of("/ ?#@,") == std::string_view::npos;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        auto part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
        part = part.substr(0, part.find_last_not_of(' ') + 1);
        if (!part.empty()) out.emplace_back(part);
    }
    return out;
}

struct List {
    char const *option, *variable, *expected;
    bool (*fits)(std::string_view);
};

Result<std::vector<std::string>> list_of(Arguments const& arguments, List const& list) {
    auto const found = setting(arguments, list.option, list.variable);
    if (!found) return std::vector<std::string>();
    auto values = arguments.has(list.option) ? arguments.all(list.option) : split(found->value);
    for (auto const& value : values)
        if (!list.fits(value)) return wrong({found->name, value}, list.expected);
    return values;
}

Result<bool> wants_auth(Arguments const& arguments) {
    if (arguments.has("no-auth")) return false;
    auto const found = setting(arguments, "no-auth", "PFAR_NO_AUTH");
    if (found && found->value != "0" && found->value != "1") return wrong(*found, "0 or 1");
    return !found || found->value == "0";
}

/// Both or none of them, absolute.
Result<void> take_certificate(ServeWish& wish, Arguments const& arguments) {
    auto const certificate = setting(arguments, "tls-cert", "PFAR_TLS_CERT");
    auto const key = setting(arguments, "tls-key", "PFAR_TLS_KEY");
    if (certificate.has_value() != key.has_value())
        return fail(Errc::invalid, fmt::format("{} needs {} too", certificate ? certificate->name : key->name,
                                               certificate ? "--tls-key" : "--tls-cert"));
    std::error_code error;
    if (certificate) wish.certificate = std::filesystem::absolute(certificate->value, error);
    if (key) wish.key = std::filesystem::absolute(key->value, error);
    return {};
}

Result<void> refuse_http_options(Arguments const& arguments) {
    for (auto const* const option : {"no-auth", "tls-cert", "tls-key", "origin", "host-name", "json"})
        if (arguments.has(option)) return fail(Errc::invalid, fmt::format("--{} goes with --http", option));
    return {};
}

/// One server has an address of its own there.
Result<void> take_http(ServeWish& wish, Arguments const& arguments) {
    if (!wish.server.empty())
        return fail(Errc::invalid,
                    "over HTTP each server has an address of its own, /mcp/NAME; leave out --server and PFAR_SERVER");
    PFAR_TRY(auth, wants_auth(arguments));
    PFAR_TRY(origins,
             list_of(arguments, {"origin", "PFAR_ORIGINS", "an origin such as https://example.com", is_origin}));
    PFAR_TRY(hosts, list_of(arguments,
                            {"host-name", "PFAR_HOST_NAMES", "a host name such as pfar.example.com", is_host_name}));
    wish.auth = auth, wish.origins = std::move(origins), wish.hosts = std::move(hosts);
    return take_certificate(wish, arguments);
}

} // namespace

Result<ServeWish> serve_wish(Arguments const& arguments) {
    auto http = setting(arguments, "http", "PFAR_HTTP"), server = setting(arguments, "server", "PFAR_SERVER");
    if (arguments.has("server") && !arguments.has("http")) http.reset(); // the command line wins
    if (arguments.has("http") && !arguments.has("server")) server.reset();
    if (http && !is_address(http->value)) return wrong(*http, "HOST:PORT, such as 127.0.0.1:8900");
    if (server && !config::parse_server_name(server->value)) return wrong(*server, "a server's name");
    ServeWish wish;
    if (server) wish.server = server->value;
    if (http) wish.http = http->value;
    auto const rest = http ? take_http(wish, arguments) : refuse_http_options(arguments);
    if (!rest) return rest.error();
    return wish;
}

} // namespace pfar::cli
