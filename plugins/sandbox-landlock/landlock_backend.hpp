// LandlockBackend: sandboxes by what the kernel offers to any process; needs no other program than pfar-shim.
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
    bool namespaces_ = true; // until a probe has found that the machine refuses them
    std::string why_no_namespaces_;
};

} // namespace pfar::landlock
