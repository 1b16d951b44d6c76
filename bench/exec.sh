#!/usr/bin/env bash
# What the sandbox costs: a program that does nothing, and server-everything from its start to its tools/list, bare and under each backend,
# interleaved in one run. Median of 20 (or of --rounds N).
set -euo pipefail
pfar=$(readlink -f "$1")
[ "${2:-}" = --rounds ] && shift
rounds=${2:-20}
here=$(dirname "$(readlink -f "$0")")
cache=$(dirname "$here")/build/npm
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export PFAR_HOME=$home/.pfar
server=$cache/node_modules/@modelcontextprotocol/server-everything/dist/index.js
if [ ! -f "$server" ] && command -v npm >/dev/null; then
    mkdir -p "$cache"
    npm install --prefix "$cache" --no-audit --no-fund --ignore-scripts @modelcontextprotocol/server-everything >/dev/null 2>&1 || true
fi
if [ ! -f "$server" ] || ! command -v node >/dev/null; then
    echo "server-everything: not measured, it cannot be installed here (node and the npm registry are needed)"
    server=
fi
python3 "$here/exec.py" "$pfar" "$rounds" "$server"
