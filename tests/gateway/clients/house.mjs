// A fresh home with server files, a host that runs them, and `pfar serve` in front: for every script that talks to a real pfar.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, existsSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/// Whoever ends this script, also by the clock, ends what it started.
const ours = new Set();
process.on('exit', () => ours.forEach(end => end()));
for (const name of ['SIGALRM', 'SIGHUP', 'SIGINT', 'SIGTERM']) process.on(name, () => process.exit(1));

export function start(command, args, options) {
    const child = spawn(command, args, options);
    const end = () => child.kill('SIGKILL');
    ours.add(end);
    child.once('exit', () => ours.delete(end));
    return child;
}

/// A directory of one's own, gone at the end: {path, remove}.
export function scratch() {
    const path = mkdtempSync(join(tmpdir(), 'pfar-test-real-'));
    const remove = () => {
        rmSync(path, { recursive: true, force: true });
        ours.delete(remove);
    };
    ours.add(remove);
    return { path, remove };
}

/// Exit code, or the signal's name, or undefined when the time is over.
export function ended(child, milliseconds) {
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode ?? child.signalCode);
    const over = new Promise(tell => child.once('exit', (code, signal) => tell(code ?? signal)));
    return Promise.race([over, wait(milliseconds, undefined, { ref: false })]);
}

export async function until(holds, what, milliseconds = 30000) {
    for (const last = Date.now() + milliseconds; Date.now() < last; await wait(50)) if (await holds()) return;
    throw new Error(`${what}: not within ${milliseconds / 1000} s`);
}

/// A command to its end: {code, out, err}. Killed when its time is over.
export async function run(command, args, options = {}) {
    const { milliseconds = 60000, input, ...rest } = options;
    const child = start(command, args, { stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'], ...rest });
    if (input !== undefined) child.stdin.end(input);
    const said = { out: '', err: '' };
    child.stdout.on('data', bytes => (said.out += bytes));
    child.stderr.on('data', bytes => (said.err += bytes));
    const closed = new Promise(tell => child.once('close', tell));
    let code = await ended(child, milliseconds);
    if (code === undefined) {
        child.kill('SIGKILL');
        code = `killed after ${milliseconds / 1000} s`;
    }
    await closed;
    return { code, ...said };
}

const quoted = text => JSON.stringify(text);

export class House {
    /// `servers`: {NAME: {command, args, code, more}}; `more` is text below [server], tables included.
    constructor(pfar, servers) {
        this.pfar = pfar;
        this.scratch = scratch();
        this.home = join(this.scratch.path, 'home'); // with nothing in it that is not pfar's: it is watched
        mkdirSync(this.home, { mode: 0o700 });
        this.environment = { ...process.env, PFAR_HOME: this.home };
        mkdirSync(join(this.home, 'mcp'));
        writeFileSync(join(this.home, 'pfar.toml'), '[policy]\napprove = "never"\n'); // approval has tests of its own
        for (const [name, one] of Object.entries(servers)) this.write(name, one);
    }

    write(name, { command, args, code = [], top = '', more = '' }) {
        const file = `name = ${quoted(name)}\n${top}[server]\ncommand = ${quoted(command)}\nargs = [${args.map(quoted).join(', ')}]\n` +
            `code = [${code.map(quoted).join(', ')}]\n[sandbox]\nmemory_limit = "1g"\n${more}`;
        writeFileSync(join(this.home, 'mcp', `${name}.toml`), file);
    }

    log() {
        return readFileSync(join(this.scratch.path, 'host.log'), 'utf8');
    }

    async begin() {
        const out = openSync(join(this.scratch.path, 'host.log'), 'a');
        this.host = start(this.pfar, ['host', '--no-table'], { stdio: ['ignore', out, out], env: this.environment });
        closeSync(out);
        const socket = join(this.home, 'run/pfar.sock');
        await until(() => existsSync(socket) || this.host.exitCode !== null, 'the host comes');
        if (this.host.exitCode !== null) throw new Error(`the host ended at once: ${this.log()}`);
        return this;
    }

    async has_running(...names) {
        await until(async () => {
            const { out } = await this.say('list', '--json');
            const rows = JSON.parse(out || '[]');
            return names.every(name => rows.some(row => row.name === name && row.state === 'running'));
        }, `${names.join(', ')} run`);
    }

    /// One command of pfar to its end.
    say(...args) {
        return run(this.pfar, args, { env: this.environment });
    }

    /// {url, token_file, child}: HTTP in front of this house.
    async serve_http(...options) {
        const child = start(this.pfar, ['serve', '--http', '127.0.0.1:0', '--json', ...options], {
            stdio: ['ignore', 'pipe', 'ignore'], env: this.environment
        });
        let line = '';
        child.stdout.on('data', bytes => (line += bytes));
        await until(() => line.includes('\n') || child.exitCode !== null, 'pfar serve --http says where it is');
        if (child.exitCode !== null) throw new Error(`pfar serve --http ended with ${child.exitCode}`);
        const there = JSON.parse(line);
        return { ...there, child };
    }

    /// The host has to end well: a sanitizer would say otherwise. Empty, or what is wrong.
    async end() {
        let trouble = '';
        if (this.host && this.host.exitCode === null && this.host.signalCode === null) {
            this.host.kill('SIGTERM');
            const code = await ended(this.host, 30000);
            if (code === undefined) this.host.kill('SIGKILL');
            if (code !== 0) trouble = `the host ended with ${code ?? 'no end'}:\n${this.log().slice(-4000)}`;
        } else if (this.host) trouble = `the host has ended before: ${this.host.exitCode ?? this.host.signalCode}\n${this.log().slice(-4000)}`;
        this.scratch.remove();
        return trouble;
    }
}
