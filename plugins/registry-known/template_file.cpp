// The shape of a template, as a list of reads; what it has to fulfil beyond that is in the rules.
#include "template_file.hpp"

#include "template_names.hpp"
#include "template_rules.hpp"
#include "toml_table.hpp"

#include <fstream>
#include <iterator>

namespace pfar::registry_known {

namespace {

Package package_in(TomlTable& table) {
    Package package;
    auto const npm = table.text("npm"), pypi = table.text("pypi");
    if (npm.empty() == pypi.empty()) table.mistake("names one package: npm = \"...\" or pypi = \"...\"");
    package.source = npm.empty() ? Package::Source::pypi : Package::Source::npm;
    package.name = npm.empty() ? pypi : npm;
    package.version = table.required("version"); // pinned: what was looked at is what is installed
    package.entry = table.required("entry");
    return package;
}

CredentialNeed credential_in(TomlTable& table) {
    CredentialNeed need;
    need.variable = table.required("variable");
    need.prompt = table.required("prompt");
    need.help_url = table.text("help_url");
    need.starts_with = table.text("starts_with");
    need.pattern = table.text("pattern");
    if (auto value = table.text("value"); !value.empty()) need.value = std::move(value);
    need.file = table.text("file");
    need.multiline = table.flag("multiline", false);
    need.required = table.flag("required", true);
    return need;
}

Parameter::Kind kind_in(TomlTable& table) {
    using Kind = Parameter::Kind;
    auto const kind = table.one_of("kind", {"text", "folder", "file", "host", "choice"});
    if (kind == "folder") return Kind::folder;
    if (kind == "file") return Kind::file;
    if (kind == "host") return Kind::host;
    return kind == "choice" ? Kind::choice : Kind::text;
}

Parameter parameter_in(TomlTable& table) {
    Parameter parameter;
    parameter.name = table.required("name");
    parameter.prompt = table.required("prompt");
    parameter.help = table.text("help");
    parameter.kind = kind_in(table);
    parameter.choices = table.texts("choices");
    parameter.pattern = table.text("pattern");
    parameter.fallback = table.text("fallback");
    return parameter;
}

VerifyCall verify_in(TomlTable& table) {
    VerifyCall verify;
    verify.tool = table.required("tool");
    verify.arguments_json = table.text("arguments");
    if (verify.arguments_json.empty()) verify.arguments_json = "{}";
    verify.refused = table.text("refused");
    return verify;
}

void read_plain_keys(TomlTable& table, KnownServer& server) {
    server.title = table.required("title");
    server.description = table.required("description");
    server.aliases = table.texts("aliases");
    server.command = table.text("command");
    server.args = table.texts("args");
    server.environment = table.pairs("environment");
    server.domains = table.texts("domains");
    server.allow_private = table.texts("allow_private");
    server.label = table.one_of("label", {"public", "internal", "sensitive", "regulated", "secret"});
    server.taint = table.one_of("taint", {"clean", "extracted", "raw"});
    server.reads = table.texts("reads");
    server.read_only = table.flag("read_only", false);
    server.notes = table.texts("notes");
    server.homepage = table.text("homepage");
    server.not_yet = table.text("not_yet");
}

void read_server(TomlTable& table, KnownServer& server) {
    read_plain_keys(table, server);
    table.with("package", [&](TomlTable& inner) { server.package = package_in(inner); });
    table.with("verify", [&](TomlTable& inner) { server.verify = verify_in(inner); });
    table.each("credentials", [&](TomlTable& inner) { server.credentials.push_back(credential_in(inner)); });
    table.each("parameters", [&](TomlTable& inner) { server.parameters.push_back(parameter_in(inner)); });
    table.each("grants", [&](TomlTable& inner) {
        server.grants.push_back({inner.required("path"), inner.flag("write", false)});
    });
    table.finish();
}

// A template with holes would only be complained about twice.
void judge_template(KnownServer const& server, TomlTable& table, Mistakes const& mistakes) {
    if (mistakes.first()) return;
    for (auto const& [key, item, what] : complaints(server)) {
        if (key.empty())
            table.mistake(what);
        else
            table.mistake(key, item, what);
    }
}

// As for a server file: it becomes one.
bool is_server_name(std::string_view name) {
    constexpr auto allowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
    return !name.empty() && name.size() <= 20 && name.front() != '-' &&
           name.find_first_not_of(allowed) == std::string_view::npos;
}

KnownServer server_in(toml::key const& key, toml::node const& item, Mistakes& mistakes) {
    KnownServer server;
    server.name = std::string(key.str());
    auto const& name = server.name;
    if (!is_server_name(name)) {
        mistakes.add(key.source(), name + " is no server name: [a-z0-9-], at most 20, no - first");
    } else if (!item.is_table()) {
        mistakes.add(key.source(), name + " has to be a table: [" + name + "] and its keys below it");
    } else {
        TomlTable table(*item.as_table(), name, mistakes);
        read_server(table, server);
        judge_template(server, table, mistakes);
    }
    return server;
}

Templates templates_in(toml::table const& root, std::filesystem::path const& file) {
    Templates out;
    for (auto const& [key, item] : root) {
        Mistakes mistakes(file);
        auto server = server_in(key, item, mistakes);
        if (mistakes.first())
            out.left_out.push_back({names_of(server), *mistakes.first()});
        else
            out.servers.push_back(std::move(server));
    }
    return out;
}

/// notes.toml most likely has [notes].
Templates unreadable(std::filesystem::path const& file, Errc code, std::string const& what) {
    return {{}, {{{file.stem().string()}, fail(code, file.string() + what)}}};
}

} // namespace

Templates parse_templates(std::string_view text, std::filesystem::path const& file) {
    try {
        return templates_in(toml::parse(text, file.string()), file);
    } catch (toml::parse_error const& error) {
        auto out =
            unreadable(file, Errc::invalid,
                       ":" + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
        auto& names = out.left_out[0].names;
        for (auto& name : names_by_look(text)) names.push_back(std::move(name));
        return out;
    }
}

Templates read_templates(std::filesystem::path const& file) {
    constexpr std::uintmax_t limit = 4U << 20U;
    std::error_code error;
    auto const size = std::filesystem::file_size(file, error);
    if (error) {
        auto const code = error == std::errc::no_such_file_or_directory ? Errc::not_found : Errc::io;
        return unreadable(file, code, " cannot be read: " + error.message());
    }
    if (size > limit) return unreadable(file, Errc::invalid, " is longer than 4 MiB");
    std::ifstream stream(file, std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) return unreadable(file, Errc::io, " cannot be read; check its permissions");
    return parse_templates(text, file);
}

} // namespace pfar::registry_known
