// The file as a whole: its top-level keys, then its sections, then what they must have in common.
#include "config/server_file.hpp"

#include "config/sections.hpp"

namespace pfar::config {
namespace {

void read_name(TableReader& root, FileContext const& context, ServerSpec& spec) {
    auto const given = root.text("name");
    auto const stem = context.file.stem().native();
    if (!given) {
        if (!root.has("name")) root.missing("name", fmt::format("name = \"{}\"", base::printable(stem)));
        return;
    }
    auto const name = root.accept(*given, parse_server_name(given->value), "name");
    if (!name) return;
    spec.name = *name;
    if (spec.name == stem) return;
    root.findings().error(given->where, {fmt::format("name is \"{}\", but the file is called {}", spec.name,
                                                     base::printable(context.file.filename().native())),
                                         "the file's name without .toml",
                                         fmt::format("rename the file to {}.toml, or the server", spec.name)});
}

void read_top_level(TableReader& root, ServerSpec& spec) {
    if (auto const description = root.text("description")) spec.description = description->value;
    spec.label = root.word("label", base::label_words).value_or(spec.label);
    spec.taint = root.word("taint", base::taint_words).value_or(spec.taint);
    spec.share = root.word("share", base::share_words).value_or(spec.share);
    spec.stateful = root.flag("stateful", spec.stateful);
    spec.autostart = root.flag("autostart", spec.autostart);
    spec.state = root.flag("state", spec.state);
    spec.transparent = root.flag("transparent", spec.transparent);
    spec.require_sni = root.flag("require_sni", spec.require_sni);
    spec.pool = root.number("pool", spec.pool, 0, 64);
    spec.allowed_domains = read_domains(root, "allowed_domains");
    spec.allow_private = read_domains(root, "allow_private");
    if (root.has("pool") && spec.stateful)
        root.findings().warning(root.where("pool"), {"pool has no effect on a stateful server", "",
                                                     "add stateful = false, or remove pool"});
}

/// A domain may be private only if it may be reached at all.
void check_allow_private(TableReader& root, ServerSpec const& spec) {
    for (auto const& rule : spec.allow_private) {
        bool allowed = false;
        for (auto const& wide : spec.allowed_domains) allowed = allowed || wide.host == rule.host || covers(wide, rule);
        if (!allowed)
            root.findings().error(root.where("allow_private"),
                                  {fmt::format("allow_private has {}, which allowed_domains has not", to_text(rule)),
                                   "domains that allowed_domains names",
                                   fmt::format("add \"{}\" to allowed_domains", to_text(rule))});
    }
}

Reading reading_of(FileContext const& context) {
    Variables const paths{{"PFAR_HOME", context.home.native()}, {"~", context.user_home.native()}};
    auto texts = paths;
    texts.emplace("auth.files", "${auth.files}"); // known once the sandbox is
    texts.emplace("socket", "${socket}");
    return {context, std::move(texts), paths};
}

void read_sections(TableReader& root, Reading const& reading, ServerSpec& spec) {
    root.section("server", [&](auto& table) { spec.server = read_launch(table, reading); });
    if (!root.has("server")) root.missing("[server]", "[server]\nand below it: command = \"node\"");
    root.section("auth", [&](auto& table) { read_auth(table, spec); });
    root.section("env", [&](auto& table) { read_env(table, reading, spec); });
    root.section("sandbox", [&](auto& table) { spec.sandbox = read_sandbox(table, reading); });
    root.section("access", [&](auto& table) { spec.access = read_access(table, reading); });
    root.section("timeouts", [&](auto& table) { spec.timeouts = read_timeouts(table); });
    root.section("tools", [&](auto& table) { read_tools(table, reading, spec); });
}

} // namespace

ServerFileResult read_server_file(Source const& source, FileContext const& context) {
    auto document = read_document(source);
    Findings findings(source, document.whole);
    findings.take(std::move(document.mistakes));
    ServerSpec spec;
    TableReader root(findings, document.root, document.where, "");
    if (document.where.line != 0) { // something could be read
        auto const reading = reading_of(context);
        read_name(root, context, spec);
        read_top_level(root, spec);
        read_sections(root, reading, spec);
        check_allow_private(root, spec);
        if (root.is_flag("stateful")) check_honesty(root, spec);
        root.finish();
    }
    bool const failed = findings.has_errors();
    return {failed ? std::nullopt : std::optional(std::move(spec)), std::move(findings).sorted()};
}

} // namespace pfar::config
