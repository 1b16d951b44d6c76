// ELF by hand: one header, its program headers, the notes in them. Every offset comes from a stranger, so each is checked
// before it is used, and fields are copied out because nothing need be aligned.
#include "loader/plugin_note.hpp"

#include "base/fd.hpp"
#include "base/files.hpp"

#include <pfar/plugin.hpp>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace pfar::loader {
namespace {

using Bytes = std::span<std::byte const>;

constexpr std::size_t most_bytes = 256U << 20U;
constexpr std::size_t usual_head = 16U << 10U; // linkers put headers and notes first
#if defined(__x86_64__)
constexpr Elf64_Half own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half own_machine = EM_AARCH64;
#else
#error "which e_machine has this processor?"
#endif

template <class T> std::optional<T> take(Bytes bytes, std::size_t at) {
    if (at > bytes.size() || bytes.size() - at < sizeof(T)) return {};
    T out;
    std::memcpy(&out, bytes.data() + at, sizeof(T));
    return out;
}

std::optional<Bytes> part(Bytes bytes, std::size_t at, std::size_t size) {
    if (at > bytes.size() || bytes.size() - at < size) return {};
    return bytes.subspan(at, size);
}

template <std::size_t N> std::string text(char const (&field)[N]) {
    return {field, ::strnlen(field, N)};
}

/// The body of pfar's own note among those of one segment.
std::optional<PluginIdentity> find_note(Bytes notes) {
    for (std::size_t at = 0;;) {
        auto const header = take<Elf64_Nhdr>(notes, at);
        if (!header) return {};
        auto const note = take<PluginNote>(notes, at);
        if (note && header->n_namesz == 5 && header->n_type == 1 && std::memcmp(note->owner, "pfar", 5) == 0 &&
            header->n_descsz == sizeof(PluginNote) - 20)
            return PluginIdentity{note->api_version, text(note->abi), text(note->kind), text(note->name),
                                  text(note->version)};
        auto const padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
        at += sizeof(Elf64_Nhdr) + padded(header->n_namesz) + padded(header->n_descsz);
    }
}

/// `head` is the beginning of a file of `size` bytes.
Result<PluginIdentity> read_note(Bytes head, std::size_t size) {
    auto const header = take<Elf64_Ehdr>(head, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_type != ET_DYN)
        return fail(Errc::invalid, "is not a shared library");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != own_machine)
        return fail(Errc::invalid, "is a library for another kind of machine");
    std::optional<PluginIdentity> identity;
    for (std::size_t i = 0; i < header->e_phnum; ++i) {
        auto const segment = take<Elf64_Phdr>(head, header->e_phoff + i * sizeof(Elf64_Phdr));
        // Every segment, not only the note: the loader maps them, and what lies beyond the end of the file kills the process.
        bool const whole = segment && segment->p_offset <= size && size - segment->p_offset >= segment->p_filesz;
        if (!whole) return fail(Errc::invalid, "is cut short or damaged; copy it anew");
        auto const content = part(head, segment->p_offset, segment->p_filesz);
        if (segment->p_type == PT_NOTE && content && !identity) identity = find_note(*content);
    }
    if (identity) return std::move(*identity);
    return fail(Errc::invalid,
                "is a library, but not a pfar plugin: it has no .note.pfar; register it with PFAR_PLUGIN");
}

} // namespace

Result<PluginIdentity> read_plugin_note(std::span<std::byte const> file) {
    return read_note(file, file.size());
}

Result<PluginIdentity> read_plugin_note(std::filesystem::path const& path) {
    base::Fd const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat status {};
    if (!file || ::fstat(file.number(), &status) != 0) return fail(Errc::invalid, "could not be read");
    if (!S_ISREG(status.st_mode)) return fail(Errc::invalid, "is not a shared library");
    std::vector<std::byte> bytes(std::min<std::size_t>(static_cast<std::size_t>(status.st_size), usual_head));
    auto const got = ::pread(file.number(), bytes.data(), bytes.size(), 0);
    if (got != static_cast<ssize_t>(bytes.size())) return fail(Errc::invalid, "could not be read");
    auto note = read_note(bytes, static_cast<std::size_t>(status.st_size));
    if (note || bytes.size() == static_cast<std::size_t>(status.st_size)) return note;
    auto const whole = base::read_file(path, most_bytes); // an odd layout: the note lies further back
    return whole ? read_plugin_note(std::as_bytes(std::span(*whole))) : note;
}

} // namespace pfar::loader
