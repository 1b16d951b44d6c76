// Two real clients in front of pfar: the official TypeScript SDK's, and the MCP inspector's command line. Both list and call tools over stdio and
// over HTTP, of all servers (SERVER__TOOL) and of one (its own names).
//
//   node run.mjs PFAR MODULES NODE22
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { ended, House, run } from './house.mjs';

/** Of the server that is asked for, or one of pfar's own, which stand beside all servers. */
const is_named = (tool, prefix) => tool.name.startsWith(prefix) || tool.name.startsWith('pfar__');

const [pfar, modules, node22] = process.argv.slice(2);
const sdk = createRequire(modules + '/');
const { Client } = sdk('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = sdk('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = sdk('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { CreateMessageRequestSchema, ElicitRequestSchema, LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema } =
    sdk('@modelcontextprotocol/sdk/types.js');

const words = 'Grüße, 世界 🎉 "quoted" \\ back';
const bad = [];
let files = 0;
function check(holds, what) {
    if (!holds) bad.push(what), console.log(`    WRONG: ${what}`);
}

/// Everything an agent does in a day, by the official SDK.
async function by_sdk(name, transport, prefix) {
    console.log(`the SDK's client, ${name}`);
    const client = new Client({ name: 'sdk-client', version: '1' }, { capabilities: { sampling: {}, elicitation: {} } });
    const logged = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, one => void logged.push(one.params));
    client.setRequestHandler(CreateMessageRequestSchema, asked => ({
        role: 'assistant', model: 'none', content: { type: 'text', text: `sampled: ${asked.params.messages[0].content.text}` }
    }));
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada', check: true } }));
    await client.connect(transport);
    const say = (tool, args, options) => client.callTool({ name: prefix + tool, arguments: args }, undefined, options);
    const text = result => result.content.map(one => one.text ?? '').join('\n');

    const { tools } = await client.listTools();
    check(tools.length >= 13, `${name}: ${tools.length} tools are listed`);
    check(tools.every(tool => is_named(tool, prefix) && /^[A-Za-z0-9_-]{1,64}$/.test(tool.name)), `${name}: tools' names`);
    const echoed = await say('echo', { message: words });
    check(text(echoed) === `Echo: ${words}` && echoed._meta['pfar/label'] === 'internal', `${name}: echo ${JSON.stringify(echoed)}`);
    check(text(await say('get-sum', { a: 2, b: 40 })).includes('42'), `${name}: a sum`);
    const { structuredContent } = await say('get-structured-content', { location: 'New York' }); // the SDK holds it against the outputSchema
    check(typeof structuredContent?.temperature === 'number', `${name}: structured content`);
    const heard = [];
    await say('trigger-long-running-operation', { duration: 0.5, steps: 5 }, { onprogress: one => heard.push(one.progress) });
    // the SDK takes an answer before a notification that came in the same read, so it may miss the last
    check(['1,2,3,4', '1,2,3,4,5'].includes(heard.join()), `${name}: progress ${heard}`);
    check(text(await say('trigger-sampling-request', { prompt: 'hello', maxTokens: 10 })).includes('sampled: '), `${name}: sampling`);
    check(text(await say('trigger-elicitation-request', {})).includes('Ada'), `${name}: elicitation`);
    const many = await Promise.all(Array.from({ length: 20 }, (_, i) => say('echo', { message: `number ${i}` })));
    check(many.every((one, i) => text(one) === `Echo: number ${i}`), `${name}: twenty at once`);
    const wrong = await say('get-sum', { a: 'two' });
    check(wrong.isError === true, `${name}: wrong arguments are an error result`);
    const unknown = await say('no-such-tool', {}).catch(error => error);
    check(unknown.code === -32602, `${name}: an unknown tool is an error: ${JSON.stringify(unknown)}`);

    const { prompts } = await client.listPrompts();
    check(prompts.some(one => one.name === `${prefix}simple-prompt`), `${name}: prompts ${prompts.map(one => one.name)}`);
    check((await client.getPrompt({ name: `${prefix}simple-prompt` })).messages.length > 0, `${name}: a prompt`);
    const { resources } = await client.listResources();
    check(resources.length > 0, `${name}: resources`);
    check((await client.readResource({ uri: resources[0].uri })).contents.length === 1, `${name}: a resource`);
    const made = await say('gzip-file-as-resource', { name: `made-${++files}.gz`, data: 'data:text/plain,hello' });
    const link = await client.readResource({ uri: made.content[0].uri }).catch(error => error);
    check(link.contents?.[0]?.blob?.length > 0, `${name}: what a tool's answer links to can be read at once: ${link}`);
    check((await client.listResourceTemplates()).resourceTemplates.length > 0, `${name}: templates`);
    await client.setLoggingLevel('debug');
    await client.ping();
    await client.close();
}

/// The inspector's command line: one process for each request.
async function by_inspector(name, target, prefix) {
    console.log(`the inspector, ${name}`);
    const script = join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
    const ask = async (...words) => {
        const args = [script, '--cli', '--format', 'json', ...words, ...target];
        const done = await run(node22, args, { env: { ...house.environment, HOME: house.scratch.path } });
        try {
            return JSON.parse(done.out);
        } catch {
            check(false, `${name}: ${words.join(' ')}: ${done.code} ${done.out} ${done.err}`);
            return {};
        }
    };
    const listed = await ask('--method', 'tools/list');
    const tools = (listed.result ?? listed).tools ?? [];
    check(tools.length >= 13 && tools.every(tool => is_named(tool, prefix)), `${name}: tools ${JSON.stringify(listed).slice(0, 300)}`);
    const called = await ask('--method', 'tools/call', '--tool-name', `${prefix}echo`, '--tool-args-json', JSON.stringify({ message: words }));
    const result = called.result ?? called;
    check(result.content?.[0]?.text === `Echo: ${words}`, `${name}: echo ${JSON.stringify(called).slice(0, 300)}`);
}

async function is_refused(name, transport) {
    const client = new Client({ name: 'sdk-client', version: '1' });
    const error = await client.connect(transport).then(() => undefined, problem => problem);
    check(error?.code === 401, `${name}: ${error?.code} ${error}`);
    await client.close().catch(() => {});
}

const house = new House(pfar, {
    everything: { command: node22, args: [join(modules, '@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'] }
});
try {
    await house.begin();
    await house.has_running('everything');
    const http = await house.serve_http();
    const token = readFileSync(http.token_file, 'utf8').trim();
    const over_stdio = (...args) => new StdioClientTransport({ command: pfar, args: ['serve', ...args], env: house.environment });
    const over_http = (path, bearer) =>
        new StreamableHTTPClientTransport(new URL(http.url + path), { requestInit: { headers: { Authorization: `Bearer ${bearer}` } } });
    const header = ['--transport', 'http', '--header', `Authorization: Bearer ${token}`];

    await by_sdk('stdio, all servers', over_stdio(), 'everything__');
    await by_sdk('stdio, one server', over_stdio('--server', 'everything'), '');
    await by_sdk('HTTP, all servers', over_http('', token), 'everything__');
    await by_sdk('HTTP, one server', over_http('/everything', token), '');
    await is_refused('HTTP, a wrong token', over_http('', 'wrong'));
    const home = ['-e', `PFAR_HOME=${house.home}`];
    await by_inspector('stdio, all servers', [...home, '--', pfar, 'serve'], 'everything__');
    await by_inspector('stdio, one server', [...home, '--', pfar, 'serve', '--server', 'everything'], '');
    await by_inspector('HTTP, all servers', [...header, '--server-url', http.url], 'everything__');
    await by_inspector('HTTP, one server', [...header, '--server-url', `${http.url}/everything`], '');
    http.child.kill('SIGTERM');
    check((await ended(http.child, 10000)) === 0, 'pfar serve --http ends with 0');
} catch (error) {
    console.log(error, house.host ? house.log().slice(-4000) : '');
    bad.push(String(error));
} finally {
    const trouble = await house.end();
    if (trouble) bad.push(trouble);
}
console.log(bad.length === 0 ? 'both clients list and call, every way' : `wrong: ${bad.join('; ')}`);
process.exit(bad.length === 0 ? 0 : 1);
