#include "house/process_words.hpp"

#include "base/text.hpp"
#include "house/process.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <sys/wait.h>

#include <csignal>
#include <cstring>

namespace pfar::house {
namespace {

std::string signal_name(int signal) {
    auto const* const name = ::sigabbrev_np(signal);
    return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string as_size(std::uint64_t bytes) {
    return bytes % (1U << 20U) == 0 ? fmt::format("{}m", bytes >> 20U) : fmt::format("{}k", bytes >> 10U);
}

/// A path may be any bytes; JSON may not.
std::string as_text(std::filesystem::path const& path) {
    return base::is_utf8(path.native()) ? path.native() : base::printable(path.native());
}

boost::json::array names_of(std::vector<config::DomainRule> const& domains) {
    boost::json::array out;
    for (auto const& domain : domains) out.emplace_back(to_text(domain));
    return out;
}

} // namespace

servers::Ending ending_of(int status, bool out_of_memory, std::uint64_t memory_limit) {
    if (out_of_memory)
        return {fmt::format("it was killed because it needed more memory than memory_limit = \"{0}\" allows; to give "
                            "it more, raise it under [sandbox] in its file",
                            as_size(memory_limit)),
                true};
    if (WIFSIGNALED(status)) return {fmt::format("killed by {}", signal_name(WTERMSIG(status)))};
    return {fmt::format("exit code {}", WEXITSTATUS(status)), false, WEXITSTATUS(status) == 0};
}

std::vector<servers::BlockedDomain> blocked_domains(std::vector<egress::Blocked> const& blocked,
                                                    std::string const& server) {
    std::vector<servers::BlockedDomain> out;
    for (auto const& one : blocked)
        out.push_back({one.domain, one.why,
                       one.remedy.empty() ? "" : fmt::format("pfar allow {} {}", server, one.remedy), one.count,
                       one.remedy, one.last});
    return out;
}

std::string access_json(servers::Wish const& wish, SandboxPolicy const& policy) {
    boost::json::array files, env;
    for (auto const& grant : wish.grants) {
        std::error_code error;
        auto const path = std::filesystem::weakly_canonical(grant.path, error);
        files.push_back(boost::json::object{{"path", as_text(error ? grant.path : path)},
                                            {"read", grant.rights.read},
                                            {"write", grant.rights.writes()}});
    }
    for (auto const& name : wish.env_pass) env.emplace_back(name);
    for (auto const& [name, value] : wish.env_set) env.emplace_back(name);
    for (auto const& auth : wish.auth) env.emplace_back(auth.name);
    boost::json::object out{
        {"server", wish.name}, {"fs", std::move(files)}, {"domains", names_of(wish.domains)}, {"env", std::move(env)}};
    if (wish.commands) out["commands"] = boost::json::value_from(*wish.commands);
    out["limits"] = {
        {"memory", policy.limits.memory}, {"processes", policy.limits.processes}, {"tmp", policy.limits.tmp_bytes}};
    out["read_only_fs"] = policy.read_only_root;
    return boost::json::serialize(out);
}

std::vector<std::string> roots_of(servers::Wish const& wish) {
    std::vector<std::string> out;
    for (auto const& grant : wish.grants) {
        std::error_code error;
        auto const path = std::filesystem::canonical(grant.path, error);
        if (!error) out.push_back(path.native());
    }
    return out;
}

} // namespace pfar::house
