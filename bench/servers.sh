#!/usr/bin/env bash
# What servers cost under the host: five real ones from npm, twenty beside twenty bare ones, warm stateless calls beside stateful ones.
#   servers.sh PFAR FIXTURE-SERVER [--rounds N] [--json]
set -euo pipefail
pfar=$(readlink -f "$1")
fixture=$(readlink -f "$2")
shift 2
here=$(dirname "$(readlink -f "$0")")
cache=$(dirname "$here")/build/npm
packages="@modelcontextprotocol/server-everything @modelcontextprotocol/server-filesystem @modelcontextprotocol/server-memory
  @modelcontextprotocol/server-sequential-thinking @upstash/context7-mcp"
missing=
for package in $packages; do [ -d "$cache/node_modules/$package" ] || missing="$missing $package"; done
if [ -n "$missing" ] && command -v npm >/dev/null; then
    mkdir -p "$cache"
    # shellcheck disable=SC2086
    npm install --prefix "$cache" --no-audit --no-fund --ignore-scripts $missing >/dev/null 2>&1 || true
fi
python3 -B "$here/servers.py" "$pfar" "$fixture" "$cache/node_modules" "$@"
