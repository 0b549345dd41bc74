import { afterAll, describe, expect, test } from 'vitest';
import { withHeaders } from '../helpers/actors.ts';
import { rawAnswer } from '../helpers/raw-http.ts';
import { startService } from '../helpers/service.ts';
import { overHttp } from './clients.ts';
import { platformTools } from './mcp-stage.ts';

const service = await startService({ env: { MCP_ALLOWED_ORIGINS: 'https://app.example.org' } });
afterAll(() => service.stop());
const { nobody } = service.actors;
const tools = platformTools(service);
const url = new URL('/mcp', service.url);

test.each([
  ['export_project_archive', 'output_path', 'shop.svcar'],
  ['export_project_archive', 'wait', true],
  ['import_project_archive', 'env_file', '.env'],
  ['import_project_archive', 'core_url', 'http://localhost:4000'],
  ['verify_project_archive', 'offline', true],
])('%s has no %s here, where no file of the caller’s machine is', async (name, field, value) => {
  const refused = await tools.call(service.actors.wallet(), name, { project_id: 'prj_0', [field]: value });
  expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'VALIDATION_FAILED' } });
  expect(refused.content[0]!.text).toContain('is not known here');
});

describe.each(overHttp)('%s', (_name, connect) => {
  test('finds a short list, and makes an organization, a project and a message by it', async () => {
    const wallet = service.actors.wallet();
    const client = await connect(url, wallet);
    const instructions = client.instructions()!;
    expect(instructions).toContain('find_tools');
    const names = (await client.listTools()).tools.map(({ name }) => name);
    // The first steps name tools that there are.
    const steps = [
      ...['whoami', 'list_projects', 'create_org', 'provision_postgres_project', 'run_sql', 'apply_expose'],
      ...['deploy_site', 'deploy_function', 'request_magic_link', 'verify_magic_link', 'rest_query'],
    ];
    expect(instructions.match(/\b[a-z]+(_[a-z]+)+\b|\bwhoami\b/g)?.filter((word) => steps.includes(word))).toEqual(
      steps,
    );
    expect(names).toEqual(expect.arrayContaining(steps));
    expect(names).toEqual(expect.arrayContaining(['whoami', 'run_sql', 'find_tools', 'call_tool', 'expand_result']));
    expect(names.length).toBeLessThan(30);
    const org = await client.callTool('create_org', { display_name: 'Ada' });
    const { org_id } = org.structuredContent;
    const project = await client.callTool('provision_postgres_project', { org_id, name: 'notes' });
    const { project_id } = project.structuredContent;
    const sent = await client.callTool('send_room_message', { project_id, body: 'hello' });
    expect(sent).toMatchObject({ structuredContent: { room_key: project_id, body_snippet: 'hello' } });
    const read = await client.callTool('read_room_messages', { project_id });
    expect(read.structuredContent.messages).toMatchObject([{ message_id: sent.structuredContent.message_id }]);
    expect(read.content[0]!.text).toMatch(/^\*\*Read room messages\*\*\n\n```json\n/);
    const rows = await client.callTool('run_sql', { project_id, sql: 'select 1 as one' });
    expect(rows.structuredContent.rows).toEqual([{ one: 1 }]);
    await client.close();
  });

  test('is told of a refusal by its lines and its envelope', async () => {
    const client = await connect(url, service.actors.wallet());
    // With the list at hand, clients hold answers against the schemas in it.
    await client.listTools();
    const org_id = crypto.randomUUID();
    const { isError, structuredContent, content } = await client.callTool('create_org', { display_name: 5, more: 1 });
    expect([isError, structuredContent]).toMatchObject([
      true,
      { code: 'VALIDATION_FAILED', details: { field: 'more' }, next_actions: [{ type: 'edit_request' }] },
    ]);
    expect(content[0]!.text).toBe(
      [
        'Error calling create_org: more: is not known here (HTTP 400)',
        '',
        'Code: VALIDATION_FAILED',
        'Category: validation',
        'Retryable: false',
        'Safe to retry: true',
        'Mutation state: none',
        `Trace: ${structuredContent.trace_id}`,
        'Next actions:',
        '- edit_request (Correct the named field and send the request again.)',
        '',
        'Next step: Correct the arguments that details names and call again.',
      ].join('\n'),
    );
    const foreign = await client.callTool('list_project_events', { org_id });
    expect(foreign).toMatchObject({ isError: true, structuredContent: { code: 'NOT_AUTHORIZED' } });
    await expect(client.callTool('no_such_tool')).rejects.toMatchObject({ code: -32_602 });
    await client.close();
  });

  test('is told where its SQL is wrong, in the words of PostgreSQL', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const client = await connect(url, wallet);
    const sql = 'create table notes (title text);\nselect titel from notes';
    const { structuredContent, content } = await client.callTool('run_sql', { project_id, sql });
    expect(structuredContent).toMatchObject({ code: 'SQL_ERROR', details: { location: { line: 2, column: 8 } } });
    expect(content[0]!.text.split('\n')).toEqual(
      expect.arrayContaining([
        'Error calling run_sql: column "titel" does not exist (HTTP 400)',
        'SQLSTATE: 42703',
        'Position: line 2, column 8, character 41',
        'Hint: Perhaps you meant to reference the column "notes.title".',
      ]),
    );
    const twice = 'create table ids (id int primary key); insert into ids values (1), (1)';
    const refused = await client.callTool('run_sql', { project_id, sql: twice });
    expect(refused.content[0]!.text).toContain('\nDetail: Key (id)=(1) already exists.\n');
    await client.close();
  });

  test('is told how a host signs in, where it brings no credential', async () => {
    const client = await connect(url, nobody);
    const { structuredContent, content } = await client.callTool('whoami');
    expect(structuredContent.code).toBe('AUTH_REQUIRED');
    expect(content[0]!.text).toMatch(/delegate token.*svc delegates create.*svc mcp/);
    await client.close();
  });

  test('shares nothing with another that is connected', async () => {
    const [ada, bob] = [service.actors.wallet(), service.actors.wallet()];
    const clients = await Promise.all([connect(url, ada), connect(url, bob), connect(url, ada)]);
    const principals = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const { structuredContent } = await clients[at % 3]!.callTool('whoami');
        return structuredContent.active_authenticator.public_subject;
      }),
    );
    expect(principals).toEqual(Array.from({ length: 12 }, (_, at) => (at % 3 === 1 ? bob : ada).address));
    await Promise.all(clients.map((client) => client.close()));
  });

  test('finds what is not listed, and calls it', async () => {
    const wallet = service.actors.wallet();
    const client = await connect(url, wallet);
    const found = await client.callTool('find_tools', { query: 'rename organization' });
    expect(found.structuredContent.tools[0]).toMatchObject({
      name: 'rename_org',
      inputSchema: { required: ['org_id', 'display_name'] },
    });
    const { structuredContent: org } = await client.callTool('create_org');
    const args = { org_id: org.org_id, display_name: 'Renamed' };
    const renamed = await client.callTool('call_tool', { name: 'rename_org', arguments: args });
    expect(renamed).toMatchObject({ structuredContent: { display_name: 'Renamed' } });
    for (const [name, code] of [
      ['no_such_tool', 'VALIDATION_FAILED'],
      ['call_tool', 'VALIDATION_FAILED'],
    ])
      expect(await client.callTool('call_tool', { name })).toMatchObject({
        isError: true,
        structuredContent: { code },
      });
    await client.close();
  });
});

describe('profiles', () => {
  const namesIn = async (profile?: string) => (await tools.list(profile)).map(({ name }) => name);

  test('list what they are for', async () => {
    const all = await namesIn('all');
    expect(all.length).toBeGreaterThan(110);
    expect(new Set(all).size).toBe(all.length);
    const coordination = await namesIn('coordination');
    expect(coordination).toEqual(
      expect.arrayContaining(['join_room', 'claim_room_resource', 'raise_escalation', 'find_tools']),
    );
    expect(coordination).not.toContain('run_sql');
    const data = await namesIn('data');
    expect(data).toEqual(expect.arrayContaining(['run_sql', 'rest_query', 'create_auth_user', 'list_passkeys']));
    expect(data).not.toContain('join_room');
    const management = await namesIn('management');
    expect(management).toEqual(
      expect.arrayContaining(['list_project_requests', 'get_project_access', 'create_auth_user']),
    );
    expect(management).not.toContain('run_sql');
    expect(await namesIn('core')).toEqual(await namesIn());
    for (const names of [coordination, data, await namesIn()]) expect(all).toEqual(expect.arrayContaining(names));
  });

  test('may be chosen by a header, too', async () => {
    const asked = await tools.rpc(withHeaders({ 'svc-mcp-profile': 'buyer' }), 'tools/list');
    expect(asked.body.result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'generate_image',
      'redeem_voucher',
      'request_faucet',
      'check_balance',
    ]);
  });

  test('for buyers reach nothing else', async () => {
    const call = (name: string) => tools.rpc(nobody, 'tools/call', { name, arguments: {} }, '?profile=buyer');
    for (const name of ['create_org', 'find_tools', 'call_tool'])
      expect((await call(name)).body).toMatchObject({ error: { code: -32_602 } });
    expect((await call('check_balance')).body).toMatchObject({ result: { isError: true } });
  });

  test('that there are not are refused, and the others named', async () => {
    for (const method of ['tools/list', 'tools/call', 'initialize']) {
      const { status, body } = await tools.rpc(nobody, method, {}, '?profile=everything');
      expect([status, body]).toMatchObject([
        400,
        {
          error: {
            code: -32_602,
            message: 'profile: must be one of core, coordination, data, management, all, buyer',
            data: { code: 'VALIDATION_FAILED', details: { field: 'profile' } },
          },
        },
      ]);
    }
    const look = await service.call<{ code: string }>(nobody, 'GET', '/mcp?profile=everything');
    expect([look.status, look.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  });
});

describe('tools are found by the words of whoever looks', () => {
  test.each([
    ['create database', 'provision_postgres_project'],
    ['invite a colleague by email', 'create_org_invite'],
    ['change the role of a member', 'set_org_member_role'],
    ['page a human', 'raise_escalation'],
    ['acknowledge escalation', 'ack_escalation'],
    ['lock a file so that nobody else edits it', 'claim_room_resource'],
    ['how much does it cost', 'get_quote'],
    ['token for an agent', 'create_delegate'],
    ['errors since the release', 'errors_list'],
    ['audit log', 'list_org_audit'],
    ['who can read the table', 'apply_expose'],
    ['who am I', 'whoami'],
    ['is the service up?', 'service_status'],
    ['wait for an event', 'list_project_events'],
  ])('“%s” is %s', async (query, name) => {
    const { structuredContent } = await tools.call(nobody, 'find_tools', { query, limit: 3 });
    expect(structuredContent.tools.map((tool: { name: string }) => tool.name)).toContain(name);
  });
});

describe('what the gateway says of itself', () => {
  test('is what its paths say, whoever asks', async () => {
    const call = async (name: string, who = nobody) => (await tools.call(who, name)).structuredContent;
    const status = await call('service_status', service.actors.bearer('no such token'));
    const { body } = await service.call<{ uptime_seconds: number }>(nobody, 'GET', '/status');
    expect({ ...status, uptime_seconds: 0 }).toEqual({ ...body, uptime_seconds: 0 });
    expect(await call('service_health')).toEqual((await service.call(nobody, 'GET', '/health')).body);
  });
});

describe('lists stay short', () => {
  // A token is about four characters. Hosts put names, descriptions and arguments in front of a model.
  test.each([
    ['core', 7_500],
    ['coordination', 9_500],
    ['data', 8_700],
    ['management', 6_000],
  ])('%s takes at most %i tokens of a model’s context', async (profile, most) => {
    const shown = (await tools.list(profile)).map(({ outputSchema: _read, ...seen }) => seen);
    expect(JSON.stringify(shown).length / 4).toBeLessThan(most);
  });
});

test('the schemas of all tools are whole: clients that follow no references understand them', async () => {
  expect(JSON.stringify(await tools.list('all'))).not.toMatch(/"\$(ref|defs)"/);
});

describe('the path', () => {
  test('shows what there is', async () => {
    expect((await service.call(nobody, 'GET', '/mcp')).body).toMatchObject({
      name: 'svc-platform',
      endpoint: `${service.url}/mcp`,
      transport: 'streamable-http',
      profile: 'core',
      profiles: ['core', 'coordination', 'data', 'management', 'all', 'buyer'],
      tools: await tools.list(),
    });
  });

  test('is not for pages of other origins, nor for streams that nobody fills', async () => {
    const foreign = withHeaders({ origin: 'https://elsewhere.net' });
    expect((await service.call(foreign, 'GET', '/mcp')).status).toBe(403);
    expect((await tools.rpc(foreign, 'tools/list')).status).toBe(403);
    expect((await tools.rpc(withHeaders({ origin: 'https://app.example.org' }), 'tools/list')).status).toBe(200);
    const stream = withHeaders({ accept: 'text/event-stream' });
    expect((await service.call(stream, 'GET', '/mcp')).status).toBe(405);
    expect((await service.call(nobody, 'PUT', '/mcp')).status).toBe(405);
  });

  test.each([
    ['of this machine', '127.0.0.1:4000', 'http://127.0.0.1:4000', 200],
    ['of this machine by its name', 'localhost:4000', 'http://localhost:4000', 200],
    ['of this machine by its newer address', '[::1]:4000', 'http://[::1]:4000', 200],
    ['of another port of this machine', 'localhost:4000', 'http://localhost:5173', 403],
    // Whoever owns a name may have it lead here, once its page is loaded.
    ['whose name was made to lead here', 'rebound.example.net:4000', 'http://rebound.example.net:4000', 421],
    ['that ends like this machine', 'localhost.example.net', 'http://localhost.example.net', 421],
    ['without an origin', 'localhost:4000', 'null', 403],
  ])('knows the pages %s', async (_which, host, origin, status) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const lines = ['POST /mcp HTTP/1.1', `Host: ${host}`, `Origin: ${origin}`, 'Content-Type: application/json'];
    const answer = await rawAnswer(
      service.url,
      [...lines, `Content-Length: ${body.length}`, 'Connection: close'],
      body,
    );
    expect(answer.status).toBe(status);
  });

  test('takes what is JSON and says so', async () => {
    const odd = withHeaders({ 'content-type': 'text/plain' });
    expect((await service.call(odd, 'POST', '/mcp', { body: '{}' })).status).toBe(415);
    const broken = await service.call<{ error: { code: number } }>(nobody, 'POST', '/mcp', { body: '{' });
    expect([broken.status, broken.body.error.code]).toEqual([400, -32_700]);
    const large = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'x'.repeat(1024 * 1024) } });
    expect((await service.call(nobody, 'POST', '/mcp', { body: large })).status).toBe(413);
  });

  test('takes the credentials of any other path', async () => {
    const { wallet, orgId, projectId, principalId, serviceKey, anonKey } = await service.project();
    const { session, delegate, bearer, apikey, admin } = service.actors;
    const person = await session({ principalId });
    const agent = await delegate({ orgId, projectId, capabilities: ['read'] });
    for (const who of [wallet, person, agent, bearer(serviceKey), admin])
      expect(await tools.call(who, 'list_project_events', { project_id: projectId })).not.toHaveProperty('isError');
    for (const [who, code] of [
      [nobody, 'AUTH_REQUIRED'],
      [apikey(anonKey), 'AUTH_REQUIRED'],
      [bearer('no such token'), 'INVALID_AUTH'],
      [service.actors.wallet(), 'NOT_AUTHORIZED'],
    ] as const)
      expect(await tools.call(who, 'list_project_events', { project_id: projectId })).toMatchObject({
        isError: true,
        structuredContent: { code },
      });
  });
});
