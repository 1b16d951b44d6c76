// pfar exec
#include "house/server_exec.hpp"

#include "base/text.hpp"
#include "cli/vault_open.hpp"
#include "config/expand.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>

namespace pfar::cli {
namespace {

constexpr Rights reading{.read = true, .execute = true};
constexpr Rights writing{true, true, true, true, true};

std::filesystem::path absolute(std::string const& path, house::House const& house) {
    if (path == "~" || path.starts_with("~/"))
        return (house.places.user_home / path.substr(std::min<std::size_t>(2, path.size()))).lexically_normal();
    return (house.places.directory / path).lexically_normal();
}

/// "a,b" of every --env.
std::vector<std::string> names_in(std::vector<std::string> const& values) {
    std::vector<std::string> names;
    for (std::string_view rest : values)
        while (!rest.empty()) {
            auto const name = rest.substr(0, rest.find(','));
            if (!name.empty()) names.emplace_back(name);
            rest.remove_prefix(std::min(rest.size(), name.size() + 1));
        }
    return names;
}

Result<void> read_env(Arguments const& arguments, servers::Wish& wish) {
    for (auto const& name : names_in(arguments.all("env"))) {
        auto parsed = config::parse_passed(name);
        if (!parsed)
            return fail(Errc::invalid, fmt::format("--env {}: {}; name variables of your environment: --env TZ,EDITOR",
                                                   base::printable(name), parsed.error().what));
        wish.env_pass.push_back(*parsed);
    }
    return {};
}

Result<void> read_memory(Arguments const& arguments, servers::Wish& wish) {
    if (!arguments.has("memory")) return {};
    auto const& given = arguments.options.at("memory");
    auto const size = config::parse_size(given);
    if (!size || *size < (1U << 20U))
        return fail(Errc::invalid,
                    fmt::format("--memory {}: {}; at least 1m, such as --memory 256m", base::printable(given),
                                size ? "in which nothing can run" : size.error().what));
    wish.sandbox.memory_limit = *size;
    return {};
}

Result<void> read_domains(Arguments const& arguments, servers::Wish& wish) {
    for (auto const& given : arguments.all("allow-domain")) {
        auto rule = config::parse_domain(given);
        if (!rule)
            return fail(Errc::invalid, fmt::format("--allow-domain: {}; {}", rule.error().what, rule.error().fix));
        wish.domains.push_back(std::move(*rule));
    }
    return {};
}

/// What its owner would want to know when it did not work.
void tell_blocked(std::vector<egress::Blocked> const& all, std::string const& server, Console& console) {
    for (auto const& blocked : all) {
        auto const times = blocked.count == 1 ? "once" : fmt::format("{} times", blocked.count);
        auto const remedy = blocked.remedy.empty() ? ""
                            : server.empty()       ? fmt::format("; --allow-domain '{}' allows it", blocked.remedy)
                                             : fmt::format("; pfar allow {} '{}' allows it", server, blocked.remedy);
        console.complain(fmt::format("blocked {}, {}: {}{}", blocked.domain.empty() ? "a connection" : blocked.domain,
                                     times, blocked.why, remedy));
    }
}

Result<servers::Wish> wish_of(Arguments const& arguments, house::House const& house) {
    servers::Wish wish;
    wish.name = "exec";
    wish.command = arguments.operands.front();
    wish.args.assign(arguments.operands.begin() + 1, arguments.operands.end());
    if (wish.command.find('/') != std::string::npos) wish.command = absolute(wish.command, house).native();
    wish.rule = servers::ArgRule::scripts_only;
    wish.cwd = house.places.directory;
    wish.cwd_if_granted = true;
    for (auto const& path : arguments.all("read")) wish.grants.push_back({absolute(path, house), reading, "--read"});
    for (auto const& path : arguments.all("write")) wish.grants.push_back({absolute(path, house), writing, "--write"});
    if (arguments.has("backend")) wish.sandbox.backend = arguments.options.at("backend");
    for (auto const& [name, value] : arguments.in_order)
        if ((name == "read" || name == "write") && (value.empty() || value == "--"))
            return fail(Errc::invalid, fmt::format("--{} needs a path, such as --{} ~/notes", name, name));
    PFAR_CHECK(read_env(arguments, wish));
    PFAR_CHECK(read_memory(arguments, wish));
    PFAR_CHECK(read_domains(arguments, wish));
    return wish;
}

std::function<void(std::string const&)> warnings_to(Console& console) {
    return [&](std::string const& warning) { console.complain("warning: " + warning); };
}

house::ServerExec server_of(Arguments const& arguments, house::House const& house, Console& console) {
    house::ServerExec wanted{.server = arguments.options.at("server"),
                             .tool = "",
                             .command = arguments.operands,
                             .backend = "",
                             .wait = arguments.has("wait"),
                             .warn = warnings_to(console),
                             .ask = ask_passphrase(console),
                             .known = [&](auto redactor) { console.redact_with(std::move(redactor)); }};
    if (arguments.has("tool")) wanted.tool = arguments.options.at("tool");
    if (arguments.has("backend")) wanted.backend = arguments.options.at("backend");
    if (!wanted.command.empty() && wanted.command[0].find('/') != std::string::npos)
        wanted.command[0] = absolute(wanted.command[0], house).native();
    return wanted;
}

/// What the server's file says is not to be said again, and what is about a server needs one.
Result<void> check_together(Arguments const& arguments) {
    if (!arguments.has("server")) {
        for (char const* const option : {"tool", "wait"})
            if (arguments.has(option)) return fail(Errc::invalid, fmt::format("--{} goes with --server", option));
        if (arguments.operands.empty())
            return fail(Errc::invalid, "exec needs a COMMAND, or --server NAME; pfar exec --help explains");
        return {};
    }
    for (char const* const option : {"allow-domain", "read", "write", "env", "memory"})
        if (arguments.has(option))
            return fail(Errc::invalid, fmt::format("--{} does not go with --server: its file says what it may have; "
                                                   "pfar plan {} shows it",
                                                   option, base::printable(arguments.options.at("server"))));
    return {};
}

} // namespace

int run_exec(Arguments const& arguments, Console& console) {
    if (auto const fits = check_together(arguments); !fits) {
        console.complain(fits.error().what);
        return exit_usage;
    }
    int code = exit_ok;
    auto const backend = arguments.has("server")    ? ""
                         : arguments.has("backend") ? arguments.options.at("backend")
                                                    : "auto";
    auto const house = open_for_sandbox(console, code, backend);
    if (!house) return code;
    house::Record record(*house);
    auto wish = arguments.has("server") ? servers::Wish{} : wish_of(arguments, *house);
    if (!wish) {
        console.complain(wish.error().what);
        return exit_usage;
    }
    auto const end = arguments.has("server") ? house::exec_server(*house, server_of(arguments, *house, console), record)
                                             : house::exec(*house, {std::move(*wish), warnings_to(console)}, record);
    if (!end) {
        console.complain(end.error().what);
        return exit_code(end.error().code);
    }
    record.close();
    tell_blocked(end->blocked, arguments.has("server") ? arguments.options.at("server") : "", console);
    if (!end->trouble.empty()) console.complain(end->trouble);
    std::fflush(nullptr);
    ::_exit(end->code); // what is left to take down is for nobody, and somebody waits
}

} // namespace pfar::cli
