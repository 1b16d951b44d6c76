// What cannot be written down is refused here, so that no order is lost on the way.
#include "spawn/orders.hpp"

#include "spawn/filter.hpp"

#include <pfar/egress_filter.hpp>
#include <pfar/shim_wire.hpp>

#include <sys/resource.h>

#include <algorithm>

namespace pfar::spawn {
namespace {

using Role = EgressListener::Role;

class Writer {
public:
    explicit Writer(std::string& out) : out_(out) {}

    template <class T> Writer& number(T value) {
        for (unsigned i = 0; i < sizeof(T); ++i)
            out_ += static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xffU);
        return *this;
    }
    Writer& text(std::string_view text) {
        out_ += text;
        return *this;
    }

private:
    std::string& out_;
};

void put(std::string& out, ShimTag tag, std::string_view body) {
    Writer(out).number(static_cast<std::uint8_t>(tag)).number(static_cast<std::uint32_t>(body.size())).text(body);
}

void put_ids(std::string& out, ShimTag tag, std::uint32_t uid, std::uint32_t gid) {
    std::string body;
    Writer(body).number(uid).number(gid);
    put(out, tag, body);
}

void put_number(std::string& out, ShimTag tag, std::uint32_t value) {
    std::string body;
    Writer(body).number(value);
    put(out, tag, body);
}

void put_mount(std::string& out, MountOrder const& mount) {
    auto const owner = mount.owner.value_or(Owner{0, 0});
    bool const has_content = mount.kind == MountOrder::Kind::file || mount.kind == MountOrder::Kind::link;
    unsigned const bits = (mount.writable ? shim_mount_writable : 0) | (mount.owner ? shim_mount_owner : 0);
    std::string body;
    Writer(body)
        .number(static_cast<std::uint8_t>(mount.kind))
        .number(static_cast<std::uint8_t>(bits))
        .number(mount.size)
        .number(static_cast<std::uint32_t>(owner.uid))
        .number(static_cast<std::uint32_t>(owner.gid))
        .text(mount.target.native())
        .number(std::uint8_t{0})
        .text(has_content ? mount.content : mount.source.native());
    put(out, ShimTag::mount, body);
}

void put_witness(std::string& out, Witness const& witness) {
    std::string body;
    Writer(body).number(witness.device).number(witness.inode).text(witness.inside.native());
    put(out, ShimTag::witness, body);
}

void put_listener(std::string& out, Role role, std::uint16_t port) {
    std::string body;
    Writer(body).number(static_cast<std::uint8_t>(role)).number(port);
    put(out, ShimTag::listen, body);
}

void put_network(std::string& out, Network const& network) {
    if (!network.egress) return;
    put_listener(out, Role::proxy, network.proxy_port);
    if (!network.transparent) return;
    for (auto const& [role, port] : {std::pair{Role::tls, 443}, std::pair{Role::http, 80}, std::pair{Role::dns_udp, 53},
                                     std::pair{Role::dns_tcp, 53}})
        put_listener(out, role, static_cast<std::uint16_t>(port));
    for (auto const port : network.ports) put_listener(out, Role::port, port);
}

void put_limit(std::string& out, int resource, std::uint64_t value) {
    std::string body;
    Writer(body).number(static_cast<std::uint8_t>(resource)).number(value);
    put(out, ShimTag::limit, body);
}

void put_limits(std::string& out, Limits const& limits, bool count_memory) {
    if (limits.memory != 0 && count_memory) put_limit(out, RLIMIT_DATA, limits.memory);
    if (limits.processes != 0) put_limit(out, RLIMIT_NPROC, limits.processes);
    if (limits.descriptors != 0) put_limit(out, RLIMIT_NOFILE, limits.descriptors);
    put_limit(out, RLIMIT_CORE, 1); // not 0: only this keeps the kernel from feeding a core to a program as well
    put_limit(out, RLIMIT_MEMLOCK, 8U << 20U);
    put_limit(out, RLIMIT_MSGQUEUE, 0);
}

void put_rule(std::string& out, LandlockRule const& rule) {
    unsigned const bits = (rule.rights.read ? shim_read : 0U) | (rule.rights.create ? shim_create : 0U) |
                          (rule.rights.update ? shim_update : 0U) | (rule.rights.remove ? shim_remove : 0U) |
                          (rule.rights.execute ? shim_execute : 0U);
    put(out, ShimTag::landlock, std::string(1, static_cast<char>(bits)) + rule.path.native());
}

/// A secret of the same name comes in a variable's place.
bool is_secret(std::string const& name, Additions const& additions) {
    return std::any_of(additions.secrets.begin(), additions.secrets.end(),
                       [&](auto const& secret) { return secret.first == name; });
}

Result<void> check_texts(Command const& command, Additions const& additions) {
    bool broken = command.program.native().find('\0') != std::string::npos ||
                  (!command.cwd.empty() && !command.cwd.is_absolute());
    for (auto const& argument : command.args) broken = broken || argument.find('\0') != std::string::npos;
    for (auto const& [name, value] : command.environment)
        broken = broken || (name + value).find('\0') != std::string::npos;
    for (auto const& [name, value] : additions.secrets)
        broken = broken || value->reveal().find('\0') != std::string_view::npos;
    if (!broken) return {};
    return fail(Errc::invalid,
                "a NUL byte in the command, its environment or a secret cannot be passed to a program; remove it");
}

void put_command(std::string& out, Command const& command, Additions const& additions) {
    if (!command.cwd.empty()) put(out, ShimTag::directory, command.cwd.native());
    put(out, ShimTag::program, command.program.native());
    for (auto const& argument : command.args) put(out, ShimTag::argument, argument);
    for (auto const& [name, value] : command.environment)
        if (!is_secret(name, additions)) put(out, ShimTag::variable, name + "=" + value);
}

std::uint32_t flags_of(ShimOrders const& orders, Additions const& additions) {
    return (orders.stay ? shim_flag_stay : 0) | (orders.new_root ? shim_flag_new_root : 0) |
           (orders.scoped ? shim_flag_scoped : 0) | (additions.terminal ? shim_flag_terminal : 0) |
           (orders.network.egress && orders.network.transparent ? shim_flag_routes : 0);
}

/// "NAME=" or "PATH\0", and the value.
void put_secret(std::string& out, ShimTag tag, std::string const& name, Secret const& value) {
    Writer(out).number(static_cast<std::uint8_t>(tag));
    Writer(out).number(static_cast<std::uint32_t>(name.size() + value.size())).text(name).text(value.reveal());
}

void put_secrets(std::string& out, Additions const& additions) {
    std::string const place = std::string(secrets_inside) + "/";
    auto size = out.size() + 5;
    for (auto const& [name, value] : additions.secrets) size += 5 + name.size() + 1 + value->size();
    for (auto const& [name, value] : additions.files) size += 5 + place.size() + name.size() + 1 + value->size();
    out.reserve(size + 4); // nothing moves, so no copy of a secret stays behind
    for (auto const& [name, value] : additions.secrets) put_secret(out, ShimTag::variable, name + "=", *value);
    for (auto const& [name, value] : additions.files)
        put_secret(out, ShimTag::secret_file, place + name + std::string(1, '\0'), *value);
    put(out, ShimTag::done, "");
}

void wipe(std::string& text) {
    ::explicit_bzero(text.data(), text.size());
}

} // namespace

