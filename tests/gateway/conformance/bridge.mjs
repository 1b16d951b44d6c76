// A server for pfar that passes every line on to a server of the suite over Streamable HTTP, and back: pfar's own client has no HTTP.
//
//   node bridge.mjs URL
//
// It runs in the sandbox, so the only way out is the proxy that pfar tells of; 127.0.0.1 inside is not the machine's.
import { request } from 'node:http';
import { createInterface } from 'node:readline';

const [url] = process.argv.slice(2);
const proxy = new URL(process.env.HTTP_PROXY);
const own = {}; // headers of the session
const say = line => process.stdout.write(line + '\n');

function send(method, headers, body) {
    const options = {
        host: proxy.hostname, port: proxy.port, path: url, method,
        headers: { Host: new URL(url).host, Accept: 'application/json, text/event-stream', ...own, ...headers }
    };
    return new Promise((tell, fail) => request(options, tell).once('error', fail).end(body));
}

/// Each message of a stream of events, or the one of an answer.
async function hear(response) {
    response.setEncoding('utf8');
    if (!response.headers['content-type']?.startsWith('text/event-stream')) {
        let text = '';
        for await (const part of response) text += part;
        if (response.statusCode === 200 && text !== '') say(text);
        return;
    }
    for await (const line of createInterface({ input: response }))
        if (line.startsWith('data:') && line.length > 6) say(line.slice(5).trim());
}

async function post(line) {
    const { method, params } = JSON.parse(line);
    const response = await send('POST', { 'Content-Type': 'application/json' }, line);
    if (response.headers['mcp-session-id']) own['mcp-session-id'] = response.headers['mcp-session-id'];
    if (method === 'initialize') own['mcp-protocol-version'] = params.protocolVersion;
    await hear(response);
    if (method === 'notifications/initialized')
        send('GET', {}).then(stream => (stream.statusCode === 200 ? hear(stream) : stream.resume()), () => {});
}

/// In order up to the handshake's end; after that an answer may come while a call waits for it.
let ready = false;
for await (const line of createInterface({ input: process.stdin })) {
    const done = post(line).catch(error => console.error(String(error)));
    if (!ready) await done;
    ready ||= line.includes('notifications/initialized');
}
process.exit(0);
