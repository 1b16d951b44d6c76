// The official conformance suite: whatever the fixture passes directly it has to pass through `pfar serve --http` too, with the same answers; and the
// client scenarios with pfar as the client.
//
//   node run.mjs PFAR MODULES NODE22
//
// A scenario of a tool's call is green there for an error result as well, so what it writes down of the answer is compared too.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ended, House, run, scratch, start, until } from '../clients/house.mjs';

const [pfar, modules, node22] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const fixture = [join(here, 'fixture.mjs'), modules];
const suites = {
    'conformance-0.1.16': ['--suite', 'all'],
    'conformance-0.2.0-alpha': ['--requirements', '2025-11-25']
};
const as_client = ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults'];
/// Here the suite looks at HTTP itself, which is pfar's own: addresses, sessions, statuses, and whether there is a stream differ.
const of_http = ['server-initialize', 'dns-rebinding-protection', 'server-session-lifecycle', 'server-sse-polling', 'server-sse-multiple-streams'];
/// What pfar's own HTTP has to be good at, and not just free of: a stream begins with an event that can be resumed from, and says when.
const wanted = {
    'conformance-0.1.16': { 'server-sse-polling': ['server-sse-priming-event', 'server-sse-retry-field'] },
    'conformance-0.2.0-alpha': {
        'server-sse-polling': ['server-sse-priming-event', 'server-sse-retry-field'],
        'server-session-lifecycle': ['server-session-delete-accepted', 'server-session-terminated-returns-404']
    }
};

const script = suite => join(modules, suite, 'dist/index.js');
const bad = [];

/// {scenario: checks}, from the files that the suite writes; undefined for one that has not come to its end.
async function results(suite, url) {
    const { path: directory, remove } = scratch();
    try {
        const done = await run(node22, [script(suite), 'server', '--url', url, ...suites[suite], '-o', directory], { milliseconds: 120000 });
        const out = {};
        for (const [, scenario] of done.out.matchAll(/^=== Running scenario: (\S+) ===$/gm)) out[scenario] = undefined;
        for (const entry of readdirSync(directory)) {
            const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry)[1];
            out[scenario] = JSON.parse(readFileSync(join(directory, entry, 'checks.json'), 'utf8'));
        }
        if (Object.keys(out).length < 30) throw new Error(`${suite} ran too little: ${done.code}\n${done.out}\n${done.err}`);
        return out;
    } finally {
        remove();
    }
}

const passes = checks => checks?.length > 0 && checks.every(check => check.status !== 'FAILURE');
const word = checks => (!checks ? 'no end' : !passes(checks) ? 'FAILS' : checks.some(check => check.status === 'WARNING') ? 'ok, warned' : 'ok');

/// Without pfar's label, which is in the results of pfar alone, and without how many messages there were: a list may change meanwhile.
function plain(details) {
    const without = (key, value) => {
        if (key === 'messagesValidated') return undefined;
        if (!value?._meta?.['pfar/label']) return value;
        const { _meta: { 'pfar/label': _, ...rest }, ...others } = value;
        return Object.keys(rest).length > 0 ? { _meta: rest, ...others } : others;
    };
    return JSON.stringify(details, without);
}

/// What is wrong with a scenario through pfar, given how it went directly.
function complaints(suite, scenario, direct, through) {
    if (!passes(through)) {
        const failed = through?.filter(check => check.status === 'FAILURE') ?? [];
        return failed.map(check => `${check.id}: ${check.errorMessage}`).concat(through ? [] : ['it did not end']);
    }
    const out = [];
    for (const check of through)
        if (check.status === 'WARNING' && !direct.some(one => one.id === check.id && one.status === 'WARNING'))
            out.push(`${check.id}: warned: ${check.errorMessage}`);
    for (const id of wanted[suite][scenario] ?? [])
        if (!through.some(check => check.id === id && check.status === 'SUCCESS')) out.push(`${id}: is not shown`);
    if (of_http.includes(scenario)) return out;
    for (const [i, check] of direct.entries())
        if (through[i]?.id !== check.id || through[i].status !== check.status || plain(through[i].details) !== plain(check.details))
            out.push(`${check.id}: ${check.status} ${plain(check.details)} directly, ${through[i]?.status} ${plain(through[i]?.details)} through pfar`);
    return out;
}

