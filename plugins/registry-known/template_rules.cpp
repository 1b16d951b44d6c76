// Package, verify call and the texts with parameters in them.
#include "template_rules.hpp"

#include "placeholders.hpp"

#include <boost/json.hpp>
#include <re2/re2.h>

#include <algorithm>

namespace pfar::registry_known {

namespace {

// Exact, because what was looked at is what is to be installed.
void judge_version(Package const& package, Complaints& out) {
    auto const* const exact =
        package.source == Package::Source::npm ? R"(\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?)" : R"(\d[0-9A-Za-z.!+-]*)";
    if (!package.version.empty() && !fits_pattern(package.version, exact))
        out.push_back({"package", {}, "has version " + package.version + ", which is not one exact version"});
}

void judge_package_name(Package const& package, Complaints& out) {
    auto const* const form = package.source == Package::Source::npm
                                 ? R"((@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*)"
                                 : R"([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)";
    if (!package.name.empty() && !fits_pattern(package.name, form))
        out.push_back({"package", {}, "names " + package.name + ", which is no package name"});
    if (!package.entry.empty() && !fits_pattern(package.entry, "[A-Za-z0-9_][A-Za-z0-9._-]*"))
        out.push_back({"package", {}, "has entry " + package.entry + ", which is no program's name"});
}

/// What stands behind ${ in `text`, against what is known there.
class KnownNames {
public:
    KnownNames(KnownServer const& server, Complaints& out) : out_(out) {
        for (auto const& parameter : server.parameters) parameters_.push_back(parameter.name);
    }

    void judge(std::string const& text, Complaint where, std::vector<std::string> const& besides) {
        auto const names = placeholders(text);
        if (!names) return add(std::move(where), "has a ${ without a }");
        for (auto const& name : *names) {
            used_.push_back(name);
            if (!holds(parameters_, name) && !holds(besides, name))
                add(where, "has ${" + name + "}, which is not one of the template's parameters");
        }
    }

    [[nodiscard]] bool used(std::string const& name) const { return holds(used_, name); }

private:
    static bool holds(std::vector<std::string> const& list, std::string const& name) {
        return std::find(list.begin(), list.end(), name) != list.end();
    }
    void add(Complaint where, std::string what) {
        where.what = std::move(what);
        out_.push_back(std::move(where));
    }

    Complaints& out_;
    std::vector<std::string> parameters_, used_;
};

} // namespace

std::optional<std::string> pattern_mistake(std::string const& pattern) {
    RE2 const compiled(pattern, RE2::Quiet);
    if (compiled.ok()) return std::nullopt;
    return "has a pattern that is no RE2 expression: " + compiled.error();
}

bool fits_pattern(std::string const& text, std::string const& pattern) {
    RE2 const compiled(pattern, RE2::Quiet);
    return compiled.ok() && RE2::FullMatch(text, compiled);
}

void judge_package(KnownServer const& server, Complaints& out) {
    bool const has_package = server.package.source != Package::Source::none;
    if (has_package && !server.command.empty())
        out.push_back({"command", {}, "stands beside a package; a template has one of the two"});
    if (!has_package && server.command.empty() && server.not_yet.empty())
        out.push_back({"", {}, "needs a package or a command, or not_yet with the reason"});
    if (!server.command.empty() && !fits_pattern(server.command, "[A-Za-z0-9_][A-Za-z0-9._+-]*"))
        out.push_back({"command", {}, "is a program's name, without a path: it is looked up on the PATH"});
    if (!has_package) return;
    judge_package_name(server.package, out);
    judge_version(server.package, out);
}

void judge_texts(KnownServer const& server, Complaints& out) {
    KnownNames names(server, out);
    for (std::size_t i = 0; i < server.args.size(); ++i)
        names.judge(server.args[i], {"args", i, ""}, {"HOME", "auth.files"});
    for (auto const& [name, value] : server.environment)
        names.judge(value, {"environment", {}, ""}, {"HOME", "auth.files"});
    for (std::size_t i = 0; i < server.domains.size(); ++i) names.judge(server.domains[i], {"domains", i, ""}, {});
    for (std::size_t i = 0; i < server.allow_private.size(); ++i)
        names.judge(server.allow_private[i], {"allow_private", i, ""}, {});
    for (std::size_t i = 0; i < server.grants.size(); ++i)
        names.judge(server.grants[i].path, {"grants", i, ""}, {"HOME"});
    for (std::size_t i = 0; i < server.credentials.size(); ++i)
        names.judge(server.credentials[i].value, {"credentials", i, ""}, {"secret"});
    for (std::size_t i = 0; i < server.parameters.size(); ++i)
        if (!names.used(server.parameters[i].name))
            out.push_back({"parameters", i, "asks for " + server.parameters[i].name + ", which nothing uses"});
}

void judge_verify(KnownServer const& server, Complaints& out) {
    auto const& verify = server.verify;
    if (verify.tool.empty()) return;
    boost::system::error_code error;
    auto const arguments = boost::json::parse(verify.arguments_json, error);
    if (error || !arguments.is_object())
        out.push_back({"verify", {}, "has arguments that are no JSON object, such as '{\"limit\": 1}'"});
    if (auto const bad = pattern_mistake(verify.refused)) out.push_back({"verify", {}, *bad});
}

Complaints complaints(KnownServer const& server) {
    Complaints out;
    // Secrecy first: of several mistakes in one line it is the one to be told.
    for (auto* const judge :
         {judge_secrecy, judge_package, judge_parameters, judge_credentials, judge_domains, judge_texts, judge_verify})
        judge(server, out);
    if (!server.homepage.empty() && !server.homepage.starts_with("https://"))
        out.push_back({"homepage", {}, "has to begin with https://"});
    return out;
}

} // namespace pfar::registry_known
