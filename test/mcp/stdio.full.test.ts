import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport as CurrentTransport } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as ClassicTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, describe, expect, test } from 'vitest';
import { argumentsOf, programEnv } from '../helpers/programs.ts';
import { startService } from '../helpers/service.ts';
import { type Connected, classicOver, currentOver } from './clients.ts';

const run = promisify(execFile);
const service = await startService();
const folder = await mkdtemp(join(tmpdir(), 'svc-bridge-'));
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

/** A machine without a wallet yet, with a checkout of its own. */
async function machine(more: Record<string, string> = {}) {
  const cwd = await mkdtemp(join(folder, 'checkout-'));
  const config = await mkdtemp(join(folder, 'config-'));
  const { PATH = '' } = process.env;
  const env = { PATH, ...programEnv(), HOME: folder, SVC_CONFIG_DIR: config, SVC_API_BASE: service.url, ...more };
  return {
    config,
    cwd,
    command: { command: process.execPath, args: [...argumentsOf('svc'), 'mcp'], env, cwd, stderr: 'pipe' as const },
    /** Runs a command as the person at the terminal does. */
    svc: (...words: string[]) => run(process.execPath, [...argumentsOf('svc'), ...words], { env, cwd }),
  };
}

type Machine = Awaited<ReturnType<typeof machine>>;

const clients: readonly (readonly [string, (from: Machine) => Promise<Connected>])[] = [
  ['the classic SDK', ({ command }) => classicOver(new ClassicTransport(command))],
  ['the current client', ({ command }) => currentOver(new CurrentTransport(command) as Transport)],
  [
    'the current client held to 2026-07-28',
    ({ command }) => currentOver(new CurrentTransport(command) as Transport, { pin: '2026-07-28' }),
  ],
];