async function control() {
    const child = start(node22, [...fixture, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let line = '';
    child.stdout.on('data', bytes => (line += bytes));
    await until(() => line.includes('\n') || child.exitCode !== null, 'the fixture says where it is');
    return { url: line.trim(), child };
}

async function compare(suite, bare, through) {
    const direct = await results(suite, bare);
    const other = await results(suite, through);
    console.log(`\n${suite.padEnd(39)} direct       through pfar`);
    for (const scenario of Object.keys(direct)) {
        console.log(scenario.padEnd(39), word(direct[scenario]).padEnd(12), word(other[scenario]));
        const wrong = passes(direct[scenario]) ? complaints(suite, scenario, direct[scenario], other[scenario]) : [];
        for (const one of wrong) console.log(`    ${one}`);
        if (wrong.length > 0) bad.push(`${suite} ${scenario}`);
    }
}

/// The suite always has a stream open beside its requests. A client need not, and what is said during its call comes with the answer all the same.
async function without_a_stream(url) {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const post = async message => {
        const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
        headers['mcp-session-id'] ??= response.headers.get('mcp-session-id');
        return response.text();
    };
    const capabilities = {}, clientInfo = { name: 'plain', version: '1' };
    await post({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo } });
    headers['mcp-protocol-version'] = '2025-11-25';
    await post({ method: 'notifications/initialized' });
    const counts = [];
    for (const level of [undefined, 'debug', 'error']) {
        if (level) await post({ id: `level ${level}`, method: 'logging/setLevel', params: { level } });
        const heard = await post({ id: `call ${level}`, method: 'tools/call', params: { name: 'test_tool_with_logging', arguments: {} } });
        counts.push(heard.split('notifications/message').length - 1);
    }
    return counts.join();
}

async function client(suite) {
    console.log(`\n${suite.padEnd(39)} pfar as the client`);
    for (const scenario of as_client) {
        const command = [node22, join(here, 'client.mjs'), pfar, modules, node22].join(' ');
        const done = await run(node22, [script(suite), 'client', '--command', command, '--scenario', scenario]);
        const good = done.code === 0 && (done.out + done.err).includes('OVERALL: PASSED');
        console.log(scenario.padEnd(39), good ? 'ok' : `FAILS\n${done.out}\n${done.err}`);
        if (!good) bad.push(`${suite} ${scenario}`);
    }
}

const house = new House(pfar, { fixture: { command: node22, args: fixture, code: [modules] } });
let bare;
try {
    bare = await control();
    await house.begin();
    await house.has_running('fixture');
    const http = await house.serve_http('--no-auth');
    for (const suite of Object.keys(suites)) await compare(suite, bare.url, `${http.url}/fixture`);
    const counts = await without_a_stream(`${http.url}/fixture`);
    console.log(`\nlog messages with their call, by default, from debug on, from error on: ${counts}`);
    if (counts !== '3,3,0') bad.push(`log messages with their call: ${counts}, not 3,3,0`);
    http.child.kill('SIGTERM');
    if ((await ended(http.child, 10000)) !== 0) bad.push('pfar serve --http does not end with 0');
    for (const suite of Object.keys(suites)) await client(suite);
} catch (error) {
    console.log(error, house.host ? house.log().slice(-4000) : '');
    bad.push(error.message);
} finally {
    bare?.child.kill();
    const trouble = await house.end();
    if (trouble) bad.push(trouble);
}
console.log(bad.length === 0 ? '\nall as it is directly' : `\nwrong: ${bad.join('; ')}`);
process.exitCode = bad.length === 0 ? 0 : 1;
