// The plugin's entry and nothing else.
#include "connect_proxy.hpp"

PFAR_PLUGIN(pfar::proxy_connect::ConnectProxy, "proxy-connect", "0.1.0");
