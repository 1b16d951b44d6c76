// A client's configuration: any bytes give servers or a sentence, and what is written from them is read back as it was.
#include "base/text.hpp"
#include "config/address_domain.hpp"
#include "config/client_config.hpp"
#include "config/launcher.hpp"
#include "config/secret_look.hpp"
#include "config/server_file.hpp"
#include "config/write_server.hpp"

#include <cstdint>
#include <cstdlib>

using namespace pfar::config;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

bool is_text(std::string const& text) {
    return text.find('\0') == std::string::npos && pfar::base::is_utf8(text);
}

void judge(ClientServer const& server) {
    auto const name = near_server_name(server.name);
    require(name.empty() || parse_server_name(name));
    static_cast<void>(refuse_launcher(name, server.command, server.args));
    static_cast<void>(secret_argument(server.args));
    for (auto const& [variable, value] : server.env) {
        static_cast<void>(look_of(variable, value.reveal()));
        static_cast<void>(domain_in(value.reveal()));
        if (auto const login = login_in(value.reveal()))
            require(std::string(login->before).append(login->password).append(login->behind) == value.reveal());
    }
}

void write_and_read(ClientServer const& server) {
    ServerSpec spec;
    spec.name = "a";
    spec.server.command = "/bin/sh";
    if (is_text(server.description)) spec.description = server.description;
    for (auto const& argument : server.args)
        if (is_text(argument) && spec.server.args.size() < 900) spec.server.args.push_back(plain_text(argument, false));
    for (auto const& [variable, value] : server.env)
        if (parse_variable(variable) && is_text(std::string(value.reveal())) && spec.env_set.size() < 900)
            spec.env_set.emplace(variable, plain_text(value.reveal(), false));
    FileContext const context{"/h/mcp/a.toml", "/h", "/h", "/u", false, {}};
    auto const text = write_server(spec);
    auto const back = read_server_file(Source(text), context).spec;
    require(back && back->server.args == spec.server.args && back->env_set == spec.env_set &&
            back->description == spec.description);
    require(with_command(text, "/bin/cat").has_value());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const servers = read_client_config({reinterpret_cast<char const*>(data), size});
    if (!servers) return require(!servers.error().what.empty()), 0;
    require(!servers->empty());
    for (auto const& server : *servers) {
        judge(server);
        write_and_read(server);
    }
    return 0;
}
