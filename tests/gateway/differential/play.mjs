// The recorded messages, played to server-everything directly and through `pfar serve --server everything`: answers, notifications and what the
// server asks have to be the same, byte for byte, but for what messages.txt lists.
//
//   node play.mjs PFAR MODULES NODE [--show]
//
// The direct side is told what pfar tells a server: its capabilities, its name, and its roots.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { ended, House, start, until } from '../clients/house.mjs';
import { members } from './raw.mjs';

const [pfar, modules, node, show] = process.argv.slice(2);
const script = join(modules, '@modelcontextprotocol/server-everything/dist/index.js');
const patience = 20000;
const capabilities = '{"roots":{"listChanged":false},"sampling":{},"elicitation":{"form":{},"url":{}}}';
const hello = name =>
    `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":${capabilities},"clientInfo":{"name":"${name}","version":"0.1.0"}}}`;

// -- what is recorded: see the head of messages.txt

function recorded() {
    const out = [];
    let answers = [], differs, after;
    for (const line of readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'messages.txt'), 'latin1').split('\n')) {
        if (line === '' || line.startsWith('#')) continue;
        if (line.startsWith('~ ')) answers.push(line.slice(2));
        else if (line.startsWith('! ')) differs = line.slice(2);
        else if (line.startsWith('= ')) after = line.slice(2);
        else {
            const [, mark, text] = /^([&-] )?(.*)$/.exec(line);
            const parsed = JSON.parse(Buffer.from(text, 'latin1'));
            out.push({ text, parsed, together: mark === '& ', unanswered: mark === '- ', answers, differs, after });
            answers = [], differs = after = undefined;
        }
    }
    return out;
}

// -- what is time or chance, the same way on both sides

const o_clock = text => text.replace(/created at \d{1,2}:\d\d:\d\d(?: | |\xe2\x80\xaf)?[AP]M/g, 'created at NOW');
function normal(text) {
    return o_clock(text)
        .replace(/"blob":"(UmVzb3VyY2Ug[A-Za-z0-9+/=]+)"/g, (_, blob) => `"blob":"(${o_clock(Buffer.from(blob, 'base64').toString('latin1'))})"`)
        .replace(/"elicitationId":"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, '"elicitationId":"(made up)"');
}

/// Random levels of toggle-simulated-logging; and how the server greets whoever gave it roots, which is pfar, long before the client.
const is_left_out = ({ method, params }) =>
    method === 'notifications/message' && /"data":"(\w+[- ]level[- ]message"|Roots updated: )/.test(params);

// -- one side

class Side {
    notes = []; // {method, params, raw}
    asked = []; // of the server: {method, params}
    answers = new Map(); // id as text: {result or error}
    late = []; // progress after its answer
    #rest = '';
    #waiting = new Map();
    #replies = [];
    #askers = new Map(); // progress token: id of the last request that had it
    #seen = 0; // notifications before the last message

