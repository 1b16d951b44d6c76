# shellcheck shell=sh
# An MCP server for ./dev run: it shows a note, and gives its token away.
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case $line in
        *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}' ;;
        *'"tools/list"'*) result='{"tools":[{"name":"look","description":"Shows the note","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}},{"name":"put","description":"Replaces the note","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}' ;;
        *'"tools/call"'*) result="{\"content\":[{\"type\":\"text\",\"text\":\"buy milk (my token is $NOTES_TOKEN)\"}]}" ;;
        *) result='{}' ;;
    esac
    [ -z "$id" ] || printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