describe.each(clients)('%s', (name, connect) => {
  test('reaches the gateway with the machine’s own wallet, and keeps the keys it is given', async () => {
    const here = await machine();
    const client = await connect(here);
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['whoami', 'find_tools', 'init', 'status', 'project_use', 'pay_url']));
    expect(new Set(names).size).toBe(names.length);
    expect(await client.callTool('create_org')).toMatchObject({ structuredContent: { code: 'AUTH_REQUIRED' } });
    const begun = (await client.callTool('init')).structuredContent;
    expect(begun).toMatchObject({ wallet: { created: true }, reachable: true });
    const { org_id } = (await client.callTool('create_org')).structuredContent;
    // The organization that was made is the one that calls mean.
    const rename = { name: 'rename_org', arguments: { display_name: 'Ours' } };
    expect((await client.callTool('call_tool', rename)).structuredContent).toMatchObject({ org_id });
    const made = (await client.callTool('provision_postgres_project', { name: 'notes' })).structuredContent;
    const { project_id, anon_key, service_key } = made;
    const kept = await readFile(join(here.config, 'credentials', 'project-keys.v1.json'), 'utf8');
    expect(kept).toContain(service_key);
    // From the cache, and hidden in the text unless it is asked for; the project is the active one.
    const keys = await client.callTool('project_keys');
    expect(keys.structuredContent).toEqual({ project_id, anon_key, service_key });
    expect(keys.content[0]!.text).not.toContain(service_key);
    const shown = await client.callTool('project_keys', { project_id, reveal: true });
    expect(shown.content[0]!.text).toContain(service_key);
    // A fresh signature each time: a change spends it.
    for (const display_name of ['One', 'Two']) {
      const call = { name: 'rename_org', arguments: { org_id, display_name } };
      expect((await client.callTool('call_tool', call)).structuredContent).toMatchObject({ display_name });
    }
    await client.callTool('run_sql', { sql: 'create table notes (body text); insert into notes values (1)' });
    const rows = { table: 'notes', key_type: 'service' };
    expect((await client.callTool('rest_query', rows)).structuredContent).toMatchObject({ body: [{ body: '1' }] });
    await mkdir(join(here.cwd, 'dist'));
    await writeFile(join(here.cwd, 'dist', 'index.html'), 'from this machine');
    for (const [tool, args, answer] of [
      ['deploy_site_dir', { project: project_id, dir: 'dist' }, { status: 'ready', url: expect.any(String) }],
      ['deploy_site_dir', { project: project_id, dir: 'absent' }, { code: expect.any(String) }],
      ['status', {}, { wallet: expect.anything() }],
      ['allowance_status', {}, { address: begun.wallet.address }],
      ['allowance_export', {}, { address: begun.wallet.address }],
      ['allowance_create', {}, { code: 'ALLOWANCE_EXISTS' }],
      ['project_use', { project_id }, { project_id, name: 'notes' }],
      ['call_tool', { name: 'project_use', arguments: { project_id } }, { project_id }],
      ['pay_url', { url: 'ftp://shop.example.org' }, { code: 'BAD_USAGE' }],
      ['scaffold_roles', { roles: ['owner', 'reader'], cache_ttl: 0 }, { gates: { owner: {}, reader: {} } }],
      ['scaffold_roles', { table: '1st' }, { code: 'BAD_USAGE' }],
      ['init', { rail: 'mpp' }, { code: 'RAIL_SWITCH_REQUIRES_CONFIRM' }],
    ] as const)
      expect([tool, (await client.callTool(tool, args)).structuredContent]).toMatchObject([tool, answer]);
    await client.close();
  });

  test('refuses what a tool of this machine does not take, and what a model must not say', async () => {
    const client = await connect(await machine());
    await client.listTools();
    for (const [tool, args, field] of [
      ['project_use', {}, 'project_id'],
      ['project_use', { project_id: 5 }, 'project_id'],
      ['project_use', { project_id: '--api-base=https://elsewhere.example' }, 'project_id'],
      ['status', { more: 1 }, 'more'],
      // Files of this machine are not sent anywhere.
      ['pay_url', { url: 'https://shop.example.org', body: '@/etc/passwd' }, 'body'],
      ['pay_url', { url: 'https://shop.example.org', body: '-' }, 'body'],
    ] as const) {
      const refused = await client.callTool(tool, args);
      expect([tool, refused]).toMatchObject([
        tool,
        { isError: true, structuredContent: { code: 'VALIDATION_FAILED', details: { field } } },
      ]);
      expect(refused.content[0]!.text).toMatch(
        new RegExp(`^Error calling ${tool}: ${field}: .*\n\nCode: VALIDATION_FAILED`),
      );
    }
    await client.close();
  });

  test('ends what it cancels, and is told how a wait goes on', async () => {
    const client = await connect(await machine());
    await client.callTool('init');
    const { org_id } = (await client.callTool('create_org')).structuredContent;
    const { project_id } = (await client.callTool('provision_postgres_project', { org_id })).structuredContent;
    const isAtWork = async (word: string) => {
      const like = `select pg_sleep(600), '${word}'%`;
      const found = `select from pg_stat_activity where state = 'active' and query like $1`;
      return (await service.control.sql(found, [like])).length > 0;
    };
    const until = (word: string, so: boolean) => expect.poll(() => isAtWork(word), { interval: 50 }).toBe(so);
    const begin = (word: string) => {
      const cancel = new AbortController();
      const call = client.callTool('run_sql', { project_id, sql: `select pg_sleep(600), '${word}'` }, cancel);
      return {
        cancel: () => cancel.abort(),
        ended: call.then(
          () => 'answered',
          () => 'ended',
        ),
      };
    };
    const [stays, goes] = [`stays ${name}`, `goes ${name}`];
    // Runs out of its time before the other, should that only run out.
    const standing = begin(stays);
    await until(stays, true);
    const cancelled = begin(goes);
    await until(goes, true);
    cancelled.cancel();
    expect(await cancelled.ended).toBe('ended');
    await until(goes, false);
    expect(await isAtWork(stays)).toBe(true);
    const told: object[] = [];
    const read = client.callTool(
      'read_room_messages',
      { project_id, wait: 25 },
      {
        onprogress: (one) => {
          if (told.push(one) === 1) void client.callTool('send_room_message', { project_id, body: 'here' });
        },
      },
    );
    expect((await read).structuredContent.messages).toMatchObject([{ body_snippet: 'here' }]);
    expect(told[0]).toMatchObject({ total: 25 });
    // What is under way when the client goes ends with it.
    await client.close();
    expect(await standing.ended).toBe('ended');
    await until(stays, false);
  });
});

