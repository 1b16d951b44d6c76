// Namespaces, addresses on lo by rtnetlink, three files over those in /etc, and the peers in a process of their own.
#include "egress/world.hpp"

#include "egress/names.hpp"
#include "egress/peers.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace test {
namespace {

void require(bool ok, std::string const& what) {
    if (!ok) throw std::runtime_error(what + ": " + std::strerror(errno));
}

void raise_loopback() {
    pfar::Fd const socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    require(::ioctl(socket.number(), SIOCSIFFLAGS, &request) == 0, "lo up");
}

struct AddressRequest {
    nlmsghdr head;
    ifaddrmsg message;
    rtattr attribute;
    unsigned char bytes[16];
};

void add_address(int netlink, std::string const& text) {
    bool const six = text.find(':') != std::string::npos;
    unsigned const size = six ? 16 : 4;
    AddressRequest request{};
    request.head.nlmsg_len = static_cast<unsigned>(offsetof(AddressRequest, bytes) + size);
    request.head.nlmsg_type = RTM_NEWADDR;
    request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE;
    request.message = {static_cast<unsigned char>(six ? AF_INET6 : AF_INET), static_cast<unsigned char>(size * 8),
                       IFA_F_NODAD, RT_SCOPE_UNIVERSE, if_nametoindex("lo")};
    request.attribute = {static_cast<unsigned short>(sizeof(rtattr) + size), IFA_LOCAL};
    require(::inet_pton(six ? AF_INET6 : AF_INET, text.c_str(), request.bytes) == 1, text);
    require(::send(netlink, &request, request.head.nlmsg_len, 0) > 0, text);
    struct {
        nlmsghdr head;
        nlmsgerr error;
    } answer{};
    require(::recv(netlink, &answer, sizeof answer, 0) > 0, text);
    errno = -answer.error.error;
    require(answer.error.error == 0, "address " + text);
}

void put_over(TempDir const& files, std::string const& name, std::string const& content) {
    auto const file = files.write(name, content);
    std::filesystem::permissions(file, std::filesystem::perms(0644));
    require(::mount(file.c_str(), ("/etc/" + name).c_str(), nullptr, MS_BIND, nullptr) == 0, "/etc/" + name);
}

void enter_namespaces() {
    require(::unshare(CLONE_NEWNET | CLONE_NEWNS) == 0, "namespaces");
    require(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "private mounts");
    TempDir const files; // the mounts outlive their names
    put_over(files, "resolv.conf", "nameserver 127.0.0.1\noptions timeout:2 attempts:1\n");
    put_over(files, "hosts", "127.0.0.1 localhost localhost.localdomain\n::1 localhost ip6-localhost\n");
    put_over(files, "nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
    raise_loopback();
    pfar::Fd const netlink{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)};
    for (auto const& address : own_addresses()) add_address(netlink.number(), address);
}

std::vector<std::string> all_names() {
    return {"good.example",      "*.wild.example",        "db.example",   "other.example",
            "six.example",       "half-dead.example",     "evil.test",    "*.evil.test",
            "*.answers.example", "xn--bcher-kva.example", "203.0.113.20", "2001:db8::20"};
}

} // namespace

std::vector<std::string> Seen::beginning(std::string const& with) const {
    std::vector<std::string> found;
    for (auto const& line : lines_)
        if (line.starts_with(with)) found.push_back(line);
    return found;
}

World& World::here() {
    if (::geteuid() != 0) SKIP("a network of the test's own takes root");
    static World world;
    return world;
}

World::World() {
    auto const certificates = make_certificates(all_names());
    authority_ = certificates.authority;
    enter_namespaces();
    int ends[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
    pfar::Fd theirs(ends[1]);
    control_ = pfar::Fd(ends[0]);
    peers_ = ::fork();
    if (peers_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        control_ = pfar::Fd();
        try {
            run_peers(std::move(theirs), certificates);
        } catch (std::exception const& failure) {
            std::fprintf(stderr, "peers: %s\n", failure.what());
        }
        ::_exit(0);
    }
    theirs = pfar::Fd();
    char ready = 0;
    require(::read(control_.number(), &ready, 1) == 1, "the peers do not start");
}

World::~World() {
    control_ = pfar::Fd();
    ::waitpid(peers_, nullptr, 0);
}

Seen World::seen() {
    std::uint32_t size = 0;
    require(::write(control_.number(), "?", 1) == 1 &&
                ::recv(control_.number(), &size, sizeof size, MSG_WAITALL) == sizeof size,
            "the peers are gone");
    std::string text(size, '\0');
    if (size == 0) return Seen({});
    require(::recv(control_.number(), text.data(), size, MSG_WAITALL) == static_cast<ssize_t>(size), "the record");
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return Seen(std::move(lines));
}

std::vector<Setting> some_settings() {
    auto const all = settings();
    return {all.front(), all.back()};
}

WorldStage::WorldStage(Setting setting) : Stage(std::move(setting)) {
    auto const file = write("given/ca.pem", World::here().authority()).native();
    for (auto const* const name : {"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"})
        environment.push_back(std::string(name) + "=" + file);
    World::here().seen(); // a test begins with nothing on record
}

std::vector<std::string> WorldStage::options(std::vector<std::string> const& domains) const {
    std::vector<std::string> all{"--read", given().native()};
    for (auto const& domain : domains) all.insert(all.end(), {"--allow-domain", domain});
    return all;
}

Outcome WorldStage::reaching(std::vector<std::string> const& domains, std::vector<std::string> const& command) const {
    return exec(options(domains), command);
}

Outcome WorldStage::outside(std::vector<std::string> const& command) const {
    std::vector<std::string> all{"/usr/bin/env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin"};
    all.insert(all.end(), environment.begin(), environment.end());
    all.insert(all.end(), command.begin(), command.end());
    return run({all, {}, "/", {}, setting().uid});
}

} // namespace test
