#!/usr/bin/env bash
# What the gateway costs: calls through pfar beside a bare server, a bare relay and other gateways, in turns; sessions; hostile clients.
#   gateway.sh PFAR DIRECTORY-OF-BENCH-PROGRAMS [--rounds N] [--only PARTS] [--json]
set -euo pipefail
pfar=$(readlink -f "$1")
programs=$(readlink -f "$2")
shift 2
here=$(dirname "$(readlink -f "$0")")
cache=$(dirname "$here")/build/npm
missing=
for package in mcp-proxy supergateway; do [ -d "$cache/node_modules/$package" ] || missing="$missing $package"; done
if [ -n "$missing" ] && command -v npm >/dev/null; then
    mkdir -p "$cache"
    # shellcheck disable=SC2086
    npm install --prefix "$cache" --no-audit --no-fund --ignore-scripts $missing >/dev/null 2>&1 || true
fi
python3 -B "$here/gateway.py" "$pfar" "$programs" "$cache/node_modules" "$@"
