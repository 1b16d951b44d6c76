#include "env_vault.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace pfar::vault_env {
namespace {

/// An empty variable is how a container says that there is none.
char const* value_of(std::string const& name) {
    char const* const value = std::getenv(variable_of(name).c_str());
    return value != nullptr && *value != '\0' ? value : nullptr;
}

Error read_only(std::string const& name) {
    return fail(Errc::unsupported, "vault-env only reads; set " + variable_of(name) +
                                       " where pfar is started, or choose another store: store = \"vault-file\" in "
                                       "[credentials] of pfar.toml");
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 64 &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

} // namespace

std::string variable_of(std::string const& name) {
    auto variable = prefix + name;
    std::transform(variable.begin(), variable.end(), variable.begin(),
                   [](unsigned char c) { return c == '.' || c == '-' ? '_' : static_cast<char>(std::toupper(c)); });
    return variable;
}

Result<void> EnvVault::configure(PluginContext const& context) {
    return only(context.settings, {});
}

Result<void> EnvVault::keep(std::string const& name, Secret /*value*/) {
    return read_only(name);
}

Result<Secret> EnvVault::find(std::string const& name) {
    if (auto const* const value = value_of(name)) return Secret(value);
    return fail(Errc::not_found, "the environment has no " + variable_of(name) + "; set it where pfar is started");
}

Result<std::vector<Credential>> EnvVault::list() {
    std::vector<Credential> found;
    for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
        std::string_view const variable(*each);
        auto const equals = variable.find('=');
        if (!variable.starts_with(prefix) || equals == std::string_view::npos || equals + 1 == variable.size())
            continue;
        auto const name = variable.substr(sizeof prefix - 1, equals - (sizeof prefix - 1));
        if (is_name(name) && value_of(lower(name)) != nullptr) found.push_back({lower(name), {}, {}, ""});
    }
    std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
    return found;
}

Result<bool> EnvVault::has(std::string const& name) {
    return value_of(name) != nullptr;
}

Result<void> EnvVault::remove(std::string const& name) {
    return read_only(name);
}

Result<void> EnvVault::rename(std::string const& from, std::string const& /*to*/) {
    return read_only(from);
}

Result<StoreStatus> EnvVault::status() {
    StoreStatus status;
    status.read_only = true;
    status.how = "none: PFAR_SECRET_NAME in the environment";
    status.advice = "it only reads; set PFAR_SECRET_NAME where pfar is started, or choose another store: store = "
                    "\"vault-file\" in [credentials] of pfar.toml";
    return status;
}

} // namespace pfar::vault_env
