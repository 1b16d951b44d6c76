// npm is told everything by variables and one private file: nothing about the registry is on its command line or in the directory that stays.
#include "house/install_npm.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "house/confine.hpp"
#include "house/install_npm_settings.hpp"
#include "house/install_outside.hpp"
#include "house/install_sandbox.hpp"
#include "servers/find_command.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::chrono::seconds most_for_scripts{300};
constexpr std::size_t most_npm_file = 1U << 20U;

struct NpmSource {
    NpmSettings settings;
    std::vector<SourceUrl> registries; // the usual one, and that of the package's scope
};

std::string scope_of(std::string const& package) {
    return package.starts_with('@') ? package.substr(0, package.find('/')) : std::string();
}

Result<fs::path> find_npm(servers::OwnerFacts const& owner) {
    auto found = servers::find_command("npm", search_path_of(owner), owner.user_home);
    if (found || found.error().code != Errc::not_found) return found;
    return fail(Errc::unsupported, "there is no npm on PATH; install Node.js with npm: apt install npm, or nodejs.org");
}

Result<NpmSource> npm_source(InstallJob const& job, fs::path const& npm) {
    PFAR_TRY(settings, read_npm_settings(job.owner, npm));
    NpmSource out{std::move(settings), {}};
    std::vector<std::string> urls{out.settings.registry};
    if (auto const own = out.settings.scopes.find(scope_of(job.wish.package.name)); own != out.settings.scopes.end())
        urls.push_back(own->second);
    for (auto const& url : urls) {
        auto parsed = parse_source(url);
        if (!parsed)
            return fail(Errc::invalid, fmt::format("npm's registry {} is no http:// or https:// URL; correct it: npm "
                                                   "config set registry URL",
                                                   base::printable(url)));
        out.registries.push_back(std::move(*parsed));
    }
    return out;
}

/// Whether an npmrc's key is about one of these hosts: "//HOST:PORT/path/:_authToken".
bool is_login_for(std::string_view key, std::vector<SourceUrl> const& registries) {
    key.remove_prefix(2);
    auto const host = key.substr(0, key.find('/'));
    return std::any_of(registries.begin(), registries.end(), [&](auto const& url) { return url.authority() == host; });
}

std::string ini_line(std::string_view key, std::string_view value) {
    return fmt::format("{}={}\n", key, json::serialize(json::value(value)));
}

/// A client certificate is a file outside; inside it is one of the private files.
Result<std::string> login_line(std::string const& key, Secret const& value, InstallRun& run) {
    bool const is_file = key.ends_with(":certfile") || key.ends_with(":keyfile");
    bool const is_public = key.ends_with(":username") || key.ends_with(":email");
    if (!is_file) {
        if (!is_public) run.hidden.emplace_back("npm login", value.clone());
        return ini_line(key, value.reveal());
    }
    auto content = base::read_file(fs::path(value.reveal()), most_npm_file);
    if (!content) return fail(content.error().code, fmt::format("{} of npm's settings: {}", key, content.error().what));
    auto const name = fmt::format("npm-{}.pem", run.files.size());
    run.files.emplace_back(name, Secret(*content));
    return ini_line(key, std::string(secrets_inside) + "/" + name);
}

/// All scopes keep their registries, so that no name of a private one is ever asked of the public one; logins go only where it may go.
Result<void> add_npmrc(InstallRun& run, NpmSource const& source) {
    auto const& settings = source.settings;
    auto text = ini_line("registry", settings.registry);
    for (auto const& [scope, url] : settings.scopes) text += ini_line(scope + ":registry", url);
    if (!settings.strict_ssl) text += "strict-ssl=false\n";
    if (!settings.authorities.empty()) {
        run.files.emplace_back("ca.pem", Secret(settings.authorities));
        text += ini_line("cafile", std::string(secrets_inside) + "/ca.pem");
    }
    for (auto const& [key, value] : settings.logins) {
        if (!is_login_for(key, source.registries)) continue;
        PFAR_TRY(line, login_line(key, value, run));
        text += line;
    }
    run.files.emplace_back("npmrc", Secret(text));
    ::explicit_bzero(text.data(), text.size());
    return {};
}

