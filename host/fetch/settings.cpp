#include "fetch/settings.hpp"

#include "fetch/header_rules.hpp"

#include <fmt/format.h>

#include <charconv>

namespace pfar::fetch {
namespace {

constexpr std::size_t most_seconds = 600, most_response = 2U << 20U; // escaped as JSON it still has to fit a line

std::string_view text_of(Variable const& variable, char const* name) {
    auto const* const value = variable(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

Error wrong_variable(char const* name, std::string_view why) {
    return fail(Errc::invalid, fmt::format("{} {}", name, why));
}

Result<std::size_t> number_of(Variable const& variable, char const* name, std::size_t otherwise, std::size_t most) {
    auto const text = text_of(variable, name);
    if (text.empty()) return otherwise;
    std::size_t out = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size() || out == 0 || out > most)
        return wrong_variable(name, fmt::format("is no number from 1 to {}; correct it", most));
    return out;
}

Result<void> read_auth(Settings& settings, Variable const& variable) {
    auto const token = text_of(variable, "PFAR_HTTP_TOKEN");
    if (!token.empty() && !settings.base)
        return wrong_variable("PFAR_HTTP_TOKEN", "is set, but not PFAR_HTTP_BASE: nobody would get it; set both");
    if (!is_field_value(token))
        return wrong_variable("PFAR_HTTP_TOKEN",
                              "has a line break or a control character in it; store the token again");
    settings.token = Secret(token);
    if (auto const name = text_of(variable, "PFAR_HTTP_AUTH_HEADER"); !name.empty()) settings.auth_header = name;
    if (auto const* const scheme = variable("PFAR_HTTP_AUTH_SCHEME")) settings.auth_scheme = scheme; // empty: none
    if (!is_field_name(settings.auth_header))
        return wrong_variable("PFAR_HTTP_AUTH_HEADER", "is no name of a header; correct it");
    if (!is_field_value(settings.auth_scheme))
        return wrong_variable("PFAR_HTTP_AUTH_SCHEME", "has control characters in it; correct it");
    return {};
}

Result<void> read_base(Settings& settings, Variable const& variable) {
    auto const text = text_of(variable, "PFAR_HTTP_BASE");
    if (text.empty()) return {};
    auto base = read_target(text);
    if (!base) return wrong_variable("PFAR_HTTP_BASE", "cannot be used: " + base.error().what);
    if (text.find_first_of("?#") != std::string_view::npos)
        return wrong_variable("PFAR_HTTP_BASE", "has a query or a fragment; give scheme, host and path only");
    settings.base = std::move(*base);
    return {};
}

} // namespace

Result<Settings> read_settings(Variable const& variable) {
    Settings out;
    PFAR_CHECK(read_base(out, variable));
    PFAR_CHECK(read_auth(out, variable));
    PFAR_TRY(seconds, number_of(variable, "PFAR_HTTP_TIMEOUT", 30, most_seconds));
    out.timeout = std::chrono::seconds(seconds);
    PFAR_TRY(bytes, number_of(variable, "PFAR_HTTP_MAX", out.most_bytes, most_response));
    out.most_bytes = bytes;
    out.ca_file = text_of(variable, "SSL_CERT_FILE");
    out.ca_directory = text_of(variable, "SSL_CERT_DIR");
    return out;
}

} // namespace pfar::fetch
