// MyRegistry: knows one server, so that `pfar connect` finds it by name.
//
// For another kind of plugin derive from SandboxBackend, EgressFilter or CredentialStore instead; the guide walks through each.
#pragma once

#include <pfar/server_registry.hpp>

#include <string>
#include <vector>

class MyRegistry final : public pfar::ServerRegistry {
public:
    pfar::Result<void> configure(pfar::PluginContext const& context) override;
    pfar::Result<pfar::KnownServer> find(std::string const& name) const override;
    pfar::Result<std::vector<pfar::KnownServer>> search(std::string const& words) const override;
    pfar::Result<std::vector<pfar::KnownServer>> list() const override;

private:
    pfar::KnownServer tracker_;
};