    constructor(name, child, roots) {
        this.name = name;
        this.child = child;
        this.roots = roots;
        child.stdin.on('error', () => {});
        child.stdout.setEncoding('latin1'); // bytes
        child.stdout.on('data', bytes => {
            const lines = (this.#rest + bytes).split('\n');
            this.#rest = lines.pop();
            for (const line of lines) if (line !== '') this.hear(line);
        });
    }

    send(text) {
        if (show) console.log(`${this.name} <- ${text}`);
        this.child.stdin.write(text + '\n', 'latin1');
    }

    hear(line) {
        if (show) console.log(`${this.name} -> ${line.slice(0, 2000)}`);
        const parts = members(line);
        const method = parts.method && JSON.parse(parts.method);
        if (method && parts.id !== undefined) return this.reply(parts.id, method, parts.params);
        if (method) return this.note(method, parts.params ?? '');
        // without an id it is about whatever waits
        for (const id of parts.id === 'null' ? this.#waiting.keys() : [parts.id]) {
            this.answers.set(id, parts);
            this.#waiting.get(id)?.();
            this.#waiting.delete(id);
        }
    }

    note(method, params) {
        this.notes.push({ method, params });
        if (method !== 'notifications/progress') return;
        if (this.answers.has(this.#askers.get(members(params).progressToken))) this.late.push(params);
    }

    reply(id, method, params = '') {
        if (method === 'ping') return this.send(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
        if (method === 'roots/list') return this.send(`{"jsonrpc":"2.0","id":${id},"result":${this.roots}}`);
        this.asked.push({ method, params });
        const answer = this.#replies.shift() ?? '"error":{"code":-1,"message":"nobody expected this"}';
        this.send(`{"jsonrpc":"2.0","id":${id},${answer}}`);
    }

    async ask(message) {
        if (message.after) {
            const [from, what] = [this.#seen, `${this.name}: ${message.after}`];
            await until(() => this.notes.slice(from).some(note => note.method === message.after), what, patience);
        }
        this.#seen = this.notes.length;
        this.#replies = [...message.answers];
        const parts = members(message.text);
        if (parts.id === undefined || message.unanswered) return this.send(message.text);
        const token = parts.params && members(members(parts.params)?._meta ?? '{}')?.progressToken;
        if (token !== undefined) this.#askers.set(token, parts.id);
        const came = new Promise(tell => this.#waiting.set(parts.id, tell));
        this.send(message.text);
        const over = wait(patience, 'over', { ref: false });
        if ((await Promise.race([came, over])) === 'over') this.answers.set(parts.id, { error: '"no answer"' });
    }

    async begin() {
        await this.ask({ text: hello(this.name === 'direct' ? 'pfar' : 'player'), answers: [] });
        this.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
        await wait(1000); // the server asks for roots after a third of one, and then says so
        this.notes = [];
        this.#seen = 0;
    }

    async play(messages) {
        let together = [];
        for (const message of messages) {
            const done = this.ask(message);
            together.push(done);
            if (message.together) continue;
            await Promise.all(together);
            together = [];
        }
        await wait(500); // for what comes late
    }
}

// -- what is compared

const bad = [];
function complain(what, direct, through) {
    bad.push(what);
    console.log(`${what}\n    direct:  ${Buffer.from(String(direct), 'latin1').toString().slice(0, 1500)}`);
    console.log(`    through: ${Buffer.from(String(through), 'latin1').toString().slice(0, 1500)}`);
}

const labelled = ['tools/call', 'resources/read', 'prompts/get', 'completion/complete'];
const own = /,?"_meta":\{"pfar\/label":"internal"\}\}$/;
const own_among_others = /,"pfar\/label":"internal"\}\}$/;
/// The result without pfar's label, which is the last of its last member; undefined if it has none.
function without_label(result) {
    if (own.test(result)) return result.replace(own, '}');
    return own_among_others.test(result) ? result.replace(own_among_others, '}}') : undefined;
}

function compare_answer(message, direct, through) {
    const what = `${message.parsed.method} (id ${members(message.text).id})`;
    const [one, other] = [direct, through].map(parts => (parts?.result !== undefined ? `result ${parts.result}` : `error ${parts?.error}`));
    let cut = other;
    if (through?.result !== undefined && labelled.includes(message.parsed.method)) {
        const plain = without_label(through.result);
        if (plain !== undefined) cut = `result ${plain}`;
        else if (!message.differs) return complain(`${what}: no label at its end`, one, other);
    }
    const same = normal(one) === normal(cut);
    if (!message.differs && !same) complain(what, one, cut);
    if (message.differs && same) complain(`${what}: is the same, though it should differ: ${message.differs}`, one, cut);
}

/// The same of each kind, in the same order. How often a list has changed is said once for many by pfar.
function compare_notes(direct, through) {
    const streams = notes => {
        const out = {};
        for (const note of notes.filter(one => !is_left_out(one))) {
            const token = note.method === 'notifications/progress' ? ` ${members(note.params).progressToken}` : '';
            (out[note.method + token] ??= []).push(normal(note.params));
        }
        for (const [key, list] of Object.entries(out)) if (key.endsWith('/list_changed')) out[key] = [...new Set(list)];
        return out;
    };
    const [one, other] = [streams(direct), streams(through)];
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
        if (JSON.stringify(one[key]) !== JSON.stringify(other[key])) complain(key, JSON.stringify(one[key]), JSON.stringify(other[key]));
    return Object.values(one).reduce((sum, list) => sum + list.length, 0);
}

/// A server's question begins with whose it is, by pfar's hand.
function compare_asked(direct, through) {
    for (let i = 0; i < Math.max(direct.length, through.length); ++i) {
        const [one, other] = [direct[i], through[i]];
        let params = other?.params ?? '';
        if (other?.method === 'elicitation/create') {
            if (!params.includes('"message":"[everything asks] ')) complain('an elicitation does not say whose it is', one?.params, params);
            params = params.replace('"message":"[everything asks] ', '"message":"');
        }
        if (one?.method !== other?.method || normal(one.params) !== normal(params)) complain(`what the server asks, number ${i + 1}`, one?.params, other?.params);
    }
}

const messages = recorded();
const house = new House(pfar, { everything: { command: node, args: [script, 'stdio'] } });
let bare, through;
try {
    const ids = messages.map(one => members(one.text).id).filter(id => id !== undefined);
    if (new Set(ids).size !== ids.length) throw new Error('an id is used twice');
    await house.begin();
    await house.has_running('everything');
    bare = new Side('direct', start(node, [script, 'stdio'], { stdio: ['pipe', 'pipe', 'ignore'], env: { PATH: process.env.PATH, LANG: 'C.UTF-8' } }), '{"roots":[]}');
    through = new Side('through', start(pfar, ['serve', '--server', 'everything'], { stdio: ['pipe', 'pipe', 'inherit'], env: house.environment }), '{"roots":[]}');
    await Promise.all([bare.begin(), through.begin()]);
    await Promise.all([bare.play(messages), through.play(messages)]);

    for (const message of messages) {
        const id = members(message.text).id;
        if (id === undefined) continue;
        if (!message.unanswered) compare_answer(message, bare.answers.get(id), through.answers.get(id));
        else if (bare.answers.has(id) || through.answers.has(id))
            complain(`id ${id} is answered`, JSON.stringify(bare.answers.get(id)), JSON.stringify(through.answers.get(id)));
    }
    const [one, other] = [bare, through].map(side => JSON.parse(Buffer.from(side.answers.get('"hello"').result, 'latin1')));
    for (const key of ['protocolVersion', 'instructions'])
        if (one[key] !== other[key]) complain(`initialize: ${key}`, one[key], other[key]);
    const notes = compare_notes(bare.notes, through.notes);
    compare_asked(bare.asked, through.asked);
    for (const side of [bare, through]) if (side.late.length > 0) complain(`${side.name}: progress after its answer`, side.late, '');
    const differ = messages.filter(one => one.differs);
    for (const one of differ) console.log(`differs, as it should: ${one.parsed.method} (id ${members(one.text).id}): ${one.differs}`);
    console.log(`${messages.length} messages, ${differ.length} of them answered by pfar in its own way; ${notes} notifications; ${bare.asked.length} requests of the server`);
    if (messages.length < 200) bad.push('fewer than 200 messages');
    through.child.stdin.end();
    const code = await ended(through.child, 10000);
    if (code !== 0) complain('pfar serve ends', 0, code);
} catch (error) {
    console.log(error, house.host ? house.log().slice(-4000) : '');
    bad.push(String(error));
} finally {
    bare?.child.kill();
    through?.child.kill();
    const trouble = await house.end();
    if (trouble) console.log(trouble), bad.push('the host');
}
console.log(bad.length === 0 ? 'the same, byte for byte' : `${bad.length} wrong`);
process.exit(bad.length === 0 ? 0 : 1);
