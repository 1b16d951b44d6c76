#include "fetch/arguments.hpp"

#include "base/text.hpp"
#include "fetch/header_rules.hpp"
#include "wire/json_text.hpp"
#include "wire/scan.hpp"
#include "wire/splice.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::fetch {
namespace {

using Members = std::vector<wire::Member>;
constexpr std::size_t most_fields = 64, most_pairs = 200;

Error wrong(std::string what) {
    return fail(Errc::invalid, std::move(what));
}

Result<std::string> text_member(Members const& members, std::string_view key) {
    auto const value = wire::value_of(members, key);
    if (value.empty() || value == "null") return std::string();
    if (!value.starts_with('"')) return wrong(fmt::format("{} is no text", key));
    return wire::string_in(value);
}

Result<Members> object_member(Members const& members, std::string_view key, std::size_t most) {
    auto const value = wire::value_of(members, key);
    if (value.empty() || value == "null") return Members();
    auto parts = wire::members_once(value, {}, most);
    return parts ? std::move(parts) : wrong(fmt::format("{} is no object of at most {} names and values", key, most));
}

std::string name_of(wire::Member const& member) {
    return wire::string_in(fmt::format("\"{}\"", member.key));
}

/// A number goes out as it was written.
Result<std::string> scalar_text(std::string_view key, std::string_view value) {
    if (value.starts_with('"')) return wire::string_in(value);
    if (value.starts_with('{') || value.starts_with('[') || value == "null")
        return wrong(fmt::format("{} is no text, number or truth value", base::printable(key)));
    return std::string(value);
}

Result<std::string> read_method(Tool tool, Members const& members) {
    PFAR_TRY(method, text_member(members, "method"));
    std::transform(method.begin(), method.end(), method.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    if (tool == Tool::fetch) {
        if (method.empty()) return std::string("GET");
        if (method == "GET" || method == "HEAD") return method;
        return fail(Errc::refused, "fetch only reads, with GET or HEAD; use the tool request for other methods");
    }
    bool const word = !method.empty() && method.size() <= 20 &&
                      std::all_of(method.begin(), method.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!word) return wrong("method is missing or is no word such as POST, PUT, PATCH or DELETE");
    if (method == "CONNECT" || method == "TRACE")
        return fail(Errc::refused, method + " is not for agents; use another method");
    return method;
}

bool is_whole_url(std::string_view text) {
    return text.find("://") != std::string_view::npos && text.find("://") < text.find_first_of("/?#");
}

/// One of both, and either may stand in the other's place: agents mix them up.
Result<Target> read_place(Members const& members, Settings const& settings) {
    PFAR_TRY(url, text_member(members, "url"));
    PFAR_TRY(path, text_member(members, "path"));
    if (!url.empty() && !path.empty()) return wrong("url and path exclude each other; give one of them");
    auto const place = url.empty() ? path : url;
    if (!is_whole_url(place) && (url.empty() || place.starts_with('/'))) {
        if (!settings.base) return wrong("this server has no base for a path; give a whole url");
        return target_below(*settings.base, place);
    }
    PFAR_TRY(target, read_target(place));
    if (settings.base) PFAR_CHECK(check_stays(*settings.base, target));
    return target;
}

Result<std::string> read_query(Members const& members) {
    PFAR_TRY(pairs, object_member(members, "query", most_pairs));
    std::string out;
    std::size_t count = 0;
    for (auto const& pair : pairs) {
        auto const key = name_of(pair);
        auto const values = pair.value.starts_with('[') ? wire::elements_of(pair.value, most_pairs + 1)
                                                        : std::vector<std::string_view>{pair.value};
        for (auto const one : values) {
            PFAR_TRY(text, scalar_text(key, one));
            if (++count > most_pairs) return wrong(fmt::format("query has more than {} values", most_pairs));
            out += fmt::format("{}{}={}", out.empty() ? "" : "&", percent_encoded(key), percent_encoded(text));
        }
    }
    return out;
}

Result<std::vector<std::string>> read_fields(Members const& members, Settings const& settings) {
    PFAR_TRY(fields, object_member(members, "headers", most_fields));
    std::vector<std::string> out;
    for (auto const& field : fields) {
        auto const name = name_of(field);
        PFAR_TRY(text, scalar_text(name, field.value));
        PFAR_CHECK(check_field(name, text, settings.auth_header));
        out.push_back(text.empty() ? name + ';' : name + ": " + text); // curl's way to send an empty one
    }
    return out;
}

/// A JSON value goes out as it was written: numbers stay as exact as they are.
Result<void> read_body(Members const& members, Wanted& wanted) {
    auto const value = wire::value_of(members, "body");
    if (value.empty()) return {};
    if (wanted.method == "HEAD") return wrong("HEAD has no body; leave it out, or use another method");
    bool const text = value.starts_with('"');
    wanted.body = text ? wire::string_in(value) : std::string(value);
    auto const first = wanted.body->find_first_not_of(" \t\r\n");
    bool const braces = first != std::string::npos && ((*wanted.body)[first] == '{' || (*wanted.body)[first] == '[');
    bool const is_json = !text || (braces && wire::scan(*wanted.body, {}));
    wanted.body_type = is_json ? "application/json" : "text/plain; charset=utf-8";
    return {};
}

Result<void> check_names(Tool tool, Members const& members) {
    for (auto const& member : members) {
        bool const common = member.key == "url" || member.key == "path" || member.key == "method" ||
                            member.key == "headers" || member.key == "query";
        if (!common && !(tool == Tool::request && member.key == "body"))
            return wrong(
                fmt::format("there is no argument {} here", base::printable(base::whole_text(member.key, 100))));
    }
    return {};
}

} // namespace

Result<Wanted> read_arguments(Tool tool, std::string_view arguments, Settings const& settings) {
    PFAR_TRY(members, wire::members_once(arguments, {"url", "path", "method", "headers", "query", "body"}, 100));
    PFAR_CHECK(check_names(tool, members));
    Wanted out;
    PFAR_TRY(method, read_method(tool, members));
    out.method = method;
    PFAR_TRY(place, read_place(members, settings));
    PFAR_TRY(query, read_query(members));
    PFAR_TRY(target, with_query(place, query));
    out.target = target;
    PFAR_TRY(fields, read_fields(members, settings));
    out.fields = std::move(fields);
    PFAR_CHECK(read_body(members, out));
    return out;
}

} // namespace pfar::fetch
