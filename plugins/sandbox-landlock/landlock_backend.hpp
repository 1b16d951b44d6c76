// LandlockBackend: sandboxes by Landlock rules, which pfar-shim applies to itself before it executes the server.
#pragma once

#include <pfar/sandbox_backend.hpp>

#include <filesystem>

namespace pfar::landlock {

class LandlockBackend final : public SandboxBackend {
public:
    Result<void> configure(PluginContext const& context) override;
    Result<Guarantees> probe(Launch const& launch) override;
    Result<LaunchPlan> plan(SandboxPolicy const& policy, Command const& command) const override;

private:
    std::filesystem::path shim_;
};

} // namespace pfar::landlock