test('what a checkout is bound to need not be said', async () => {
  const here = await machine();
  const first = await classicOver(new ClassicTransport(here.command));
  await first.callTool('init');
  const { org_id } = (await first.callTool('create_org')).structuredContent;
  const { project_id } = (await first.callTool('provision_postgres_project', { org_id })).structuredContent;
  await first.close();
  await writeFile(join(here.cwd, '.svc.json'), JSON.stringify({ org: org_id }));
  await here.svc('projects', 'use', project_id);
  const client = await classicOver(new ClassicTransport(here.command));
  const { tools } = (await client.listTools()) as unknown as {
    tools: { name: string; inputSchema: { required?: string[] } }[];
  };
  const requiredBy = (name: string) => tools.find((tool) => tool.name === name)!.inputSchema.required;
  expect(requiredBy('run_sql')).toEqual(['sql']);
  expect(requiredBy('get_schema')).toEqual([]);
  expect((await client.callTool('run_sql', { sql: 'select 1 as n' })).structuredContent.rows).toEqual([{ n: 1 }]);
  const sent = await client.callTool('send_room_message', { body: 'hello' });
  expect(sent.structuredContent).toMatchObject({ room_key: project_id });
  const elsewhere = await client.callTool('send_room_message', { room_key: 'standup', body: 'hello' });
  expect(elsewhere.structuredContent).toMatchObject({ room_key: 'standup' });
  expect((await client.callTool('check_balance')).structuredContent).toMatchObject({ org_id });
  // Of tools that are not listed, too.
  const org = await client.callTool('call_tool', { name: 'get_org', arguments: {} });
  expect(org.structuredContent).toMatchObject({ org_id });
  // Nobody's project is meant where one makes a difference that was not asked for.
  const manifest = { manifest: { version: 1 } };
  const validated = await client.callTool('call_tool', { name: 'validate_manifest', arguments: manifest });
  expect(validated).not.toHaveProperty('isError');
  // Whoever names an organization means that one.
  const other = await client.callTool('list_project_events', { org_id: crypto.randomUUID() });
  expect(other).toMatchObject({ isError: true, structuredContent: { code: 'NOT_AUTHORIZED' } });
  await client.close();
  // The room of the checkout comes before the project's own.
  await writeFile(join(here.cwd, '.svc.json'), JSON.stringify({ org: org_id, room: 'standup' }));
  const bound = await classicOver(new ClassicTransport(here.command));
  const there = await bound.callTool('send_room_message', { body: 'hello' });
  expect(there.structuredContent).toMatchObject({ room_key: 'standup' });
  const own = await bound.callTool('send_room_message', { project_id, body: 'hello' });
  expect(own.structuredContent).toMatchObject({ room_key: project_id });
  await bound.close();
});

test('an archive is exported to a file of the machine, looked at and imported, and nothing else is written or sent', async () => {
  const here = await machine();
  const client = await classicOver(new ClassicTransport(here.command));
  await client.callTool('init');
  const { org_id } = (await client.callTool('create_org')).structuredContent;
  const { project_id } = (await client.callTool('provision_postgres_project', { org_id })).structuredContent;
  await client.callTool('run_sql', { sql: 'create table notes (id int primary key)' });
  const { tools } = (await client.listTools()) as unknown as {
    tools: { name: string; inputSchema: { required?: string[]; properties: Record<string, unknown> } }[];
  };
  const listed = tools.find(({ name }) => name === 'export_project_archive')!;
  expect(Object.keys(listed.inputSchema.properties)).toEqual(
    expect.arrayContaining(['output_path', 'wait', 'poll_interval_ms', 'timeout_ms', 'idempotency_key']),
  );
  expect(listed.inputSchema.required).toEqual([]);
  const call = async (tool: string, args: Record<string, unknown>) =>
    (await client.callTool(tool, args)).structuredContent;
  expect(await call('export_project_archive', { auth: 'none' })).toMatchObject({ project_id, status: 'running' });
  const wanted = { output_path: 'shop.svcar', wait: true, poll_interval_ms: 50, timeout_ms: 60_000 };
  expect(await call('export_project_archive', wanted)).toMatchObject({ status: 'ready', output: 'shop.svcar' });
  const archive = { archive_path: 'shop.svcar' };
  expect(await call('inspect_project_archive', archive)).toMatchObject({ tables: [{ name: 'notes' }] });
  expect(await call('verify_project_archive', { ...archive, offline: true })).toMatchObject({ ok: true });
  expect(await call('import_project_archive', { ...archive, dry_run: true })).toMatchObject({ status: 'dry_run' });
  await writeFile(join(here.cwd, 'shop.env'), 'FIRST=canary-1\n');
  const values = { env_file: 'shop.env', secret_values: { SECOND: 'canary-2' } };
  const made = await client.callTool('import_project_archive', { ...archive, name: 'Copy', ...values });
  expect(made.structuredContent).toMatchObject({ status: 'imported', project_name: 'Copy' });
  expect(JSON.stringify(made)).not.toContain('canary');
  const secrets = { name: 'list_secrets', arguments: { project_id: made.structuredContent.project_id } };
  expect((await call('call_tool', secrets)).secrets.map(({ key }: { key: string }) => key)).toEqual([
    'FIRST',
    'SECOND',
  ]);
  for (const [tool, args, field] of [
    ['export_project_archive', { output_path: '.bashrc' }, 'output_path'],
    ['import_project_archive', { ...archive, core_url: 'https://elsewhere.example' }, 'core_url'],
    ['import_project_archive', { ...archive, core_url: 'http://localhost.elsewhere.example' }, 'core_url'],
    ['import_project_archive', {}, 'archive_path'],
    ['inspect_project_archive', { archive_path: '--help' }, 'archive_path'],
  ] as const)
    expect([tool, await call(tool, args)]).toMatchObject([tool, { code: 'VALIDATION_FAILED', details: { field } }]);
  await client.close();
});

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Runs the bridge on some lines, to its end. */
async function runOn(lines: readonly unknown[], more: Record<string, string> = {}) {
  const { command } = await machine(more);
  const child = spawn(command.command, command.args, { env: command.env, cwd: command.cwd, stdio: 'pipe' });
  child.stdin.on('error', () => undefined);
  const read = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  for (const line of lines) child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  const answered = lines.length === 0 ? Promise.resolve() : once(child.stdout, 'data');
  await Promise.race([answered, once(child, 'exit')]);
  child.stdin.end();
  const [out, err, [code]] = await read;
  return {
    out: out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
    err,
    code,
  };
}

