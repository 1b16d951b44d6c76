// KnownServers: the shipped templates, and the owner's own, which replace them by name.
//
// Read anew for every question: questions are rare, and so an edited template counts at once and nothing is read at start.
// What is wrong with one of the owner's is wrong with that one only. Its names are answered with the mistake: falling back to the
// shipped template could grant what the owner's own had taken away.
#pragma once

#include <pfar/server_registry.hpp>

namespace pfar::registry_known {

class KnownServers final : public ServerRegistry, public LeavesOut {
public:
    /// No settings.
    Result<void> configure(PluginContext const& context) override;

    /// Shipped data that is missing or has a mistake, or a directory that cannot be read, is an error of every function.
    Result<KnownServer> find(std::string const& name) const override;
    Result<std::vector<KnownServer>> search(std::string const& words) const override;
    Result<std::vector<KnownServer>> list() const override;
    Result<std::vector<Error>> left_out() const override;

private:
    std::filesystem::path shipped_, own_;
};

} // namespace pfar::registry_known
