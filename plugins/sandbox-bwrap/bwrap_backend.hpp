// BwrapBackend: sandboxes by bubblewrap, as root or by user namespaces; pfar-shim does the rest inside.
#pragma once

#include <pfar/sandbox_backend.hpp>

#include <filesystem>

namespace pfar::bwrap {

class BwrapBackend final : public SandboxBackend {
public:
    Result<void> configure(PluginContext const& context) override;
    Result<Guarantees> probe(Launch const& launch) override;
    Result<LaunchPlan> plan(SandboxPolicy const& policy, Command const& command) const override;

private:
    std::filesystem::path program_ = "/usr/bin/bwrap", shim_;
};

} // namespace pfar::bwrap
