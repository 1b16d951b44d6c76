// In the order of who wins: what describes the inside, what is passed, what is set.
#include "servers/environment.hpp"

#include "base/paths.hpp"
#include "servers/root_files.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace pfar::servers {
namespace {

namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string>;

constexpr std::string_view system_path = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
constexpr std::array certificate_variables{"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
                                           "REQUESTS_CA_BUNDLE"};
constexpr std::array shown_etc{"/etc/ssl/certs", "/etc/ca-certificates", "/etc/pki/ca-trust", "/etc/pki/tls/certs"};

bool is_name(std::string_view name) {
    return !name.empty() && name.find_first_of(std::string_view("=\0", 2)) == name.npos;
}

std::string search_path(std::vector<fs::path> const& bin_dirs) {
    std::string out;
    for (auto const& directory : bin_dirs)
        if (directory.native().find(':') == std::string::npos) out += directory.native() + ":"; // no way to write one
    return out.append(system_path);
}

Variables of_the_inside(EnvironmentQuery const& query) {
    return {{"PATH", search_path(query.bin_dirs)},
            {"HOME", query.home.native()},
            {"USER", query.user},
            {"LOGNAME", query.user},
            {"TMPDIR", "/tmp"},
            {"XDG_CONFIG_HOME", query.home / ".config"},
            {"XDG_CACHE_HOME", query.home / ".cache"},
            {"XDG_DATA_HOME", query.home / ".local/share"},
            {"XDG_STATE_HOME", query.home / ".local/state"}};
}

/// In both cases: curl reads http_proxy only in the lower one, others only the upper.
void add_proxy(std::uint16_t port, Variables& out) {
    auto const url = "http://127.0.0.1:" + std::to_string(port);
    for (auto const* const name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
        out.emplace(name, url);
    for (auto const* const name : {"NO_PROXY", "no_proxy"}) out.emplace(name, "localhost,127.0.0.1,::1");
    out.emplace("NODE_USE_ENV_PROXY", "1");
}

/// Not a directory that holds much else: certificates are no reason to show a home directory.
bool is_certificate_place(fs::path const& path, Variables const& owner) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return fs::is_regular_file(path, error);
    auto const home = owner.find("HOME");
    if (path == "/" || path.parent_path() == "/") return false;
    return home == owner.end() || !base::lies_in(fs::weakly_canonical(home->second, error), path);
}

bool is_shown_anyway(fs::path const& path) {
    return is_system(path) || std::any_of(shown_etc.begin(), shown_etc.end(),
                                          [&](auto const* directory) { return base::lies_in(path, directory); });
}

/// `value` with canonical paths, of which SSL_CERT_DIR may have several; empty if none of them exists.
std::string certificates(std::string_view value, Variables const& owner, std::set<fs::path>& places) {
    std::string out;
    while (!value.empty()) {
        auto const part = value.substr(0, value.find(':'));
        value.remove_prefix(std::min(part.size() + 1, value.size()));
        std::error_code error;
        if (!part.starts_with('/')) continue;
        auto const path = fs::canonical(part, error);
        if (error || !is_certificate_place(path, owner)) continue;
        if (!is_shown_anyway(path)) places.insert(path);
        out += (out.empty() ? "" : ":") + path.native();
    }
    return out;
}

void copy(std::string const& name, Variables const& owner, Variables& out) {
    if (auto const found = owner.find(name); found != owner.end()) out.emplace(*found);
}

} // namespace

Environment environment(EnvironmentQuery const& query) {
    auto out = of_the_inside(query);
    if (query.proxy_port != 0) add_proxy(query.proxy_port, out);
    std::set<fs::path> places;
    for (auto const* const name : certificate_variables) {
        auto const found = query.owner.find(name);
        if (found == query.owner.end() || query.set.contains(name)) continue;
        if (auto value = certificates(found->second, query.owner, places); !value.empty()) out.emplace(name, value);
    }
    for (auto const& [name, value] : query.owner)
        if (name.starts_with("LC_")) out.emplace(name, value);
    for (auto const* const name : {"LANG", "TZ"}) copy(name, query.owner, out);
    if (query.terminal) copy("TERM", query.owner, out), out.emplace("TERM", "dumb");
    for (auto const& name : query.pass) copy(name, query.owner, out);
    for (auto const& [name, value] : query.set) out.insert_or_assign(name, value);
    if (auto& language = out["LANG"]; language.empty()) language = "C.UTF-8";
    std::erase_if(out, [](auto const& variable) {
        return !is_name(variable.first) || variable.second.find('\0') != std::string::npos;
    });
    return {{out.begin(), out.end()}, {places.begin(), places.end()}};
}

} // namespace pfar::servers
