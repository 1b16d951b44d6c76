// A package is started by a small file of ours that calls its entry point: what pip makes for that has the path of the staging directory in it.
#include "house/install_pypi.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "house/confine.hpp"
#include "house/install_outside.hpp"
#include "house/install_pip_settings.hpp"
#include "servers/find_command.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t most_report = std::size_t{16} << 20U;
constexpr std::size_t most_entry_points = std::size_t{1} << 20U;

constexpr std::string_view starter =
    R"(# Starts {0}. Made by pfar: it stands for the program that pip would make, and works wherever this directory is.
import functools, importlib, os, site, sys

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site")
site.addsitedir(here)
sys.path.insert(0, here)
os.environ["PYTHONPATH"] = here  # for what it starts itself
sys.argv[0] = "{1}"
sys.exit(functools.reduce(getattr, "{3}".split("."), importlib.import_module("{2}"))())
)";

Result<fs::path> find_python(servers::OwnerFacts const& owner) {
    auto found = servers::find_command("python3", search_path_of(owner), owner.user_home);
    if (found || found.error().code != Errc::not_found) return found;
    return fail(Errc::unsupported, "there is no python3 on PATH; run: apt install python3 python3-pip");
}

/// As PyPI compares names.
std::string plain_name(std::string_view name) {
    std::string out;
    for (char const c : name) {
        bool const divider = c == '-' || c == '_' || c == '.';
        if (divider && out.ends_with('-')) continue;
        out += divider ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

Result<void> make_places(fs::path const& staging) {
    for (auto const* const name : {".cache", ".cache/tmp"})
        if (::mkdir((staging / name).c_str(), 0700) != 0)
            return fail(Errc::io, fmt::format("{} could not be made: {}", base::printable((staging / name).native()),
                                              base::errno_text(errno)));
    return {};
}

Result<InstallRun> pip_run(InstallJob const& job, fs::path const& python, PipSettings const& settings) {
    InstallRun run{.server = job.wish.server, .program = python.native(), .directory = job.staging};
    auto const& package = job.wish.package;
    run.limits = job.wish.limits, run.interrupted = job.wish.interrupted;
    run.args = {"-m",
                "pip",
                "install",
                package.name + (package.version.empty() ? "" : "==" + package.version),
                "--target",
                "site",
                "--only-binary",
                ":all:",
                "--no-input",
                "--disable-pip-version-check",
                "--report",
                ".cache/report.json",
                "--cache-dir",
                ".cache/pip",
                "--retries",
                "1",
                "--timeout",
                "60"};
    run.environment = {{"PIP_CONFIG_FILE", std::string(secrets_inside) + "/pip.conf"},
                       {"TMPDIR", std::string(staging_inside) + "/.cache/tmp"},
                       {"PYTHONNOUSERSITE", "1"}};
    run.files.emplace_back("pip.conf", Secret(settings.file));
    if (!settings.authorities.empty()) run.files.emplace_back("ca.pem", Secret(settings.authorities));
    for (auto const& login : settings.logins) run.hidden.emplace_back("pip login", Secret(login));
    PFAR_CHECK(allow_sources(run, settings.indexes, job.wish));
    auto const& first = settings.indexes.front();
    PFAR_TRY(proxy, proxy_for(first, settings.proxy, {}));
    run.upstream = std::move(proxy);
    return run;
}

bool says(std::string_view said, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](auto word) { return said.find(word) != said.npos; });
}

std::string last_error(std::string_view said) {
    auto const at = said.rfind("ERROR: ");
    auto const line = at == said.npos ? std::string_view("it did not say why") : said.substr(at + 7);
    return base::printable(base::whole_text(line.substr(0, line.find('\n')), 300));
}

Error pip_error(InstallJob const& job, PipSettings const& settings, std::string const& said) {
    auto const& package = job.wish.package;
    auto const host = settings.indexes.front().authority(), words = last_error(said);
    if (says(said, {"THESE PACKAGES DO NOT MATCH THE HASHES"}))
        return fail(Errc::refused, fmt::format("what {} sent for {} is not what it promised; nothing was installed",
                                               host, package.name));
    if (says(said, {"401 Client Error", "403 Client Error", "401 Error", "403 Error", "Credentials not correct"}))
        return fail(Errc::refused, fmt::format("{} does not give {} to you ({}); put a login into pip's index-url",
                                               host, package.name, words));
    if (says(said,
             {"NewConnectionError", "ConnectTimeoutError", "ReadTimeoutError", "ProxyError", "Max retries exceeded"}))
        return fail(Errc::unavailable,
                    fmt::format("{} cannot be reached ({}); try again when the network works", host, words));
    if (says(said, {"No matching distribution found"}))
        return fail(Errc::not_found,
                    fmt::format("{} has no package {}{}{} as a wheel for this python ({}); check name and version",
                                host, package.name, package.version.empty() ? "" : " ", package.version, words));
    return fail(Errc::io, fmt::format("pip could not install {}: {}", package.name, words));
}

