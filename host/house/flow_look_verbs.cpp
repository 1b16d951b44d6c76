// The verbs that only look: what is known, what is there, where a name leads.
#include "base/text.hpp"
#include "config/launcher.hpp"
#include "config/values.hpp"
#include "egress/special_address.hpp"
#include "house/confine.hpp"
#include "house/flow_arguments.hpp"
#include "house/flow_verbs.hpp"
#include "house/new_server.hpp"
#include "house/registries.hpp"
#include "house/rewrite.hpp"
#include "servers/find_command.hpp"
#include "servers/grants.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <netdb.h>

namespace pfar::house {
namespace {

namespace json = boost::json;
using flows::Done;

json::array texts(std::vector<std::string> const& from) {
    return json::array(from.begin(), from.end());
}

json::object credential_json(std::string const& server, CredentialNeed const& need) {
    return {{"variable", need.variable},
            {"entry", entry_for(server, need.variable)},
            {"prompt", need.prompt},
            {"help_url", need.help_url},
            {"starts_with", need.starts_with},
            {"pattern", need.pattern},
            {"value", need.value},
            {"file", need.file},
            {"multiline", need.multiline},
            {"required", need.required}};
}

json::object parameter_json(Parameter const& parameter) {
    static constexpr char const* kinds[] = {"text", "folder", "file", "host", "choice"};
    json::object out{{"name", parameter.name},        {"prompt", parameter.prompt},
                     {"help", parameter.help},        {"pattern", parameter.pattern},
                     {"default", parameter.fallback}, {"kind", kinds[static_cast<int>(parameter.kind)]}};
    if (!parameter.choices.empty()) out["choices"] = texts(parameter.choices);
    return out;
}

json::object package_json(Package const& package) {
    if (package.source == Package::Source::none) return {};
    return {{package.source == Package::Source::npm ? "npm" : "pypi", package.name},
            {"version", package.version},
            {"entry", package.entry}};
}

} // namespace

json::object template_json(KnownServer const& server) {
    json::object environment;
    for (auto const& [name, value] : server.environment) environment[name] = value;
    json::array credentials, parameters, grants;
    for (auto const& need : server.credentials) credentials.push_back(credential_json(server.name, need));
    for (auto const& parameter : server.parameters) parameters.push_back(parameter_json(parameter));
    for (auto const& grant : server.grants) grants.push_back({{"path", grant.path}, {"write", grant.write}});
    json::object out{{"name", server.name},
                     {"title", server.title},
                     {"description", server.description},
                     {"args", texts(server.args)},
                     {"environment", std::move(environment)},
                     {"command", server.command},
                     {"domains", texts(server.domains)},
                     {"allow_private", texts(server.allow_private)},
                     {"notes", texts(server.notes)},
                     {"credentials", std::move(credentials)},
                     {"parameters", std::move(parameters)},
                     {"grants", std::move(grants)},
                     {"label", server.label},
                     {"taint", server.taint},
                     {"reads", texts(server.reads)},
                     {"read_only", server.read_only},
                     {"not_yet", server.not_yet}};
    if (server.package.source != Package::Source::none) out["package"] = package_json(server.package);
    if (!server.verify.tool.empty()) {
        boost::system::error_code bad;
        auto arguments = json::parse(server.verify.arguments_json.empty() ? "{}" : server.verify.arguments_json, bad);
        out["verify"] = json::object{{"tool", server.verify.tool},
                                     {"arguments", bad ? json::value() : arguments},
                                     {"refused", server.verify.refused}};
    }
    return out;
}

Result<Done> FlowVerbs::registry_find(Arguments const& given) {
    auto const wanted = first_text(given);
    auto const found = find_known(setting_.house, wanted);
    if (found) return Done{template_json(*found)};
    if (found.error().code != Errc::not_found) return found.error();
    auto const of_package = known_of(setting_.house, {Package::Source::npm, wanted, "", ""});
    return of_package.size() == 1 ? Done{template_json(of_package.front())} : Done{nullptr};
}

void FlowVerbs::tell_left_out() {
    for (auto const& trouble : registry_troubles(setting_.house))
        setting_.talk.say(fmt::format("Left out: {}.", trouble.what));
}

Result<Done> FlowVerbs::registry_search(Arguments const& given) {
    auto const words = first_text(given);
    tell_left_out();
    PFAR_TRY(found, search_known(setting_.house, words));
    json::array out;
    for (auto const& server : found) out.push_back(template_json(server));
    if (!out.empty()) return Done{std::move(out)};
    auto const names = known_names(setting_.house, true); // nothing has these words; something may be spelt nearly so
    auto const near = base::nearest(words, {names.begin(), names.end()});
    auto const meant =
        near ? find_known(setting_.house, std::string(*near)) : Result<KnownServer>(fail(Errc::not_found, ""));
    if (meant) out.push_back(template_json(*meant));
    return Done{std::move(out)};
}

Result<Done> FlowVerbs::registry_list(Arguments const& /*given*/) {
    tell_left_out();
    PFAR_TRY(found, known_servers(setting_.house));
    json::array out;
    for (auto const& server : found)
        out.push_back({{"name", server.name}, {"title", server.title}, {"not_yet", server.not_yet}});
    return Done{std::move(out)};
}

/// What a script needs to know of a file that is there; nothing of what is secret in it.
Result<Done> FlowVerbs::config_read(Arguments const& given) {
    auto const found = find_file(setting_.house, first_text(given));
    if (!found && found.error().code == Errc::not_found) return Done{nullptr};
    if (!found) return found.error();
    json::object out{{"name", found->found.name},
                     {"origin", base::word_for(config::origin_words, found->found.origin)},
                     {"file", found->found.file.native()},
                     {"valid", found->spec.has_value()}};
    if (!found->spec) return Done{std::move(out)};
    json::object auth, files;
    for (auto const& value : found->spec->auth)
        for (auto const& piece : value.pieces)
            if (piece.secret) auth[value.name] = piece.text;
    for (auto const& value : found->spec->auth_files)
        for (auto const& piece : value.pieces)
            if (piece.secret) auth[value.name] = piece.text, files[value.name] = true;
    json::array domains;
    for (auto const& rule : found->spec->allowed_domains) domains.emplace_back(to_text(rule));
    out["auth"] = std::move(auth), out["auth_files"] = std::move(files);
    out["allowed_domains"] = std::move(domains);
    out["description"] = found->spec->description, out["command"] = found->spec->server.command;
    out["args"] = texts(found->spec->server.args);
    return Done{std::move(out)};
}

/// A server's name that can be used, or nil and why not.
Result<Done> FlowVerbs::check(Arguments const& given) {
    auto const name = config::near_server_name(first_text(given));
    if (name.empty()) return Done{nullptr, "a name has letters, digits and -"};
    return Done{json::string(name)};
}

/// The vault's entry for a variable of a server.
Result<Done> FlowVerbs::entry(Arguments const& given) {
    if (given.size() < 2 || !given[1].is_string())
        return fail(Errc::invalid, "entry_for wants a server and a variable");
    return Done{json::string(entry_for(first_text(given), std::string(given[1].get_string())))};
}

/// "~/notes" as the path it is, if that is there and may be granted: to be read, or to be written too.
Result<Done> FlowVerbs::path(Arguments const& given) {
    auto text = first_text(given);
    bool const folder = given.size() > 1 && given[1] == json::value("folder");
    bool const writes = given.size() > 2 && given[2] == json::value(true);
    auto const& places = setting_.house.places;
    if (text == "~" || text.starts_with("~/")) text = places.user_home.native() + text.substr(1);
    std::error_code error;
    auto const path = std::filesystem::canonical(places.directory / text, error);
    if (error) return Done{nullptr, fmt::format("{} is not there: {}", base::printable(text), error.message())};
    if (std::filesystem::is_directory(path, error) != folder)
        return Done{nullptr, fmt::format("{} is {}", base::printable(text), folder ? "no folder" : "a folder")};
    PFAR_TRY(owner, owner_facts(setting_.house));
    servers::Wish wish;
    wish.grants.push_back({path, Rights{true, writes, writes, writes, false}, "what it may see"});
    auto const granted = servers::resolve_grants(wish, owner);
    return granted ? Done{json::string(path.native())} : Done{nullptr, granted.error().what};
}

/// The program that a name means on the PATH of whoever talks, or nil.
Result<Done> FlowVerbs::program(Arguments const& given) {
    auto const found = servers::find_command(first_text(given), setting_.search_path, setting_.house.places.user_home);
    return found ? Done{json::string(found->native())} : Done{nullptr, found.error().what};
}

/// The package that a command line fetches at every start, as npx does: { npm = ..., version = ..., entry = ..., args = {...} }, or nil.
Result<Done> FlowVerbs::fetched(Arguments const& given) {
    std::vector<std::string> words;
    if (!given.empty() && given[0].is_array())
        for (auto const& word : given[0].get_array())
            if (word.is_string()) words.emplace_back(word.get_string());
    if (words.empty()) return Done{nullptr};
    auto const package = config::fetched_package(words[0], {words.begin() + 1, words.end()});
    if (!package) return Done{nullptr};
    json::object out{{package->python ? "pypi" : "npm", package->package}, {"args", texts(package->args)}};
    if (!package->version.empty()) out["version"] = package->version;
    if (!package->entry.empty()) out["entry"] = package->entry;
    return Done{std::move(out)};
}

Result<Done> FlowVerbs::stored(Arguments const& given) {
    PFAR_TRY(vault, setting_.vault());
    PFAR_TRY(there, vault->has(first_text(given)));
    return Done{there};
}

Result<Done> FlowVerbs::servers(Arguments const& /*given*/) {
    PFAR_TRY(list, ask_host("list", {}, std::chrono::seconds(30)));
    json::array out;
    if (list.is_array())
        for (auto const& row : list.get_array())
            out.push_back({{"name", row.at("name")}, {"state", row.at("state")}, {"origin", row.at("origin")}});
    return Done{std::move(out)};
}

/// {addresses, private}: private if one of them lies behind the owner's door.
Result<Done> FlowVerbs::resolve(Arguments const& given) {
    auto name = first_text(given);
    if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (int const trouble = ::getaddrinfo(name.c_str(), nullptr, &hints, &found); trouble != 0)
        return Done{nullptr, fmt::format("{} leads nowhere: {}", base::printable(name), ::gai_strerror(trouble))};
    json::array addresses;
    std::string private_because;
    for (auto const* at = found; at != nullptr; at = at->ai_next) {
        char text[NI_MAXHOST];
        if (::getnameinfo(at->ai_addr, at->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) continue;
        addresses.emplace_back(text);
        boost::system::error_code bad;
        auto const address = boost::asio::ip::make_address(text, bad);
        if (auto const why = bad ? std::nullopt : egress::special(address)) private_because = *why;
    }
    ::freeaddrinfo(found);
    return Done{json::object{
        {"addresses", std::move(addresses)}, {"private", !private_because.empty()}, {"why", private_because}}};
}

} // namespace pfar::house
