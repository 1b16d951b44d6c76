// ServerRegistry: knows servers by name, so that "connect notion" needs no further question than the token.
//
// Its answers are data: nothing is installed, run or fetched by a registry.
#pragma once

#include <pfar/plugin.hpp>

#include <vector>

namespace pfar {

/// A secret that the server needs. It gets it as a variable, or as a file whose path is in the variable; never in argv.
struct CredentialNeed {
    std::string variable, prompt, help_url;
    std::string starts_with; // "ntn_"; empty: anything
    std::string pattern;     // RE2, of the whole secret; empty: anything
    /// What the variable gets; may have parameters: "postgres://${user}:${secret}@${host}".
    std::string value = "${secret}";
    std::string file;       // "key.json": the secret is this file in ${auth.files}, and the variable gets its path
    bool multiline = false; // the secret is a whole file, such as a JSON key
    bool required = true;
};

/// Something to ask that is not secret: a site name, a folder.
struct Parameter {
    enum class Kind { text, folder, file, host, choice };
    std::string name, prompt;
    std::string help;     // a sentence more, shown with the question
    std::string pattern;  // RE2, of the whole answer; empty: anything
    std::string fallback; // what an empty answer means; empty: an answer is needed
    Kind kind = Kind::text;
    std::vector<std::string> choices; // of Kind::choice
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
    std::string refused; // RE2, found in the result's text: the credential was refused, though the result is no error
};

/// In args, environment, domains, allow_private, grants and a credential's value ${NAME} is a parameter's answer and ${HOME} the
/// server's own directory. Nothing here is secret: what a credential gives stays in its own `value`.
struct KnownServer {
    std::string name, title, description;
    std::vector<std::string> aliases;
    Package package;
    std::string command; // without a package: a program's name, looked up on the PATH
    std::vector<std::string> args;
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<std::string> domains, allow_private; // as in a server file
    std::vector<CredentialNeed> credentials;
    std::vector<Parameter> parameters;
    std::vector<WantedGrant> grants;
    std::string label, taint;       // as in a server file; empty: the default
    std::vector<std::string> reads; // tools that are known to read only
    bool read_only = false;         // all of its tools only read
    VerifyCall verify;
    std::vector<std::string> notes; // a sentence each, shown before anything is asked: "Archived by its authors."
    std::string homepage;
    std::string not_yet; // set: why it cannot be connected, and what to do instead
};

class PFAR_EXPORT ServerRegistry : public Plugin {
public:
    static constexpr char kind[] = "registry";

    /// By name or alias, exactly but for case and for spaces or _ in place of -. Errc::not_found otherwise. [main thread]
    virtual Result<KnownServer> find(std::string const& name) const = 0;
    /// Every entry in which each of the words occurs, best first; no words: nothing. [main thread]
    virtual Result<std::vector<KnownServer>> search(std::string const& words) const = 0;
    /// All, sorted by name. [main thread]
    virtual Result<std::vector<KnownServer>> list() const = 0;
};

/// What a registry may be besides, if it reads files of the owner's: it leaves out what has a mistake, and tells. An interface of
/// its own, so that registries which are none are as they were.
class PFAR_EXPORT LeavesOut {
public:
    LeavesOut() = default;
    LeavesOut(LeavesOut const&) = delete;
    LeavesOut& operator=(LeavesOut const&) = delete;
    virtual ~LeavesOut() = default;

    /// A sentence each: "FILE:LINE: what is wrong". Whoever asks `find` for one of these gets that error. [main thread]
    virtual Result<std::vector<Error>> left_out() const = 0;
};

} // namespace pfar
