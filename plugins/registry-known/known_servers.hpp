// KnownServers: the shipped templates, and the owner's own, which replace them by name.
//
// Read anew for every question: questions are rare, and so an edited template counts at once and nothing is read at start.
#pragma once

#include <pfar/server_registry.hpp>

namespace pfar::registry_known {

class KnownServers final : public ServerRegistry {
public:
    /// No settings.
    Result<void> configure(PluginContext const& context) override;

    /// A template file with a mistake is an error of every function, with file and line: falling back to the shipped
    /// template could grant what the owner's own had taken away.
    Result<KnownServer> find(std::string const& name) const override;
    Result<std::vector<KnownServer>> search(std::string const& words) const override;
    Result<std::vector<KnownServer>> list() const override;

private:
    std::filesystem::path shipped_, own_;
};

} // namespace pfar::registry_known
