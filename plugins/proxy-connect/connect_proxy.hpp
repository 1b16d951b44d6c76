// ConnectProxy: the egress filter. An HTTP proxy, and in transparent mode whatever else a process believes to speak to; it asks for each
// destination and dials what was judged.
#pragma once

#include "session_state.hpp"

namespace pfar::proxy_connect {

class ConnectProxy final : public EgressFilter {
public:
    /// Settings: `header_bytes`, `header_seconds`, `idle_seconds`, `tunnels`; the README has their meaning and defaults.
    Result<void> configure(PluginContext const& context) override;
    Result<std::unique_ptr<EgressSession>> serve(EgressTask task) override;

private:
    Limits limits_;
    std::function<void(LogLevel, std::string_view)> log_;
};

/// What serve() does, with limits that settings cannot express. [executor]
Result<std::unique_ptr<EgressSession>> open_session(EgressTask task, Limits limits,
                                                    std::function<void(LogLevel, std::string_view)> log);

} // namespace pfar::proxy_connect