test('looking up the keys of a project leaves the active one as it is', async () => {
  const here = await machine();
  const client = await classicOver(new ClassicTransport(here.command));
  await client.callTool('init');
  const { org_id } = (await client.callTool('create_org')).structuredContent;
  const provision = () => client.callTool('provision_postgres_project', { org_id });
  const { project_id: first } = (await provision()).structuredContent;
  const { project_id: second } = (await provision()).structuredContent;
  await rm(join(here.config, 'credentials', 'project-keys.v1.json'));
  const keys = await client.callTool('project_keys', { project_id: first });
  expect(keys.structuredContent).toMatchObject({ project_id: first });
  expect((await client.callTool('project_info')).structuredContent).toMatchObject({ project_id: second });
  await client.close();
});

test('what a model makes and chooses is meant by its own calls, and by nothing else on the machine', async () => {
  const here = await machine();
  const [first, second] = [
    await classicOver(new ClassicTransport(here.command)),
    await classicOver(new ClassicTransport(here.command)),
  ];
  await first.callTool('init');
  const { org_id } = (await first.callTool('create_org')).structuredContent;
  const { project_id } = (await first.callTool('provision_postgres_project', { org_id })).structuredContent;
  expect((await first.callTool('project_info')).structuredContent).toMatchObject({ project_id });
  expect((await second.callTool('project_info')).structuredContent).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect((await second.callTool('project_use', { project_id })).structuredContent).toMatchObject({ project_id });
  expect((await second.callTool('project_info')).structuredContent).toMatchObject({ project_id });
  expect((await first.callTool('project_use', { project_id: 'prj_nobodys' })).isError).toBe(true);
  expect((await first.callTool('project_info')).structuredContent).toMatchObject({ project_id });
  const state = await readFile(join(here.config, 'state.json'), 'utf8').catch(() => '{}');
  expect(state).not.toContain(project_id);
  expect(state).not.toContain(org_id);
  await first.close();
  await second.close();
});

