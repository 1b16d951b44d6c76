// [auth]: what a value may be is a reference. A literal is refused, and never quoted in the message.
#include "config/dotenv.hpp"
#include "config/sections.hpp"

namespace pfar::config {
namespace {

Wrong literal(std::string const& full_name, std::string const& key) {
    return {full_name + " is a plain value; credentials do not stand in files",
            "a reference: \"vault:ENTRY\", or ${vault:ENTRY} inside a text",
            fmt::format("put the value into the vault and write: {} = \"vault:{}\"",
                        key.find('.') == std::string::npos ? key : "\"" + key + "\"", entry_for(key))};
}

/// Whatever stands there may be the secret itself, so it is not repeated.
Wrong bad_entry() {
    return {"what stands behind vault: is not the name of an entry", "1 to 64 letters, digits, _, . and -",
            "name the entry, not its value: \"vault:my_token\""};
}

Parsed<std::vector<AuthPiece>> one_entry(std::string_view name) {
    auto entry = parse_entry_name(name);
    if (!entry) return bad_entry();
    return std::vector<AuthPiece>{{true, std::move(*entry)}};
}

/// "postgres://u:${vault:pw}@db/x" -> text, entry, text
Parsed<std::vector<AuthPiece>> pieces_of(std::string_view text) {
    std::vector<AuthPiece> pieces;
    for (;;) {
        auto const at = text.find("${vault:");
        auto const end = at == std::string_view::npos ? at : text.find('}', at);
        if (at != std::string_view::npos && end == std::string_view::npos)
            return Wrong{"${vault: without a }", "${vault:ENTRY}", "close it: ${vault:my_token}"};
        if (!text.substr(0, at).empty()) pieces.push_back({false, std::string(text.substr(0, at))});
        if (at == std::string_view::npos) return pieces;
        auto entry = parse_entry_name(text.substr(at + 8, end - at - 8));
        if (!entry) return bad_entry();
        pieces.push_back({true, std::move(*entry)});
        text.remove_prefix(end + 1);
    }
}

std::optional<AuthValue> read_value(TableReader& table, Entry const& entry) {
    if (!std::holds_alternative<std::string>(entry.value.value)) {
        table.findings().error(entry.value.where,
                               literal(table.full_name(base::printable(entry.key)), base::printable(entry.key)));
        return {};
    }
    auto const given = table.text(entry.key);
    bool const is_reference = given->value.starts_with("vault:");
    if (!is_reference && given->value.find("${vault:") == std::string::npos) {
        table.findings().error(given->where,
                               literal(table.full_name(base::printable(entry.key)), base::printable(entry.key)));
        return {};
    }
    auto parsed = is_reference ? one_entry(std::string_view(given->value).substr(6)) : pieces_of(given->value);
    auto pieces = table.accept(*given, std::move(parsed), base::printable(entry.key));
    if (!pieces) return {};
    return AuthValue{entry.key, std::move(*pieces), given->where};
}

void read_files(TableReader& files, ServerSpec& spec) {
    for (auto const* const entry : files.entries()) {
        if (entry->key.empty() || entry->key.find('/') != std::string::npos || entry->key.starts_with('.') ||
            entry->key.find('\0') != std::string::npos || entry->key.size() > 255)
            files.findings().error(entry->where,
                                   {fmt::format("\"{}\" is not a file name", base::printable(entry->key)),
                                    "a name without / that does not begin with ., of at most 255 bytes",
                                    "such as \"key.json\"; ${auth.files} is the directory it is put into"});
        else if (auto value = read_value(files, *entry))
            spec.auth_files.push_back(std::move(*value));
    }
}

} // namespace

void read_auth(TableReader& section, ServerSpec& spec) {
    if (auto files = section.table("files")) read_files(*files, spec);
    for (auto const* const entry : section.entries()) {
        if (entry->key == "files") continue;
        if (!parse_variable(entry->key)) { // it may be the secret itself, so it is not repeated
            section.findings().error(entry->where, {"a key in [auth] is not the name of an environment variable",
                                                    "letters, digits and _, not beginning with a digit",
                                                    "such as MY_TOKEN = \"vault:my_token\""});
            continue;
        }
        if (auto value = read_value(section, *entry)) spec.auth.push_back(std::move(*value));
    }
}

} // namespace pfar::config
