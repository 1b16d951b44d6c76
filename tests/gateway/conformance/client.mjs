// pfar as the client under test: what the suite's client scenarios run, with the address of their server as the last word.
//
//   MCP_CONFORMANCE_SCENARIO=... node client.mjs PFAR MODULES NODE URL
//
// The handshake and the call are pfar's own. Filling in a form is for the agent behind it, so there the official client does it, through pfar.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { House } from '../clients/house.mjs';

const [pfar, modules, node, given] = process.argv.slice(2);
const url = given.replace('//localhost', '//127.0.0.1'); // the judge is asked for the very address
const bridge = join(dirname(fileURLToPath(import.meta.url)), 'bridge.mjs');
const sdk = createRequire(modules + '/');

const house = new House(pfar, {
    suite: { command: node, args: [bridge, url], top: `allowed_domains = ["${new URL(url).host}"]\n` }
});

const scenarios = {
    async initialize() {},

    async tools_call() {
        const { code, out, err } = await house.say('call', 'suite.add_numbers', 'a=5', 'b=3');
        if (code !== 0 || !out.includes('is 8')) throw new Error(`pfar call: ${code} ${out} ${err}`);
    },

    async 'elicitation-sep1034-client-defaults'() {
        const { Client } = sdk('@modelcontextprotocol/sdk/client/index.js');
        const { StdioClientTransport } = sdk('@modelcontextprotocol/sdk/client/stdio.js');
        const { ElicitRequestSchema } = sdk('@modelcontextprotocol/sdk/types.js');
        const client = new Client({ name: 'fills-in-forms', version: '1' }, { capabilities: { elicitation: { form: { applyDefaults: true } } } });
        client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: {} }));
        await client.connect(new StdioClientTransport({ command: pfar, args: ['serve', '--server', 'suite'], env: house.environment }));
        await client.callTool({ name: 'test_client_elicitation_defaults', arguments: {} });
        await client.close();
    }
};

try {
    await house.begin();
    await house.has_running('suite');
    await scenarios[process.env.MCP_CONFORMANCE_SCENARIO]();
} catch (error) {
    console.error(error, house.host ? house.log() : '');
    process.exitCode = 1;
} finally {
    const trouble = await house.end();
    if (trouble) console.error(trouble), (process.exitCode = 1);
}