InstallRun npm_run(InstallJob const& job, fs::path const& npm) {
    InstallRun run{.server = job.wish.server, .program = npm.native(), .directory = job.staging};
    run.limits = job.wish.limits, run.interrupted = job.wish.interrupted;
    run.environment = {{"npm_config_cache", std::string(staging_inside) + "/.cache"},
                       {"npm_config_globalconfig", "/dev/null"},
                       {"npm_config_update_notifier", "false"},
                       {"npm_config_logs_max", "0"},
                       {"npm_config_fetch_retries", "1"},
                       {"npm_config_fetch_retry_mintimeout", "1000"},
                       {"npm_config_fetch_timeout", "60000"},
                       {"npm_config_color", "false"}};
    return run;
}

std::string npm_code(std::string_view said) {
    for (std::string_view const mark : {"npm error code ", "npm ERR! code "})
        if (auto const at = said.find(mark); at != std::string_view::npos) {
            auto const rest = said.substr(at + mark.size());
            return std::string(rest.substr(0, rest.find_first_of(" \r\n")));
        }
    return "";
}

/// Its own words, one line of them.
std::string npm_words(std::string_view said) {
    std::string out;
    while (!said.empty()) {
        auto line = said.substr(0, said.find('\n'));
        said.remove_prefix(std::min(said.size(), line.size() + 1));
        for (std::string_view const mark : {"npm error ", "npm ERR! "})
            if (line.starts_with(mark)) line.remove_prefix(mark.size());
        constexpr std::array tells_nothing{"code ", "errno ", "npm ", "A complete log", "Log files were not written"};
        bool const tells = !line.empty() && std::none_of(tells_nothing.begin(), tells_nothing.end(),
                                                         [&](auto const* start) { return line.starts_with(start); });
        if (tells && out.empty()) out = base::printable(base::whole_text(line, 300));
    }
    return out.empty() ? "it did not say why" : out;
}

/// The last that an install script said, without what npm says around it.
std::string script_words(std::string_view said) {
    std::vector<std::string> lines;
    while (!said.empty()) {
        auto const line = said.substr(0, said.find('\n'));
        said.remove_prefix(std::min(said.size(), line.size() + 1));
        if (line.empty() || line.starts_with("> ") || line.starts_with("npm ")) continue;
        lines.push_back(base::printable(base::whole_text(line, 200)));
        if (lines.size() > 3) lines.erase(lines.begin());
    }
    return lines.empty() ? "it did not say why" : fmt::format("{}", fmt::join(lines, " / "));
}

bool is_network_code(std::string_view code) {
    for (std::string_view const one :
         {"ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH",
          "ERR_SOCKET_TIMEOUT", "EIDLETIMEOUT", "ECONNABORTED", "EPIPE"})
        if (code == one) return true;
    return code.size() == 4 && code.starts_with("E5");
}

bool is_login_code(std::string_view code) {
    return code == "E401" || code == "E402" || code == "E403" || code == "ENEEDAUTH" || code == "EOTP";
}

/// The package whose version is missing, "NAME@VERSION", if npm names one.
std::string npm_target(std::string_view said) {
    constexpr std::string_view mark = "No matching version found for ";
    auto const at = said.find(mark);
    if (at == std::string_view::npos) return "";
    auto target = said.substr(at + mark.size());
    target = target.substr(0, target.find('\n'));
    if (target.ends_with('.')) target.remove_suffix(1);
    return base::printable(base::whole_text(target, 200));
}

Error no_such_version(InstallJob const& job, std::string const& what, std::string const& said) {
    auto const target = npm_target(said), name = target.substr(0, target.rfind('@'));
    if (!target.empty() && name != job.wish.package.name)
        return fail(Errc::not_found, fmt::format("{} needs {}, which does not exist there; npm view {} versions lists "
                                                 "what does, and another version of {} may need another",
                                                 what, target, name, job.wish.package.name));
    return fail(Errc::not_found, fmt::format("{} does not exist there ({}); npm view {} versions lists what does", what,
                                             npm_words(said), job.wish.package.name));
}

