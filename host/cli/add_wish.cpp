// Nothing that may be a value is repeated: a secret in the wrong place stays out of the terminal's history of errors.
#include "cli/add_wish.hpp"

#include "base/text.hpp"
#include "cli/open.hpp"
#include "cli/secret_prompt.hpp"
#include "config/secret_look.hpp"
#include "config/values.hpp"
#include "config/write_server.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>

namespace pfar::cli {
namespace {

namespace fs = std::filesystem;
using config::ClientServer;
using config::ServerSpec;

Error usage(std::string what) {
    return fail(Errc::invalid, std::move(what));
}

fs::path absolute(std::string const& path, house::House const& house) {
    auto out = (house.places.directory / path).lexically_normal();
    return out.has_filename() || out == out.root_path() ? out : out.parent_path();
}

template <class E, std::size_t N>
Result<void> take_word(Arguments const& arguments, char const* option, base::Spelling<E, N> const& words, E& to) {
    if (!arguments.has(option)) return {};
    auto const word = config::parse_word(arguments.options.at(option), words);
    if (!word)
        return usage(
            fmt::format("--{}: {}; it is {}; {}", option, word.error().what, word.error().expected, word.error().fix));
    to = *word;
    return {};
}

/// One grant for each path: --write is more than --read.
Result<void> take_grants(Arguments const& arguments, house::House const& house, ServerSpec& spec) {
    if (!arguments.has("read") && !arguments.has("write")) return {};
    if (!spec.stateful)
        return usage(
            "--read and --write are for one process that serves all calls; without it, files are granted to each tool: "
            "leave them out, and write [tools.NAME.access] with pfar edit");
    config::Access access;
    for (bool const write : {true, false})
        for (auto const& given : arguments.all(write ? "write" : "read")) {
            if (given.empty()) return usage("--read and --write need a path");
            auto const path = absolute(given, house);
            auto const same = [&](auto const& grant) { return grant.path == path; };
            if (std::any_of(access.files.begin(), access.files.end(), same)) continue;
            access.files.push_back({path, Rights{true, write, write, write, false}});
        }
    spec.access = std::move(access);
    return {};
}

Result<ServerSpec> spec_of(Arguments const& arguments, house::House const& house) {
    ServerSpec spec;
    for (auto const& given : arguments.all("domain")) {
        auto const rule = config::parse_domain(given);
        if (!rule) return usage(fmt::format("--domain: {}; {}", rule.error().what, rule.error().fix));
        auto& all = spec.allowed_domains;
        if (std::find(all.begin(), all.end(), *rule) == all.end()) all.push_back(*rule);
    }
    PFAR_CHECK(take_word(arguments, "label", base::label_words, spec.label));
    PFAR_CHECK(take_word(arguments, "taint", base::taint_words, spec.taint));
    if (arguments.has("memory")) {
        auto const size = config::parse_size(arguments.options.at("memory"));
        if (!size) return usage(fmt::format("--memory: {}; {}", size.error().what, size.error().fix));
        spec.sandbox.memory_limit = *size;
    }
    spec.stateful = !arguments.has("stateless");
    spec.autostart = !arguments.has("no-autostart");
    if (arguments.has("session")) spec.share = base::Share::session;
    if (arguments.has("session") && !spec.stateful)
        return usage("--stateless has a process for each call already; leave --session out");
    if (arguments.has("description")) spec.description = arguments.options.at("description");
    PFAR_CHECK(take_grants(arguments, house, spec));
    return spec;
}

ClientServer from_operands(Arguments const& arguments) {
    ClientServer out;
    out.name = arguments.operands[0];
    out.command = arguments.operands[1];
    out.args.assign(arguments.operands.begin() + 2, arguments.operands.end());
    return out;
}

/// --env and --cwd say more than the configuration does.
Result<void> add_options(Arguments const& arguments, house::House const& house, ClientServer& server) {
    for (auto const& given : arguments.all("env")) {
        auto const equals = given.find('=');
        if (equals == given.npos) return usage("--env is NAME=VALUE; a credential goes by --secret NAME");
        auto const name = given.substr(0, equals);
        if (!config::parse_variable(name)) return usage("--env is NAME=VALUE, and a name has letters, digits and _");
        std::erase_if(server.env, [&](auto const& other) { return other.first == name; });
        if (config::look_of(name, std::string_view(given).substr(equals + 1)) == config::Look::secret)
            return usage(fmt::format(
                "the value of {0} looks like a credential, and secrets are never taken from the command line; say "
                "--secret {0} and give it when asked, or on stdin",
                name));
        server.env.emplace_back(name, Secret(std::string_view(given).substr(equals + 1)));
    }
    if (arguments.has("cwd")) server.cwd = absolute(arguments.options.at("cwd"), house).native();
    return {};
}

Result<AskedSecret> parse_secret(std::string const& given, std::string const& server) {
    auto const equals = given.find('=');
    auto const variable = given.substr(0, equals);
    if (!config::parse_variable(variable))
        return usage("--secret is VARIABLE or VARIABLE=vault_entry; a value is asked for");
    if (equals == given.npos) return AskedSecret{variable, house::entry_for(server, variable)};
    auto const entry = given.substr(equals + 1);
    if (config::secret_argument({entry}))
        return usage(fmt::format(
            "what stands behind --secret {0}= looks like a credential, and secrets are never taken from the command "
            "line; say --secret {0} and give it when asked, or on stdin",
            variable));
    if (!config::parse_entry_name(entry))
        return usage(fmt::format(
            "what stands behind --secret {}= is the name of an entry in the vault: letters, digits, _, . and -",
            variable));
    return AskedSecret{variable, entry};
}

Result<void> add_asked(Arguments const& arguments, AddRequest& request) {
    if (!arguments.has("secret")) return {};
    auto& server = request.wish.servers.front();
    for (auto const& given : arguments.all("secret")) {
        PFAR_TRY(asked, parse_secret(given, server.spec.name));
        auto const& variable = asked.variable;
        server.spec.env_set.erase(variable);
        std::erase_if(server.spec.auth, [&](auto const& value) { return value.name == variable; });
        std::erase_if(server.secrets, [&](auto const& secret) { return secret.variable == variable; });
        std::erase_if(request.asked, [&](auto const& other) { return other.variable == variable; });
        server.spec.auth.push_back({variable, {{true, asked.entry}}});
        request.asked.push_back(std::move(asked));
    }
    return {};
}

Result<std::vector<ClientServer>> from_stdin(Arguments const& arguments) {
    PFAR_TRY(text, read_secret(STDIN_FILENO, config::most_client_config));
    PFAR_TRY(servers, config::read_client_config(text.reveal()));
    bool const named = !arguments.operands.empty();
    if (servers.size() == 1) return servers;
    for (auto const* const option : {"domain", "env", "secret", "read", "write", "cwd", "description"})
        if (arguments.has(option))
            return fail(
                Errc::invalid,
                fmt::format("there are {} servers in that, and --{} is for one; add them one by one, or leave it "
                            "out",
                            servers.size(), option));
    if (named)
        return fail(Errc::invalid,
                    fmt::format("there are {} servers in that, and one name; leave the name out", servers.size()));
    return servers;
}

/// The name it gets, and a note if that is not the one it had.
Result<void> settle_name(Arguments const& arguments, ClientServer& server) {
    auto const& operands = arguments.operands;
    auto const given = operands.empty() ? server.name : operands[0];
    if (given.empty())
        return fail(Errc::invalid, "that is one server without a name; say pfar add NAME, and the same on stdin");
    if (auto const valid = config::parse_server_name(given); !valid && !operands.empty())
        return fail(Errc::invalid,
                    fmt::format("{}; it has {}, {}", valid.error().what, valid.error().expected, valid.error().fix));
    auto name = operands.empty() ? config::near_server_name(given) : given;
    if (name.empty())
        return fail(Errc::invalid, fmt::format("\"{}\" cannot be a server's name; add it alone, as pfar add NAME",
                                               base::printable(given.substr(0, 40))));
    if (name != given)
        server.left_out.push_back(fmt::format("\"{}\" is called {} here", base::printable(given.substr(0, 60)), name));
    server.name = std::move(name);
    return {};
}

Result<std::vector<ClientServer>> wanted_servers(Arguments const& arguments, bool by_operands) {
    if (!by_operands) return from_stdin(arguments);
    std::vector<ClientServer> out;
    out.push_back(from_operands(arguments));
    return out;
}

Result<void> settle_all(Arguments const& arguments, house::House const& house, std::vector<ClientServer> servers,
                        AddRequest& request) {
    PFAR_TRY(spec, spec_of(arguments, house));
    house::Adding const adding{house.places, search_path(), request.wish.project, !request.stdin_is_taken,
                               arguments.has("short")};
    for (auto& server : servers) {
        auto own = spec;
        own.name = server.name;
        PFAR_TRY(settled, house::settle_server(std::move(server), std::move(own), adding));
        request.wish.servers.push_back(std::move(settled));
    }
    return add_asked(arguments, request);
}

/// Everything that can be wrong with the options themselves.
Result<void> check_typed(Arguments const& arguments, house::House const& house, bool by_operands) {
    PFAR_CHECK(spec_of(arguments, house));
    for (auto const& given : arguments.all("secret")) PFAR_CHECK(parse_secret(given, ""));
    ClientServer nobody;
    PFAR_CHECK(add_options(arguments, house, nobody));
    return by_operands ? settle_name(arguments, nobody) : Result<void>();
}

} // namespace

Result<AddRequest> read_request(Arguments const& arguments, house::House const& house, int& code) {
    code = exit_usage;
    bool const by_operands = arguments.operands.size() > 1;
    if (!by_operands && ::isatty(STDIN_FILENO) == 1)
        return usage(
            "what is to be run? pfar add NAME -- COMMAND, or a client's configuration on stdin: pfar add < FILE");
    PFAR_CHECK(check_typed(arguments, house, by_operands));

    code = exit_ok; // from here on it is not about how it was typed
    AddRequest request;
    request.stdin_is_taken = !by_operands;
    request.wish.force = arguments.has("force");
    request.wish.replace = arguments.has("replace");
    if (arguments.has("project")) {
        PFAR_TRY(root, house::root_for_project(house.places));
        request.wish.project = std::move(root);
    }
    PFAR_TRY(servers, wanted_servers(arguments, by_operands));
    for (auto& server : servers) {
        PFAR_CHECK(settle_name(arguments, server));
        PFAR_CHECK(add_options(arguments, house, server));
    }
    PFAR_CHECK(settle_all(arguments, house, std::move(servers), request));
    return request;
}

} // namespace pfar::cli
