// libseccomp turns the rules into a program; it orders the calls as a tree, so that the filter costs a call a handful of steps.
#include "spawn/seccomp.hpp"

#include "base/fd.hpp"
#include "base/files.hpp"
#include "spawn/seccomp_rules.hpp"

#include <fmt/format.h>

#include <seccomp.h>
#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <memory>
#include <mutex>
#include <string_view>

namespace pfar::spawn {
namespace {

/// Calls newer than the libseccomp of Debian 12; from 424 on a call has the same number on every machine.
constexpr std::pair<std::string_view, int> new_calls[] = {
    {"quotactl_fd", 443},    {"memfd_secret", 447}, {"process_madvise", 440}, {"fchmodat2", 452},
    {"open_tree_attr", 467}, {"setxattrat", 463},   {"removexattrat", 466},   {"file_setattr", 469}};

using Filter = std::unique_ptr<void, decltype(&::seccomp_release)>;

Error failed(std::string_view step, int error) {
    return fail(Errc::unsupported,
                fmt::format("the system call filter could not be made ({}): {}", step, base::errno_text(error)));
}

/// Below zero: this machine's kernel has no such call.
int number_of(char const* call) {
    int const known = ::seccomp_syscall_resolve_name(call);
    if (known != __NR_SCMP_ERROR) return known;
    for (auto const& [name, number] : new_calls)
        if (name == call) return number;
    return known;
}

Result<void> add(scmp_filter_ctx filter, RefusedCall const& rule) {
    int const number = number_of(rule.call);
    if (number < 0) return {};
    std::array<scmp_arg_cmp, 2> when{};
    for (std::size_t i = 0; i < rule.when.size(); ++i)
        when.at(i) = {rule.when[i].argument, SCMP_CMP_MASKED_EQ, rule.when[i].mask, rule.when[i].value};
    int const added = ::seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(rule.error)), number,
                                               static_cast<unsigned>(rule.when.size()), when.data());
    if (added != 0) return failed(rule.call, -added);
    return {};
}

Result<std::string> exported(scmp_filter_ctx filter) {
    base::Fd const memory{::memfd_create("pfar-seccomp", MFD_CLOEXEC)};
    if (!memory) return failed("memfd_create", errno);
    if (int const error = ::seccomp_export_bpf(filter, memory.number()); error != 0) return failed("export", -error);
    std::string program(static_cast<std::size_t>(::lseek(memory.number(), 0, SEEK_END)), '\0');
    if (::pread(memory.number(), program.data(), program.size(), 0) != static_cast<ssize_t>(program.size()))
        return failed("read", EIO);
    return program;
}

Result<std::string> made(FilterWishes const& wishes) {
    Filter const filter{::seccomp_init(SCMP_ACT_ALLOW), &::seccomp_release};
    if (!filter) return failed("init", ENOMEM);
    for (auto const& [attribute, value] : {std::pair{SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS},
                                           std::pair{SCMP_FLTATR_CTL_OPTIMIZE, 2U}}) // 2: a binary tree
        if (int const error = ::seccomp_attr_set(filter.get(), attribute, value); error != 0)
            return failed("attribute", -error);
    for (auto const& rule : seccomp_rules(wishes)) PFAR_CHECK(add(filter.get(), rule));
    return exported(filter.get());
}

} // namespace

Result<std::string> seccomp_program(FilterWishes const& wishes) {
    static std::mutex guard;
    static std::array<std::string, 8> kept; // making one takes 2 ms, and it is always the same
    std::lock_guard const lock(guard);
    auto& program =
        kept.at((wishes.deny_sockets ? 1U : 0U) + (wishes.deny_hidden_memory ? 2U : 0U) + (wishes.deny_unix ? 4U : 0U));
    if (program.empty()) {
        PFAR_TRY(fresh, made(wishes));
        program = std::move(fresh);
    }
    return program;
}

} // namespace pfar::spawn
