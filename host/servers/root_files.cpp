// /etc is named entry by entry: /etc/ssl and /etc/pki hold private keys beside what everybody needs, and where the host is root
// nothing but not showing them keeps a server from them.
#include "servers/root_files.hpp"

#include "base/files.hpp"
#include "base/paths.hpp"

#include <fmt/format.h>

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace pfar::servers {
namespace {

namespace fs = std::filesystem;

constexpr std::array system_directories{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
constexpr std::array etc_entries{
    "/etc/ssl/certs",        "/etc/ssl/cert.pem",        "/etc/ssl/ca-bundle.pem", "/etc/ssl/openssl.cnf",
    "/etc/ca-certificates",  "/etc/pki/ca-trust",        "/etc/pki/java",          "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf", "/etc/pki/tls/openssl.d", "/etc/crypto-policies",
    "/etc/localtime",        "/etc/alternatives",        "/etc/ld.so.cache"};
constexpr uid_t nobody = 65534;

/// A link into /usr is a link inside too; whatever else is there is shown under the name it has here.
void show(fs::path const& inside, fs::path const& machine, Rights rights, SystemFiles& files) {
    std::error_code error;
    auto const here = machine / inside.relative_path();
    auto const real = fs::canonical(here, error);
    if (error) return;
    auto const target = "/" / real.lexically_relative(machine);
    if (fs::is_symlink(here, error) && base::lies_in(target, "/usr"))
        files.links.push_back({inside, target.lexically_relative(inside.parent_path()).native()});
    else
        files.grants.push_back({real, inside, rights, "system"});
}

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

std::string plain_name(std::string_view name, std::string_view otherwise, std::size_t limit) {
    std::string out(name.substr(0, limit));
    std::replace_if(
        out.begin(), out.end(), [](char c) { return !is_plain(c) && c != '_'; }, '_');
    if (!out.empty() && (out[0] == '-' || out[0] == '.')) out[0] = '_';
    return out.empty() ? std::string(otherwise) : out;
}

std::string plain_host(std::string_view name) {
    std::string out(name.substr(0, 63));
    std::replace_if(
        out.begin(), out.end(), [](char c) { return !is_plain(c); }, '-');
    auto const begin = out.find_first_not_of("-.");
    return begin == std::string::npos ? "sandbox" : out.substr(begin);
}

bool fits_a_field(std::string const& text) {
    return !text.empty() && std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == ':'; });
}

std::string passwd(RootFacts const& facts, std::string const& user) {
    auto const home = fits_a_field(facts.home.native()) ? facts.home.native() : "/";
    auto out = fmt::format("{}:x:{}:{}::{}:/bin/sh\n", user, facts.identity.uid, facts.identity.gid, home);
    if (facts.identity.uid != nobody && user != "nobody")
        out += fmt::format("nobody:x:{0}:{0}::/nonexistent:/usr/sbin/nologin\n", nobody);
    return out;
}

std::string group(RootFacts const& facts, std::string const& user) {
    auto out = fmt::format("{}:x:{}:\n", user, facts.identity.gid);
    if (facts.identity.gid != nobody && user != "nogroup") out += fmt::format("nogroup:x:{}:\n", nobody);
    return out;
}

Result<std::string> machine_id() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return fail(Errc::unavailable, "the kernel gave no random bytes: " + base::errno_text(errno));
    std::string out;
    for (auto const byte : bytes) out += fmt::format("{:02x}", byte);
    return out + "\n";
}

} // namespace

SystemFiles system_grants(fs::path const& machine) {
    SystemFiles files;
    for (auto const* const directory : system_directories)
        show(directory, machine, {.read = true, .execute = true}, files);
    for (auto const* const entry : etc_entries) show(entry, machine, {.read = true}, files);
    return files;
}

bool is_system(fs::path const& path) {
    return std::any_of(system_directories.begin(), system_directories.end(),
                       [&](auto const* directory) { return base::lies_in(path, directory); });
}

Result<std::vector<MadeFile>> made_files(RootFacts const& facts) {
    PFAR_TRY(id, machine_id());
    auto const user = plain_name(facts.identity.user, "server", 32);
    auto const host = plain_host(facts.hostname);
    return std::vector<MadeFile>{
        {"/etc/passwd", passwd(facts, user)},
        {"/etc/group", group(facts, user)},
        {"/etc/hosts", fmt::format("127.0.0.1 localhost {0}\n::1 localhost ip6-localhost ip6-loopback {0}\n", host)},
        {"/etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\n"
                               "protocols: files\nservices: files\n"},
        {"/etc/resolv.conf",
         facts.transparent ? "nameserver 127.0.0.1\n" : "# no name server: the proxy looks names up\n"},
        {"/etc/hostname", host + "\n"},
        {"/etc/machine-id", id},
    };
}

} // namespace pfar::servers
