#!/usr/bin/env bash
# ./dev run: what pfar does so far, shown on a home directory of its own that is thrown away at the end.
set -euo pipefail
pfar=$(readlink -f "$1")
home=$(mktemp -d)
trap '"$pfar" host stop >/dev/null 2>&1; rm -rf "$home"' EXIT
export PFAR_HOME=$home/.pfar
mkdir -p -m 700 "$PFAR_HOME/mcp"

step() { printf '\n\033[1m# %s\033[0m\n' "$*" | { [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && cat || sed 's/\x1b\[[0-9;]*m//g'; }; }
show() { printf '$ pfar %s\n' "$*" && { "$pfar" "$@" || printf '(exit code %s)\n' "$?"; }; }

step "The plugins it ships with, and the sandbox it chose by trying"
show plugins

step "What this machine can enforce, found by trying"
show doctor

step "Any command in the sandbox: no home directory, no network, no environment of yours"
show exec -- sh -c 'id -u; ls /; ls "$1" 2>&1; (exec 3<>/dev/tcp/127.0.0.1/22) 2>&1 || true; env | sort | head -n 3' sh "$HOME"
mkdir -p "$home/out"
show exec --write "$home/out" -- sh -c "echo made inside > $home/out/file"
cat "$home/out/file"

step "The network is the domains that you name: others do not even have an address"
show exec --allow-domain api.example.com -- sh -c 'getent hosts api.example.com; getent hosts evil.example.com || echo evil.example.com: no such name'

step "A server file: what may run, reach and know"
cat >"$PFAR_HOME/mcp/notion.toml" <<'EOF'
name = "notion"
label = "internal"
allowed_domains = ["api.notion.com"]

[server]
command = "sh"

[auth]
NOTION_TOKEN = "vault:notion_token"
EOF
cat "$PFAR_HOME/mcp/notion.toml"
show check

step "A credential: from stdin or a hidden prompt into the vault, and from there to that server's process alone"
printf 'ntn_made_up_0123456789\n' | show vault set notion_token
show exec --server notion -- sh -c 'printf "%s\n" "$NOTION_TOKEN"'
show exec -- sh -c 'printf "another sandbox has: %s\n" "${NOTION_TOKEN:-nothing}"'
show vault list
printf 'files below %s that have it in them: %s\n' '~/.pfar' "$(grep -rlF ntn_made_up "$PFAR_HOME" | wc -l)"

step "Allowing one more domain keeps the file as it is otherwise"
show allow notion www.notion.so
sed -n 3p "$PFAR_HOME/mcp/notion.toml"

step "Exactly what its sandbox will be"
show plan notion

step "A real MCP server in its sandbox, called through the pipeline: its token does not come back"
cp "$(dirname "$0")/tour-server.sh" "$home/notes.sh"
cat >"$PFAR_HOME/mcp/notes.toml" <<EOF
name = "notes"

[server]
command = "sh"
args = ["$home/notes.sh"]

[auth]
NOTES_TOKEN = "vault:notion_token"
EOF
show tools notes
show list
show call notes.look

step "What an agent sees of it: one MCP endpoint on stdin and stdout"
printf '$ pfar serve\n'
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tour","version":"1"}}}' \
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"notes__look","arguments":{}}}' \
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"notes__put","arguments":{"txt":"eggs"}}}' | "$pfar" serve

step "What the record says, and whether it is whole"
sleep 0.3 # lines wait 100 ms for company
show audit --server notes
show audit verify

step "Mistakes are all reported at once, with the fix; a pasted secret is never repeated"
cat >"$PFAR_HOME/mcp/notion.toml" <<'EOF'
name = "notion"
labell = "internal"
allowed_domains = ["https://api.notion.com/v1"]

[server]
command = "sh"

[auth]
NOTION_TOKEN = "ntn_pasted_by_mistake"

[tools.search.access]
fs = [{ path = "~/notes", read = true }]
EOF
show check

step "A project's server files run nothing until you have trusted them"
mkdir -p "$home/project/.pfar/mcp"
printf 'name = "helper"\n[server]\ncommand = "sh"\nargs = ["-c", "echo hello"]\n' >"$home/project/.pfar/mcp/helper.toml"
cd "$home/project"
show check helper
show trust --yes
show check helper

printf '\nNext: %s --help. Server files go to ~/.pfar/mcp/NAME.toml.\n' "$pfar"
