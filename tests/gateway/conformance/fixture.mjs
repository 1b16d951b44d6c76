// An MCP server with everything that the conformance suite's server scenarios ask for, under their names.
//
//   node fixture.mjs MODULES           on stdio, as pfar starts it
//   node fixture.mjs MODULES --http    Streamable HTTP on a port of its own, which it prints: the suite's control
//
// MODULES is the node_modules directory that has the official SDK. Tools and schemas are given as they are, without the SDK's translation from
// zod, so that what a scenario reads is what stands here.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';

const [modules, mode] = process.argv.slice(2);
const sdk = createRequire(modules + '/');
const { Server } = sdk('@modelcontextprotocol/sdk/server/index.js');
const types = sdk('@modelcontextprotocol/sdk/types.js');

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const text = words => ({ type: 'text', text: words });
const image = { type: 'image', data: png, mimeType: 'image/png' };
const said = (...content) => ({ content });
const nothing = { type: 'object', properties: {} };

const schema_2020_12 = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' }
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false
};

const form_defaults = {
    type: 'object',
    properties: {
        name: { type: 'string', description: 'User name', default: 'John Doe' },
        age: { type: 'integer', description: 'User age', default: 30 },
        score: { type: 'number', description: 'User score', default: 95.5 },
        status: { type: 'string', description: 'User status', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', description: 'Verification status', default: true }
    },
    required: []
};

const titled = (first, second, third) => [
    { const: 'value1', title: first }, { const: 'value2', title: second }, { const: 'value3', title: third }];
const form_enums = {
    type: 'object',
    properties: {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
        legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: { type: 'array', items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') } }
    },
    required: []
};

const form_person = {
    type: 'object',
    properties: { username: { type: 'string', description: "User's response" }, email: { type: 'string', description: "User's email address" } },
    required: ['username', 'email']
};

async function elicit(message, requestedSchema, extra) {
    const answer = await extra.sendRequest({ method: 'elicitation/create', params: { message, requestedSchema } }, types.ElicitResultSchema);
    return said(text(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`));
}

async function sample({ prompt }, extra) {
    const params = { messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 };
    const answer = await extra.sendRequest({ method: 'sampling/createMessage', params }, types.CreateMessageResultSchema);
    return said(text(`LLM response: ${answer.content.text}`));
}

async function log(_, extra) {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', logger: 'fixture', data } });
        await wait(50);
    }
    return said(text('Tool with logging executed successfully'));
}

async function progress(_, extra) {
    const progressToken = extra._meta?.progressToken;
    for (const done of [0, 50, 100]) {
        if (progressToken !== undefined)
            await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress: done, total: 100 } });
        await wait(50);
    }
    return said(text('Tool with progress executed successfully'));
}

/// Something comes before the answer, so that there is a stream; on HTTP that is dropped, and the client has to come again.
async function reconnect(_, extra) {
    await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', logger: 'fixture', data: 'This may be the last of this stream' } });
    extra.closeSSEStream?.();
    await wait(300);
    return said(text('Reconnection test completed successfully'));
}

const string = name => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] });
const mixed = { type: 'resource', resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data","value":123}' } };
const embedded = { type: 'resource', resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' } };
const tools = {
    test_simple_text: [nothing, () => said(text('This is a simple text response for testing.'))],
    test_image_content: [nothing, () => said(image)],
    test_audio_content: [nothing, () => said({ type: 'audio', data: wav, mimeType: 'audio/wav' })],
    test_embedded_resource: [nothing, () => said(embedded)],
    test_multiple_content_types: [nothing, () => said(text('Multiple content types test:'), image, mixed)],
    test_tool_with_logging: [nothing, log],
    test_tool_with_progress: [nothing, progress],
    test_error_handling: [nothing, () => ({ isError: true, ...said(text('This tool intentionally returns an error for testing')) })],
    test_sampling: [string('prompt'), sample],
    test_elicitation: [string('message'), ({ message }, extra) => elicit(message, form_person, extra)],
    test_elicitation_sep1034_defaults: [nothing, (_, extra) => elicit('Please review and update the form', form_defaults, extra)],
    test_elicitation_sep1330_enums: [nothing, (_, extra) => elicit('Please choose', form_enums, extra)],
    test_reconnection: [nothing, reconnect],
    json_schema_2020_12_tool: [schema_2020_12, given => said(text(JSON.stringify(given)))]
};

const message = content => ({ role: 'user', content });
const argument = (name, description) => ({ name, description, required: true });
const prompts = {
    test_simple_prompt: [[], () => [message(text('This is a simple prompt for testing.'))]],
    test_prompt_with_arguments: [
        [argument('arg1', 'First test argument'), argument('arg2', 'Second test argument')],
        ({ arg1, arg2 }) => [message(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))]],
    test_prompt_with_embedded_resource: [
        [argument('resourceUri', 'URI of the resource to embed')],
        ({ resourceUri }) => [
            message({ type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' } }),
            message(text('Please process the embedded resource above.'))]],
    test_prompt_with_image: [[], () => [message(image), message(text('Please analyze the image above.'))]]
};

const resources = {
    'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
    'test://static-binary': { mimeType: 'image/png', blob: png },
    'test://watched-resource': { mimeType: 'text/plain', text: 'This resource can be watched.' }
};
const template = 'test://template/{id}/data';

function read(uri) {
    if (resources[uri]) return { contents: [{ uri, ...resources[uri] }] };
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id === undefined) throw new types.McpError(-32002, 'Resource not found', { uri });
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }] };
}

function known(table, name) {
    if (!Object.hasOwn(table, name)) throw new types.McpError(types.ErrorCode.InvalidParams, `Unknown name: ${name}`);
    return table[name];
}

function make_server() {
    const capabilities = {
        tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true }, logging: {}, completions: {}
    };
    const server = new Server({ name: 'conformance-fixture', version: '1.0.0' }, { capabilities });
    const answer = (schema, handler) => server.setRequestHandler(schema, async (request, extra) => handler(request.params ?? {}, extra));
    answer(types.ListToolsRequestSchema, () => ({
        tools: Object.entries(tools).map(([name, [inputSchema]]) => ({ name, description: `Fixture of the scenarios: ${name}`, inputSchema }))
    }));
    answer(types.CallToolRequestSchema, (params, extra) => known(tools, params.name)[1](params.arguments ?? {}, extra));
    answer(types.ListPromptsRequestSchema, () => ({
        prompts: Object.entries(prompts).map(([name, [given]]) => ({ name, description: `Fixture of the scenarios: ${name}`, arguments: given }))
    }));
    answer(types.GetPromptRequestSchema, params => ({ messages: known(prompts, params.name)[1](params.arguments ?? {}) }));
    answer(types.ListResourcesRequestSchema, () => ({
        resources: Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri.slice(7), description: `Fixture: ${uri}`, mimeType }))
    }));
    answer(types.ListResourceTemplatesRequestSchema, () => ({
        resourceTemplates: [{ uriTemplate: template, name: 'template', description: 'Fixture of a template', mimeType: 'application/json' }]
    }));
    answer(types.ReadResourceRequestSchema, params => read(params.uri));
    answer(types.SubscribeRequestSchema, () => ({}));
    answer(types.UnsubscribeRequestSchema, () => ({}));
    answer(types.CompleteRequestSchema, params => {
        const values = ['paris', 'park', 'party', 'testing'].filter(word => word.startsWith(params.argument.value));
        return { completion: { values, total: values.length, hasMore: false } };
    });
    return server;
}

/// Events of all streams, so that a client can come back and hear what it missed.
class Events {
    #all = [];
    async storeEvent(stream, message) {
        return String(this.#all.push({ stream, message }));
    }
    async getStreamIdForEventId(id) {
        return this.#all[Number(id) - 1]?.stream;
    }
    async replayEventsAfter(id, { send }) {
        const { stream } = this.#all[Number(id) - 1];
        for (let i = Number(id); i < this.#all.length; ++i)
            if (this.#all[i].stream === stream && this.#all[i].message.jsonrpc) await send(String(i + 1), this.#all[i].message);
        return stream;
    }
}

function serve_http() {
    const { StreamableHTTPServerTransport } = sdk('@modelcontextprotocol/sdk/server/streamableHttp.js');
    const sessions = new Map();
    const transport_for = async id => {
        if (id !== undefined) return sessions.get(id);
        const made = new StreamableHTTPServerTransport({
            sessionIdGenerator: randomUUID,
            eventStore: new Events(),
            retryInterval: 100,
            onsessioninitialized: own => sessions.set(own, made),
            onsessionclosed: own => sessions.delete(own)
        });
        await make_server().connect(made);
        return made;
    };
    const is_local = name => /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(name);
    const listener = createServer(async (request, response) => {
        const { host = '', origin } = request.headers;
        if (!is_local(host) || (origin !== undefined && !is_local(origin.replace(/^https?:\/\//, ''))))
            return void response.writeHead(403).end('not from here');
        const transport = await transport_for(request.headers['mcp-session-id']);
        if (!transport) return void response.writeHead(404).end('no such session');
        await transport.handleRequest(request, response);
    });
    listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}/mcp`));
}

if (mode === '--http') serve_http();
else await make_server().connect(new (sdk('@modelcontextprotocol/sdk/server/stdio.js').StdioServerTransport)());
