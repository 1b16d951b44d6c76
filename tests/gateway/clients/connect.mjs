// The official TypeScript SDK's client connects a service by pfar's own tools: it shows the question as a form, and the page for the secret in a real
// browser, where a person types it in.
//
//   node connect.mjs PFAR MODULES NODE22 FIXTURES SOURCE
// Exit 0: all is as it should be. 1: it says what is not. 77: there is no chromium.
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { Browser, chromium } from '../devtools.mjs';
import { House, until } from './house.mjs';

const [pfar, modules, , fixtures, source] = process.argv.slice(2);
if (!chromium()) {
    console.log('there is no chromium');
    process.exit(77);
}
const sdk = createRequire(modules + '/');
const { Client } = sdk('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = sdk('@modelcontextprotocol/sdk/client/stdio.js');
const { ElicitRequestSchema, ToolListChangedNotificationSchema } = sdk('@modelcontextprotocol/sdk/types.js');

const secret = `right-${Math.random().toString(36).slice(2)}`;
const bad = [];
function check(holds, what) {
    console.log(`${holds ? 'ok   ' : 'WRONG'} ${what}`);
    if (!holds) bad.push(what);
}

/// What a person does with the page.
async function fill_in(url) {
    const browser = new Browser();
    try {
        await browser.open();
        await browser.load(() => browser.ask('Page.navigate', { url }));
        check(await browser.evaluate('document.body.innerText.includes("The token of Guarded")'), 'the page says what it is for');
        await browser.type('[name=value]', secret);
        await browser.load(() => browser.click('button:not([name])'));
        check(await browser.evaluate('document.body.innerText.includes("pfar has it")'), 'the page says that it is done');
    } finally {
        await browser.close();
    }
}

const house = new House(pfar, {});
house.environment.PATH = `${fixtures}:${process.env.PATH}`;
mkdirSync(join(house.home, 'templates'));
copyFileSync(join(source, 'tests/flows/fixture.toml'), join(house.home, 'templates/fixture.toml'));

try {
    await house.begin();
    const client = new Client({ name: 'sdk-client', version: '1' }, { capabilities: { elicitation: { form: {}, url: {} } } });
    const asked = [];
    let filled = Promise.resolve();
    let changed = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changed += 1));
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        asked.push(params);
        if (params.mode !== 'url') return { action: 'accept', content: {} };
        filled = fill_in(params.url);
        return { action: 'accept' };
    });
    await client.connect(new StdioClientTransport({ command: pfar, args: ['serve'], env: house.environment }));
    const result = await client.callTool({ name: 'pfar__connect', arguments: { service: 'guarded' } });
    await filled;
    check(!result.isError && result.content[0].text.includes('Guarded is connected'), `it is connected: ${JSON.stringify(result)}`);
    check(asked.length === 2, `the owner is asked twice: ${asked.map(one => one.message)}`);
    check(/fixture-server.*guarded\.example\.com/.test(asked[0]?.message ?? ''), 'the question has the command and the domains');
    await until(() => changed > 0, 'the client is told of new tools');
    const login = await client.callTool({ name: 'guarded__login', arguments: {} });
    check(login.content[0].text === 'hello', 'the new tool works with the secret');
    check(!JSON.stringify([result, asked, login]).includes(secret), 'the client has not seen the secret');
    await client.close();
    const where = readdirSync(house.scratch.path, { recursive: true, withFileTypes: true }).filter(one => one.isFile())
        .map(one => join(one.parentPath ?? one.path, one.name)).filter(file => readFileSync(file).includes(secret));
    check(where.length === 0, `the secret is in no file: ${where}`);
} catch (error) {
    console.log(error, house.host ? house.log().slice(-4000) : '');
    bad.push(String(error));
} finally {
    const trouble = await house.end();
    if (trouble) bad.push(trouble);
}
console.log(bad.length === 0 ? 'the SDK\'s client connects' : `wrong: ${bad.join('; ')}`);
process.exit(bad.length === 0 ? 0 : 1);