Error npm_error(InstallJob const& job, NpmSource const& source, std::string const& said) {
    auto const& package = job.wish.package;
    auto const code = npm_code(said), words = npm_words(said), host = source.registries.back().authority();
    auto const what = package.version.empty() ? package.name : package.name + "@" + package.version;
    if (code == "E404")
        return fail(Errc::not_found, fmt::format("{} has no package {} (or something that it needs is missing: {}); "
                                                 "check the name",
                                                 host, what, words));
    if (code == "ETARGET" || code == "ENOVERSIONS") return no_such_version(job, what, said);
    if (is_login_code(code))
        return fail(Errc::refused,
                    fmt::format("{} does not give {} to you ({}); run: npm login --registry {}://{}{}", host, what,
                                words, source.registries.back().scheme, host, source.registries.back().path));
    if (code == "EINTEGRITY")
        return fail(
            Errc::refused,
            fmt::format("what {} sent for {} is not what it promised ({}); nothing was installed", host, what, words));
    if (code == "EBADPLATFORM")
        return fail(Errc::unsupported, fmt::format("{} is not made for this machine: {}", what, words));
    if (is_network_code(code))
        return fail(Errc::unavailable,
                    fmt::format("{}, or another host that it needs, cannot be reached ({}: {}); try again when the "
                                "network works",
                                host, code, words));
    return fail(Errc::io, fmt::format("npm could not install {}: {}{}{}", what, code, code.empty() ? "" : ": ", words));
}

} // namespace

Result<Installed> install_npm(InstallJob const& job) {
    PFAR_TRY(npm, find_npm(job.owner));
    PFAR_TRY(source, npm_source(job, npm));
    auto run = npm_run(job, npm);
    PFAR_CHECK(add_npmrc(run, source));
    PFAR_CHECK(allow_sources(run, source.registries, job.wish));
    auto const& first = source.registries.front();
    auto const& settings = source.settings;
    PFAR_TRY(proxy,
             proxy_for(first, first.scheme == "https" ? settings.https_proxy : settings.proxy, settings.no_proxy));
    run.upstream = std::move(proxy);
    run.environment.emplace("npm_config_userconfig", std::string(secrets_inside) + "/npmrc");
    auto const& package = job.wish.package;
    run.args = {"install",          package.name + "@" + (package.version.empty() ? "latest" : package.version),
                "--ignore-scripts", "--no-audit",
                "--no-fund",        "--save-exact"};
    PFAR_CHECK(base::write_file(job.staging / "package.json", "{\n  \"private\": true\n}\n", 0600));
    PFAR_TRY(end, run_install(job.house, std::move(run), job.progress, job.record));
    if (end.code != 0 && !end.blocked.empty()) return refused_host(job, end.blocked);
    if (end.code != 0) return npm_error(job, source, end.said);
    return npm_facts(job);
}

Result<void> run_npm_scripts(InstallJob const& job) {
    PFAR_TRY(npm, find_npm(job.owner));
    auto run = npm_run(job, npm);
    run.environment.emplace("npm_config_userconfig", "/tmp/npmrc"); // it is not there, and must not be the global one
    run.environment.emplace("npm_config_offline", "true");
    run.args = {"rebuild", "--foreground-scripts"};
    run.limits.patience = std::min(run.limits.patience, most_for_scripts);
    PFAR_TRY(end, run_install(job.house, std::move(run), job.progress, job.record));
    if (end.code == 0) return {};
    return fail(Errc::refused,
                fmt::format("an install script of {} failed: {}; it ran without network and without secrets, as all do "
                            "here; connect it again without them if the server works without",
                            job.wish.package.name, script_words(end.said)));
}

Result<std::string> newest_npm_version(House const& house, std::string const& name) {
    PFAR_TRY(owner, owner_facts(house));
    PFAR_TRY(npm, find_npm(owner));
    PFAR_TRY(ended,
             ask_outside(owner, {npm.native(), "view", name, "version", "--json", "--fetch-retries=1", "--logs-max=0"},
                         std::chrono::seconds(90)));
    boost::system::error_code error;
    auto const answer = json::parse(ended.output, error);
    if (!error && answer.is_string()) return std::string(answer.get_string());
    auto const* const told = !error && answer.is_object() ? answer.get_object().if_contains("error") : nullptr;
    auto const* const code = told != nullptr && told->is_object() ? told->get_object().if_contains("code") : nullptr;
    if (code != nullptr && *code == "E404")
        return fail(Errc::not_found, fmt::format("npm knows no package {}; check the name", base::printable(name)));
    return fail(Errc::unavailable, fmt::format("npm does not tell the newest version of {}; run: npm view {} version",
                                               base::printable(name), base::printable(name)));
}

} // namespace pfar::house