describe('the program', () => {
  test('takes the credential of its machine nowhere that the gateway sends it to', async () => {
    const seen: string[] = [];
    const answer = JSON.stringify({ jsonrpc: '2.0', id: 2, result: { content: [] } });
    const elsewhere = createServer((request, response) => {
      seen.push(String(request.headers['sign-in-with-x']));
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    }).listen(0, '127.0.0.1');
    const moved = createServer((_request, response) => {
      response.writeHead(307, { location: `${addressOf(elsewhere)}/mcp` }).end();
    }).listen(0, '127.0.0.1');
    await Promise.all([elsewhere, moved].map((server) => once(server, 'listening')));
    const { config } = await machine();
    const there = { SVC_CONFIG_DIR: config, SVC_API_BASE: addressOf(moved) };
    const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
    await runOn([call(1, 'allowance_create')], there);
    const { out } = await runOn([call(2, 'whoami')], there);
    for (const server of [elsewhere, moved]) server.close();
    expect(seen).toEqual([]);
    expect(out).toMatchObject([{ id: 2, error: { data: { code: 'NETWORK_ERROR' } } }]);
  });

  test('ends with an exit code of 1 for a profile that there is not', async () => {
    const { out, err, code } = await runOn([], { SVC_MCP_PROFILE: 'everything' });
    expect([out, code]).toEqual([[], 1]);
    expect(err).toBe('SVC_MCP_PROFILE: profile: must be one of core, coordination, data, management, all, buyer\n');
  });

  test('shows buyers what is for them', async () => {
    const { out, code } = await runOn([{ jsonrpc: '2.0', id: 1, method: 'tools/list' }], { SVC_MCP_PROFILE: 'buyer' });
    expect(code).toBe(0);
    expect(out[0].result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'generate_image',
      'redeem_voucher',
      'request_faucet',
      'check_balance',
      'init',
      'allowance_status',
      'allowance_export',
    ]);
  });

  test.each([
    ['no JSON', '{', { id: null, error: { code: -32_700 } }],
    ['no message', '{}', { id: null, error: { code: -32_600 } }],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'no/such' }, { id: 1, error: { code: -32_601 } }],
    [
      'a batch',
      [
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', method: 'x' },
      ],
      [{ id: 1, result: {} }],
    ],
    [
      'a tool that there is not',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } },
      { id: 1, error: { code: -32_602 } },
    ],
  ])('answers %s', async (_what, line, answer) => {
    const { out, code } = await runOn([line]);
    expect([out, code]).toMatchObject([[answer], 0]);
  });

  test('ends when it is asked to, though its input goes on', async () => {
    const { command } = await machine();
    const child = spawn(command.command, command.args, { env: command.env, cwd: command.cwd, stdio: 'pipe' });
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('says that the gateway is not there', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } };
    const { out, code } = await runOn([call], { SVC_API_BASE: 'http://127.0.0.1:9', SVC_MCP_PROFILE: 'core' });
    expect([out, code]).toMatchObject([
      [
        {
          id: 1,
          error: {
            code: -32_000,
            message: expect.stringContaining('http://127.0.0.1:9'),
            data: { code: 'NETWORK_ERROR' },
          },
        },
      ],
      0,
    ]);
  });
});

test('a model is one presence in a room, whatever it does there, and has the name that it asked for', async () => {
  const first = await classicOver(new ClassicTransport((await machine()).command));
  await first.callTool('init');
  const { org_id } = (await first.callTool('create_org')).structuredContent;
  const { project_id } = (await first.callTool('provision_postgres_project', { org_id })).structuredContent;
  const say = async (more: object = {}) =>
    (await first.callTool('send_room_message', { project_id, body: 'hello', ...more })).structuredContent.sender;
  const own = await say();
  expect(await say()).toBe(own);
  const claim = { name: 'claim_room_resource', arguments: { project_id, resource: 'repo:src/**' } };
  expect((await first.callTool('call_tool', claim)).structuredContent.holder).toBe(own);
  const joined = (await first.callTool('join_room', { project_id, requested_name: 'Atlas' })).structuredContent;
  expect(joined.you.name).toBe('Atlas');
  expect((await first.callTool('join_room', { project_id, requested_name: 'Atlas' })).structuredContent).toMatchObject({
    you: { name: 'Atlas', presence_id: joined.you.presence_id, resumed: true },
  });
  const refused = await first.callTool('join_room', { project_id, requested_name: '' });
  expect(refused).toMatchObject({ isError: true });
  expect(await say()).toBe('Atlas');
  expect(await say({ room_key: 'standup', project_id: undefined, org_id })).toBe('Atlas');
  expect(await say({ session_key: 'another' })).not.toBe('Atlas');
  expect(await say()).toBe('Atlas');
  await first.close();
});

test('the environment may say who a model is in rooms', async () => {
  const more = { SVC_SESSION_KEY: crypto.randomUUID(), SVC_AGENT_NAME: 'Borea' };
  const here = await machine(more);
  const senders: string[] = [];
  for (const _turn of [1, 2]) {
    const client = await classicOver(new ClassicTransport(here.command));
    if (senders.length === 0) {
      await client.callTool('init');
      const { org_id } = (await client.callTool('create_org')).structuredContent;
      const made = await client.callTool('provision_postgres_project', { org_id });
      await here.svc('projects', 'use', made.structuredContent.project_id);
    }
    senders.push((await client.callTool('send_room_message', { body: 'hello' })).structuredContent.sender);
    await client.close();
  }
  expect(senders).toEqual(['Borea', 'Borea']);
});