Result<Secret> encode(ShimOrders const& orders, Additions const& additions) {
    PFAR_CHECK(check_texts(orders.command, additions));
    std::string out;
    put_number(out, ShimTag::flags, flags_of(orders, additions));
    put_number(out, ShimTag::namespaces, orders.namespaces);
    if (orders.seen_as) put_ids(out, ShimTag::seen_as, orders.seen_as->uid, orders.seen_as->gid);
    for (auto const& mount : orders.mounts) put_mount(out, mount);
    for (auto const& witness : orders.witnesses) put_witness(out, witness);
    put_network(out, orders.network);
    if (orders.then_as) put_ids(out, ShimTag::then_as, orders.then_as->uid, orders.then_as->gid);
    if (orders.become && orders.become->kernel_uid)
        put_ids(out, ShimTag::become, *orders.become->kernel_uid, *orders.become->kernel_uid);
    if (orders.stay) put_limits(out, orders.limits, additions.count_memory);
    for (auto const& rule : orders.landlock) put_rule(out, rule);
    if (orders.seccomp)
        put(out, ShimTag::seccomp,
            filter({orders.no_sockets, additions.count_memory && orders.limits.memory != 0, orders.no_unix_sockets}));
    put_command(out, orders.command, additions);
    put_secrets(out, additions);
    if (out.size() > shim_most_bytes) {
        wipe(out);
        return fail(Errc::invalid, "the command with its environment and credentials is larger than 4 MiB");
    }
    std::string length;
    Writer(length).number(static_cast<std::uint32_t>(out.size()));
    out.insert(0, length);
    Secret message{std::string_view(out)};
    wipe(out);
    return message;
}

} // namespace pfar::spawn
