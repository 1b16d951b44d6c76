// Chromium without a window, driven over a pipe by the DevTools protocol. Needs nothing but Node.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const places = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`);
const patience = 30000;

/// Where it is; nothing if there is none.
export const chromium = () => places.find(existsSync);

export class Browser {
  #next = 1;
  #answers = new Map();
  #listeners = [];
  #rest = Buffer.alloc(0);

  constructor() {
    this.profile = mkdtempSync(join(tmpdir(), 'pfar-test-browser-'));
    this.process = spawn(chromium(), ['--headless=new', '--no-sandbox', '--remote-debugging-pipe', '--no-first-run', '--disable-gpu',
      '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions',
      '--ignore-certificate-errors', `--user-data-dir=${this.profile}`, 'about:blank'],
    { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: this.profile } });
    this.process.stdio[4].on('data', (bytes) => this.#hear(bytes));
    this.process.stdio[3].on('error', () => {}); // it is gone
    this.process.on('exit', () => this.#answers.forEach((settle) => settle({ error: { message: 'the browser ended' } })));
  }

  #hear(bytes) {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (let end = this.#rest.indexOf(0); end >= 0; end = this.#rest.indexOf(0)) {
      const message = JSON.parse(this.#rest.subarray(0, end));
      this.#rest = this.#rest.subarray(end + 1);
      if (message.id) this.#answers.get(message.id)?.(message);
      else this.#listeners.forEach((listener) => listener(message.method, message.params));
    }
  }

  on(listener) { this.#listeners.push(listener); }

  async ask(method, params = {}) {
    const id = this.#next++;
    const answer = await new Promise((settle) => {
      const timer = setTimeout(() => settle({ error: { message: 'no answer' } }), patience);
      this.#answers.set(id, (message) => { clearTimeout(timer); settle(message); });
      this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    });
    this.#answers.delete(id);
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  }

  /// A page of its own, which the rest is about.
  async open() {
    const { targetId } = await this.ask('Target.createTarget', { url: 'about:blank' });
    this.session = (await this.ask('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    for (const part of ['Page', 'Network', 'Runtime', 'Log']) await this.ask(`${part}.enable`);
  }

  /// What the next page load leads to; `act` causes it.
  async load(act) {
    const loaded = new Promise((settle, reject) => {
      const timer = setTimeout(() => reject(new Error('the page does not load')), patience);
      this.on((method) => { if (method === 'Page.loadEventFired') { clearTimeout(timer); settle(); } });
    });
    await act();
    await loaded;
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.ask('Runtime.evaluate', { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  /// Where a person would click.
  async click(selector) {
    const { x, y } = await this.evaluate(`(() => { const it = document.querySelector(${JSON.stringify(selector)}); it.scrollIntoView({ block: 'center' });
      const box = it.getBoundingClientRect(); return { x: box.x + box.width / 2, y: box.y + box.height / 2 }; })()`);
    for (const type of ['mousePressed', 'mouseReleased']) await this.ask('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
  }

  async type(selector, text) {
    await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
    await this.ask('Input.insertText', { text });
  }

  async close() {
    const ended = new Promise((settle) => this.process.on('exit', settle));
    process.kill(-this.process.pid, 'SIGKILL'); // its helpers too: they write into the profile
    await ended;
    for (let tries = 50; ; --tries)
      try {
        return rmSync(this.profile, { recursive: true, force: true });
      } catch (error) {
        if (tries === 0) throw error;
        await new Promise((settle) => setTimeout(settle, 100));
      }
  }
}
