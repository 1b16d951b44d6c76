// ServerRegistry: knows servers by name, so that "connect notion" needs no further question than the token.
//
// Its answers are data: nothing is installed, run or fetched by a registry.
#pragma once

#include <pfar/plugin.hpp>

#include <vector>

namespace pfar {

/// A secret that the server needs in its environment.
struct CredentialNeed {
    std::string variable, prompt, help_url;
    std::string starts_with; // "ntn_"; empty: anything
    bool required = true;
};

/// Something to ask that is not secret: a site name, a folder.
struct Parameter {
    std::string name, prompt, pattern, fallback;
};

struct Package {
    enum class Source { npm, pypi, none };
    Source source = Source::none;
    std::string name, version, entry; // entry: the executable inside the package
};

/// A folder or file that the server needs.
struct WantedGrant {
    std::string path; // may have parameters
    bool write = false;
};

/// A call that reads and harms nothing, to see whether a credential works. Empty tool: there is none.
struct VerifyCall {
    std::string tool, arguments_json;
};

/// In args, environment, domains and grants ${NAME} is a parameter's value; ${HOME} is the server's own directory.
struct KnownServer {
    std::string name, title, description;
    std::vector<std::string> aliases;
    Package package;
    std::vector<std::string> args;
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<std::string> domains;
    std::vector<CredentialNeed> credentials;
    std::vector<Parameter> parameters;
    std::vector<WantedGrant> grants;
    std::string label, taint;       // as in a server file; empty: the default
    std::vector<std::string> reads; // tools that are known to read only
    VerifyCall verify;
    std::string not_yet; // set: why it cannot be connected, and what to do instead
};

class PFAR_EXPORT ServerRegistry : public Plugin {
public:
    static constexpr char kind[] = "registry";

    /// By name or alias, exactly. Errc::not_found otherwise. [main thread]
    virtual Result<KnownServer> find(std::string const& name) const = 0;
    /// Every entry in which each of the words occurs, best first; no words: nothing. [main thread]
    virtual Result<std::vector<KnownServer>> search(std::string const& words) const = 0;
    /// All, sorted by name. [main thread]
    virtual Result<std::vector<KnownServer>> list() const = 0;
};

} // namespace pfar
