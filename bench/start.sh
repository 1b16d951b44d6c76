#!/usr/bin/env bash
# How long pfar takes to start and load its plugins, as a ratio to starting a program that does nothing, interleaved in one run.
set -euo pipefail
pfar=$(readlink -f "$1")
[ "${2:-}" = --rounds ] && shift
rounds=${2:-40}
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export PFAR_HOME=$home/.pfar
"$pfar" check >/dev/null

now() { date +%s%N; }
once() { # once NAME COMMAND...: appends microseconds to the file NAME
    local name=$1 start
    shift
    start=$(now)
    "$@" >/dev/null 2>&1
    echo $((($(now) - start) / 1000)) >>"$home/$name"
}
median() { sort -n "$home/$1" | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

for _ in $(seq "$rounds"); do
    once true /bin/true
    once version "$pfar" --version
    once check "$pfar" check
    once plugins "$pfar" plugins --json
done
base=$(median true)
printf '%-42s %8s %8s\n' "median of $rounds, interleaved" "ms" "ratio"
for row in "true:a program that does nothing" "version:pfar --version" "check:pfar check (loads and configures plugins)" "plugins:pfar plugins (also launches a sandbox)"; do
    value=$(median "${row%%:*}")
    printf '%-42s %8s %8s\n' "${row#*:}" "$(awk "BEGIN{printf \"%.2f\", $value / 1000}")" "$(awk "BEGIN{printf \"%.1f\", $value / $base}")"
done