/// Version and digest, by pip's report.
Result<void> add_origin(Installed& out, fs::path const& root, Package const& package) {
    PFAR_TRY(report, read_description(root, root / ".cache/report.json", most_report));
    auto const* const all = report.if_contains("install");
    for (auto const& one : all != nullptr && all->is_array() ? all->get_array() : json::array()) {
        auto const* const item = one.if_object();
        auto const* const metadata = item != nullptr ? object_in(*item, "metadata") : nullptr;
        if (metadata == nullptr || plain_name(text_in(*metadata, "name")) != plain_name(package.name)) continue;
        out.version = text_in(*metadata, "version");
        auto const* const download = object_in(*item, "download_info");
        auto const* const archive = download != nullptr ? object_in(*download, "archive_info") : nullptr;
        auto const digest = archive != nullptr ? text_in(*archive, "hash") : "";
        if (digest.starts_with("sha256=")) out.integrity = "sha256:" + digest.substr(7);
    }
    if (out.version.empty() || (!package.version.empty() && out.version != package.version))
        return fail(Errc::refused, fmt::format("pip installed version {} of {}, not {}; nothing was installed",
                                               base::printable(out.version), package.name, package.version));
    if (out.integrity.empty())
        return fail(
            Errc::refused,
            fmt::format("pip does not tell what it got for {} (no sha256); nothing was installed", package.name));
    return {};
}

Result<fs::path> find_dist_info(fs::path const& root, Package const& package, std::string const& version) {
    std::error_code error;
    auto const wanted = plain_name(package.name) + "-" + plain_name(version) + "-dist-info";
    for (fs::directory_iterator at(root / "site", error), end; !error && at != end; at.increment(error))
        if (plain_name(at->path().filename().native()) == wanted) return at->path();
    return fail(Errc::invalid,
                fmt::format("{} does not describe itself (no .dist-info); it cannot be used", package.name));
}

/// "name = module:function [extra]" below [console_scripts].
std::map<std::string, std::string> console_scripts(std::string_view text) {
    std::map<std::string, std::string> out;
    bool here = false;
    while (!text.empty()) {
        std::string line(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        line = line.substr(0, line.find_first_of("#;"));
        std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
        if (line.starts_with('[')) here = line == "[console_scripts]";
        auto const equals = line.find('=');
        if (!here || equals == std::string::npos) continue;
        auto const target = line.substr(equals + 1);
        out.emplace(line.substr(0, equals), target.substr(0, target.find('[')));
    }
    return out;
}

bool is_dotted(std::string_view text) {
    return !text.empty() && text.find("..") == text.npos && text.front() != '.' && text.back() != '.' &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                      c == '.';
           });
}

Result<void> add_starter(Installed& out, InstallJob const& job, fs::path const& root, fs::path const& python) {
    auto const& package = job.wish.package;
    PFAR_TRY(description, find_dist_info(root, package, out.version));
    auto const file = inside_of(root, description / "entry_points.txt");
    PFAR_TRY(text, file ? base::read_file(*file, most_entry_points) : Result<std::string>(""));
    PFAR_TRY(target, program_of(console_scripts(text), job.wish));
    auto const colon = target.find(':');
    auto const module = target.substr(0, colon), function = colon == target.npos ? "" : target.substr(colon + 1);
    if (!is_dotted(module) || !is_dotted(function))
        return fail(Errc::invalid, fmt::format("{} says that it starts from {}, which is no function", package.name,
                                               base::printable(target)));
    auto const name = package.entry.empty() ? package.name : package.entry;
    if (name.find_first_of("\"\\\n\r") != std::string::npos)
        return fail(Errc::invalid, fmt::format("{} is no program's name", base::printable(name)));
    PFAR_CHECK(base::write_file(root / "run.py",
                                fmt::format(fmt::runtime(starter), package.name, name, module, function), 0600));
    PFAR_CHECK(base::write_file(root / "pyproject.toml",
                                "# Marks this directory as one package: all of it is shown to the server.\n", 0600));
    out.command = python.native();
    out.args = {"-I", fmt::format("${{PFAR_HOME}}/mcp-servers/{}/run.py", job.wish.server)};
    return {};
}

} // namespace

Result<Installed> install_pypi(InstallJob const& job) {
    PFAR_TRY(python, find_python(job.owner));
    PFAR_TRY(settings, read_pip_settings(job.owner, python));
    PFAR_CHECK(make_places(job.staging));
    PFAR_TRY(run, pip_run(job, python, settings));
    PFAR_TRY(end, run_install(job.house, std::move(run), job.progress, job.record));
    if (end.code != 0 && !end.blocked.empty()) return refused_host(job, end.blocked);
    if (end.code != 0) return pip_error(job, settings, end.said);
    std::error_code error;
    auto const root = fs::canonical(job.staging, error);
    Installed out;
    out.directory = job.owner.pfar_home / "mcp-servers" / job.wish.server;
    PFAR_CHECK(add_origin(out, root, job.wish.package));
    PFAR_CHECK(add_starter(out, job, root, python));
    return out;
}

Result<std::string> newest_pypi_version(House const& house, std::string const& name) {
    PFAR_TRY(owner, owner_facts(house));
    PFAR_TRY(python, find_python(owner));
    PFAR_TRY(ended, ask_outside(
                        owner, {python.native(), "-m", "pip", "index", "versions", name, "--disable-pip-version-check"},
                        std::chrono::seconds(90)));
    auto const open = ended.output.find('('), close = ended.output.find(')');
    if (ended.status == 0 && open != std::string::npos && close != std::string::npos && open < close)
        return ended.output.substr(open + 1, close - open - 1);
    return fail(Errc::not_found, fmt::format("pip finds no version of {}; check the name, and that the network works",
                                             base::printable(name)));
}

} // namespace pfar::house
