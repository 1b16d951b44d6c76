#!/usr/bin/env bash
# What egress costs: direct, through pfar from inside a sandbox, through squid and through tinyproxy, interleaved in one run on loopback.
#   egress.sh PFAR PFAR-BENCH-EGRESS [--rounds N] [--json]
# Proxies that are not installed are unpacked from the machine's own package archive for this run alone: nothing is installed, and no
# service is started.
set -euo pipefail
pfar=$(readlink -f "$1")
ends=$(readlink -f "$2")
shift 2
here=$(dirname "$(readlink -f "$0")")
cache=$(dirname "$here")/build/peers
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
chmod 755 "$home" # the proxies run as nobody

fetch() { # fetch PACKAGE...: they and what they need, as files; kept for the next run
    mkdir -p "$cache/partial"
    apt-get install -y -qq --no-install-recommends --download-only -o Dir::Cache::archives="$cache" -o Debug::NoLocking=1 "$@" >/dev/null 2>&1
}

missing=
for proxy in squid tinyproxy; do
    PATH=$PATH:/usr/sbin command -v "$proxy" >/dev/null || missing="$missing $proxy"
done
# shellcheck disable=SC2086
if [ -n "$missing" ] && ! ls "$cache"/*.deb >/dev/null 2>&1 && command -v apt-get >/dev/null; then
    echo "unpacking for this run:$missing" >&2
    fetch $missing || { [ "$(id -u)" = 0 ] && apt-get update -qq >/dev/null 2>&1 && fetch $missing; } || true
fi
if [ -n "$missing" ]; then
    for package in "$cache"/*.deb; do
        if [ -f "$package" ]; then dpkg-deb -x "$package" "$home/peers"; fi
    done
fi
python3 -B "$here/egress.py" "$pfar" "$ends" "$home" "$@"
