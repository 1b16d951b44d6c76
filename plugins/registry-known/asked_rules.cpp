// What is asked of a person: credentials, parameters, and the domains that may be made of answers.
#include "template_rules.hpp"

#include "placeholders.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <set>

namespace pfar::registry_known {

namespace {

constexpr char variable_form[] = "[A-Za-z_][A-Za-z0-9_]*";

std::optional<std::string> choice_mistake(Parameter const& parameter) {
    bool const is_choice = parameter.kind == Parameter::Kind::choice;
    if (is_choice && parameter.choices.size() < 2) return "is a choice and needs two choices or more";
    if (!is_choice && !parameter.choices.empty()) return "has choices, but its kind is not choice";
    auto const& choices = parameter.choices;
    if (is_choice && !parameter.fallback.empty() &&
        std::find(choices.begin(), choices.end(), parameter.fallback) == choices.end())
        return "has a fallback that is none of its choices";
    return std::nullopt;
}

std::optional<std::string> parameter_mistake(Parameter const& parameter) {
    if (!fits_pattern(parameter.name, "[a-z][a-z0-9_]{0,31}") || parameter.name == "secret")
        return "has the name " + parameter.name + "; a name is [a-z][a-z0-9_]*, and not secret";
    if (auto bad = pattern_mistake(parameter.pattern)) return bad;
    if (!parameter.fallback.empty() && !parameter.pattern.empty() &&
        !fits_pattern(parameter.fallback, parameter.pattern))
        return "has a fallback that does not fit its pattern";
    return choice_mistake(parameter);
}

std::optional<std::string> file_mistake(CredentialNeed const& need) {
    if (need.file.empty()) return std::nullopt;
    if (!fits_pattern(need.file, "[A-Za-z0-9_][A-Za-z0-9._-]*"))
        return "has a file that is not a plain name, such as key.json";
    if (need.value != "${secret}") return "has a file and a value; the variable gets the file's path";
    return std::nullopt;
}

std::optional<std::string> credential_mistake(CredentialNeed const& need) {
    if (!fits_pattern(need.variable, variable_form))
        return "has the variable " + need.variable + ", which is no variable's name";
    if (!need.help_url.empty() && !need.help_url.starts_with("https://"))
        return "has a help_url that does not begin with https://";
    if (need.value.find("${secret}") == std::string::npos) return "has a value without ${secret}";
    if (auto bad = pattern_mistake(need.pattern)) return bad;
    return file_mistake(need);
}

bool is_asked_label(std::string_view label) {
    constexpr auto allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
           label.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_asked_host(std::string host) {
    in_addr four{};
    in6_addr six{};
    if (host.starts_with('[') && host.ends_with(']'))
        return ::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &six) == 1;
    auto const last = host.substr(host.rfind('.') + 1);
    if (last.find_first_not_of("0123456789") == std::string::npos)
        return ::inet_pton(AF_INET, host.c_str(), &four) == 1;
    if (host.starts_with("*.")) host.erase(0, 2);
    if (host.size() > 253) return false;
    for (std::size_t from = 0; from <= host.size();) {
        auto const dot = std::min(host.find('.', from), host.size());
        if (!is_asked_label(std::string_view(host).substr(from, dot - from))) return false;
        from = dot + 1;
    }
    return true;
}

// As a server file would take it, once the answers are in it.
bool is_domain(std::string const& text) {
    auto const colon = text.rfind(':');
    if (colon == std::string::npos || text.ends_with(']')) return is_asked_host(filled(text, "x"));
    auto const port = filled(text.substr(colon + 1), "1");
    return fits_pattern(port, "[1-9][0-9]{0,4}") && std::stoi(port) <= 65535 &&
           is_asked_host(filled(text.substr(0, colon), "x"));
}

// An answer without any form could be "*.com".
std::optional<std::string> loose_answer(KnownServer const& server, std::string const& domain) {
    auto const names = placeholders(domain).value_or(std::vector<std::string>{});
    for (auto const& parameter : server.parameters) {
        bool const is_used = std::find(names.begin(), names.end(), parameter.name) != names.end();
        bool const is_bound = !parameter.pattern.empty() || parameter.kind == Parameter::Kind::host ||
                              parameter.kind == Parameter::Kind::choice;
        if (is_used && !is_bound) return parameter.name;
    }
    return std::nullopt;
}

} // namespace

void judge_parameters(KnownServer const& server, Complaints& out) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < server.parameters.size(); ++i) {
        auto const& parameter = server.parameters[i];
        if (auto bad = parameter_mistake(parameter)) out.push_back({"parameters", i, std::move(*bad)});
        if (!seen.insert(parameter.name).second) out.push_back({"parameters", i, "asks twice for " + parameter.name});
    }
}

void judge_credentials(KnownServer const& server, Complaints& out) {
    std::set<std::string> variables, files;
    for (auto const& [name, value] : server.environment) {
        if (!fits_pattern(name, variable_form))
            out.push_back({"environment", {}, "has " + name + ", which is no variable's name"});
        variables.insert(name);
    }
    for (std::size_t i = 0; i < server.credentials.size(); ++i) {
        auto const& need = server.credentials[i];
        if (auto bad = credential_mistake(need)) out.push_back({"credentials", i, std::move(*bad)});
        bool const is_new =
            variables.insert(need.variable).second && (need.file.empty() || files.insert(need.file).second);
        if (!is_new) out.push_back({"credentials", i, "sets " + need.variable + ", or its file, a second time"});
    }
}

void judge_domains(KnownServer const& server, Complaints& out) {
    for (auto const* const list : {&server.domains, &server.allow_private}) {
        std::string const key = list == &server.domains ? "domains" : "allow_private";
        for (std::size_t i = 0; i < list->size(); ++i) {
            auto const& domain = (*list)[i];
            if (!is_domain(domain))
                out.push_back({key, i,
                               "has \"" + domain +
                                   "\", which is no domain such as \"api.example.com\" or \"db.example.com:5432\""});
            if (auto const loose = loose_answer(server, domain))
                out.push_back(
                    {key, i, "has ${" + *loose + "}, which needs a pattern or kind = \"host\" to be part of a domain"});
        }
    }
}

} // namespace pfar::registry_known
