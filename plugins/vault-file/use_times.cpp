// Plain: for each entry length of the name (1), name filled with zeros (64), time (8).
#include "use_times.hpp"

#include <unistd.h>

namespace pfar::vault_file {

namespace {

constexpr char file_name[] = "used";
constexpr std::string_view purpose = "used";
constexpr std::size_t line_size = 1 + max_name + 8;
constexpr std::chrono::milliseconds patience{100};

} // namespace

UseTimes read_uses(Dir const& dir, Contents const& contents) {
    UseTimes uses;
    auto const sealed = read_private_file(dir, file_name, nonce_size + max_entries * line_size + tag_size);
    auto const plain =
        sealed ? unseal(contents.keys().uses, bound_to(contents.header(), purpose), *sealed) : std::nullopt;
    if (!plain) return uses;
    for (auto rest = plain->reveal(); rest.size() >= line_size; rest.remove_prefix(line_size)) {
        std::size_t const size = static_cast<unsigned char>(rest[0]);
        if (size <= max_name) uses[std::string(rest.substr(1, size))] = time_at(rest.data() + 1 + max_name);
    }
    return uses;
}

void write_uses(Dir const& dir, Contents const& contents, UseTimes const& uses) {
    if (uses.empty()) return static_cast<void>(::unlinkat(dir.fd.number(), file_name, 0));
    auto const plain = Secret::filled(uses.size() * line_size, [&](char* to) {
        for (auto const& [name, time] : uses) {
            std::copy(name.begin(), name.end(), put_number(to, static_cast<std::uint8_t>(name.size())));
            to = put_time(to + 1 + max_name, time);
        }
    });
    auto const sealed = seal(contents.keys().uses, bound_to(contents.header(), purpose), plain.reveal());
    static_cast<void>(replace_file(dir, file_name, sealed, Survives::crash));
}

void note_use(Dir const& dir, Contents const& contents, std::string const& name) {
    auto const lock = lock_dir(dir, patience);
    if (!lock) return;
    auto uses = read_uses(dir, contents);
    uses[name] = std::chrono::system_clock::now();
    if (uses.size() <= max_entries) write_uses(dir, contents, uses);
}

} // namespace pfar::vault_file
