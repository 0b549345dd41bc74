import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { auditedSite } from '../access/surfaces/audits.ts';
import { startService } from '../helpers/service.ts';
import { type Answerer, startSites } from '../helpers/site-server.ts';
import { overHttp } from './clients.ts';
import { platformTools } from './mcp-stage.ts';

/** A page for each client, so that nobody has had it read before. */
const pageOf = (client: string) => `/${encodeURIComponent(client)}`;
const pages = Object.fromEntries(overHttp.map(([name]) => [pageOf(name), '<title>Audited</title>']));
/** Pages that are asked for and not answered, by their path. */
const held = new Map<string, ServerResponse>();
const heldSiteOf = (client: string) => `held${overHttp.findIndex(([name]) => name === client)}.audit-sites.net`;
const hold: Answerer = ({ url = '' }, response) => {
  if (url.endsWith('.txt') || url.endsWith('.xml')) return response.writeHead(404).end();
  held.set(url, response);
  response.once('close', () => held.get(url) === response && held.delete(url));
};
const sites = await startSites({
  [auditedSite]: pages,
  ...Object.fromEntries(overHttp.map(([name]) => [heldSiteOf(name), hold])),
});
const service = await startService({ auditTrial: sites.trial, env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
afterAll(async () => {
  await service.stop();
  sites.close();
});
const tools = platformTools(service);
const url = new URL('/mcp', service.url);

/** Whether a statement with a word in it is at work in any database. */
const isAtWork = async (word: string): Promise<boolean> => {
  const [row] = await service.control.sql<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where state = 'active' and query like $1 and pid <> pg_backend_pid()`,
    [`%${word}%`],
  );
  return row!.n > 0;
};
/** Until something is so; a test that waits in vain fails by its own time. */
const until = (is: () => Promise<boolean>) => expect.poll(is, { interval: 50 }).toBe(true);
const gone = (word: string) => until(async () => !(await isAtWork(word)));

/** A change that takes longer than any test, and would be seen if it were kept. */
const longChange = (word: string) => `insert into notes values ('${word}'); select pg_sleep(600), '${word}'`;

function aborting() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

describe.each(overHttp)('%s', (name, connect) => {
  const word = `kept by ${name}`;

  test('ends what it cancels, and nothing of it is kept', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const client = await connect(url, wallet);
    await client.callTool('run_sql', { project_id, sql: 'create table notes (body text)' });
    // Runs out of its time before the other, should that only run out.
    const begin = (sql: string) => {
      const { signal, abort } = aborting();
      const ended = client.callTool('run_sql', { project_id, sql }, { signal }).then(
        () => 'answered',
        () => 'ended',
      );
      return { ended, abort };
    };
    const standing = begin(longChange(`stays for ${name}`));
    await until(() => isAtWork(`stays for ${name}`));
    const cancelled = begin(longChange(word));
    await until(() => isAtWork(word));
    cancelled.abort();
    expect(await cancelled.ended).toBe('ended');
    await gone(word);
    expect(await isAtWork(`stays for ${name}`)).toBe(true);
    standing.abort();
    expect(await standing.ended).toBe('ended');
    await gone(`stays for ${name}`);
    const left = await client.callTool('run_sql', { project_id, sql: 'select * from notes' });
    expect(left.structuredContent.rows).toEqual([]);
    await client.close();
  });

  test('ends the audit that it cancels, unless somebody else waits for it', async () => {
    const heldSite = heldSiteOf(name);
    // From a network of its own, so that none uses up what another may.
    const headers = async () => ({ 'x-forwarded-for': `203.0.113.${heldSite.at(4)}` });
    const nobody = { ...service.actors.nobody, headers };
    // Of one node: a node shares the audits that it makes itself.
    const oneNode = new URL('/mcp', service.nodes[0]!.url);
    const client = await connect(oneNode, nobody);
    const other = await connect(oneNode, nobody);
    const audited = (path: string, from = client) => {
      const { signal, abort } = aborting();
      const ended = from.callTool('audit_site', { url: heldSite + path }, { signal }).then(
        ({ structuredContent }) => structuredContent.ok,
        () => 'ended',
      );
      return { ended, abort };
    };
    const isRead = (path: string) => until(async () => held.has(path));
    const alone = pageOf(`${name} alone`);
    const left = audited(alone);
    await isRead(alone);
    left.abort();
    expect(await left.ended).toBe('ended');
    await until(async () => !held.has(alone));
    // Whoever asks now has it read anew, rather than what is at its end.
    const again = audited(alone);
    await isRead(alone);
    held.get(alone)!.end('<title>Held</title>');
    expect(await again.ended).toBe(true);

    const shared = pageOf(`${name} shared`);
    const mine = audited(shared);
    await isRead(shared);
    const theirs = audited(shared, other);
    // Once the next call is answered, theirs has come as well.
    await other.callTool('get_audit_pricing');
    mine.abort();
    expect(await mine.ended).toBe('ended');
    await client.callTool('get_audit_pricing');
    held.get(shared)!.end('<title>Held</title>');
    expect(await theirs.ended).toBe(true);
    await Promise.all([client.close(), other.close()]);
  });

  test('is told how a wait goes on, until what was waited for is there', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const client = await connect(url, wallet);
    const told: { progress: number; total?: number | undefined }[] = [];
    const read = client.callTool(
      'read_room_messages',
      { project_id, wait: 25 },
      {
        onprogress: (one) => {
          // It waits by now.
          if (told.push(one) === 1) void tools.call(wallet, 'send_room_message', { project_id, body: 'here' });
        },
      },
    );
    expect((await read).structuredContent.messages).toMatchObject([{ body_snippet: 'here' }]);
    expect(told[0]).toMatchObject({ total: 25, message: expect.stringMatching(/^Waiting for /) });
    await client.close();
  });

  test('is told of the steps of what knows its steps', async () => {
    const { wallet, orgId: org_id } = await service.owner();
    const client = await connect(url, wallet);
    const told: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
    const onprogress = (one: (typeof told)[number]) => void told.push(one);
    await client.callTool('provision_postgres_project', { org_id }, { onprogress });
    expect(told.map(({ message }) => message!.replace(/, for .*/, '.'))).toEqual(
      expect.arrayContaining(['Begun.', 'Recorded; being brought about.', 'Brought about; being settled.']),
    );
    expect(told.find(({ message }) => message!.startsWith('Brought about'))).toMatchObject({ progress: 2, total: 3 });
    told.length = 0;
    await client.callTool('audit_site', { url: auditedSite + pageOf(name) }, { onprogress });
    const words = told.map(({ message }) => message!.replace(/,? for .*|\.$/, ''));
    for (const word of [
      'Waiting',
      'Connected to the site',
      'Read the page',
      'Read robots.txt',
      'Judging what was read',
    ])
      expect(words).toContain(word);
    const grown = told.map(({ progress }) => progress);
    expect(grown).toEqual([...new Set(grown)].sort((a, b) => a - b));
    expect(told.at(-1)!.progress).toBeLessThan(told.at(-1)!.total!);
    await client.close();
  });

  test('is told of what takes long without having said so', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const client = await connect(url, wallet);
    const told: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void told.push(progress);
    await client.callTool('run_sql', { project_id, sql: 'select pg_sleep(5)' }, { onprogress });
    expect(told.length).toBeGreaterThan(0);
    expect(told).toEqual([...new Set(told)].sort((a, b) => a - b));
    await client.close();
  });
});

describe('a read that can wait', () => {
  const reads = [
    {
      what: 'an event',
      tool: 'list_project_events',
      change: ['emit_event', { event_type: 'order_paid' }],
      told: { events: [{ event_type: 'order_paid' }] },
    },
    {
      what: 'an event of the organization',
      tool: 'list_org_events',
      change: ['emit_event', { event_type: 'order_paid' }],
      told: { events: [{ event_type: 'order_paid' }] },
    },
    {
      what: 'a claim',
      tool: 'list_room_claims',
      change: ['claim_room_resource', { resource: 'deploy' }],
      told: { claims: [{ resource: 'deploy' }] },
    },
    {
      what: 'somebody to come',
      tool: 'list_room_presences',
      change: ['join_room', { requested_name: 'Ada' }],
      told: { presences: [{ name: 'Ada' }] },
    },
    {
      what: 'an acknowledgement',
      tool: 'get_escalation',
      change: ['ack_escalation', {}],
      told: { status: 'acknowledged' },
    },
  ] as const;

  test.each(reads)('is answered by $tool once $what is there', async ({ tool, change: [name, args], told }) => {
    const { wallet, orgId: org_id, projectId: project_id, serviceKey } = await service.project();
    // Applications tell of their events with the key of their project.
    const changer = name === 'emit_event' ? service.actors.bearer(serviceKey) : wallet;
    const raised = await tools.call(wallet, 'raise_escalation', { project_id, reason: 'who looks?' });
    const { escalation_id } = raised.structuredContent;
    const { cursor } = (await tools.call(wallet, 'list_project_events', { project_id })).structuredContent;
    const ofOrg = (await tools.call(wallet, 'list_org_events', { org_id })).structuredContent;
    const about = {
      list_project_events: { project_id, cursor },
      list_org_events: { org_id, cursor: ofOrg.cursor },
      list_room_claims: { project_id },
      list_room_presences: { project_id },
      get_escalation: { org_id, escalation_id },
    }[tool];
    const changed = { ...args, ...(name === 'ack_escalation' ? { org_id, escalation_id } : { project_id }) };
    const client = await overHttp[0]![1](url, wallet);
    const heard: { total?: number | undefined }[] = [];
    const answer = await client.callTool(
      tool,
      { ...about, wait: 25 },
      {
        // By the second word it waits.
        onprogress: (one) => void (heard.push(one) === 2 && tools.call(changer, name, changed)),
      },
    );
    expect(answer).not.toHaveProperty('isError');
    expect(answer.structuredContent).toMatchObject(told);
    expect(heard[0]).toMatchObject({ total: 25 });
    await client.close();
  });

  test('says so when nothing came, and takes seconds alone', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const { cursor } = (await tools.call(wallet, 'list_project_events', { project_id })).structuredContent;
    const silence = await tools.call(wallet, 'list_project_events', { project_id, cursor, wait: 1 });
    expect(silence.structuredContent).toMatchObject({ events: [], cursor });
    for (const tool of ['list_project_events', 'list_room_claims', 'get_escalation'])
      expect([tool, await tools.call(wallet, tool, { project_id, wait: 'soon' })]).toMatchObject([
        tool,
        { isError: true, structuredContent: { code: 'VALIDATION_FAILED', details: { field: 'wait' } } },
      ]);
    const stranger = service.actors.wallet();
    expect(await tools.call(stranger, 'list_room_claims', { project_id, wait: 25 })).toMatchObject({
      isError: true,
      structuredContent: { code: 'NOT_AUTHORIZED' },
    });
  });
});

test('nobody else ends a call, though they know its number', async () => {
  const { wallet, projectId } = await service.project();
  const args = { project_id: projectId, sql: 'create table notes (body text)' };
  await tools.call(wallet, 'run_sql', args);
  const sessions: string[] = [];
  for (const _one of [1, 2]) {
    const opened = await tools.rpc(wallet, 'initialize', { protocolVersion: '2025-11-25' });
    sessions.push(opened.headers.get('mcp-session-id')!);
  }
  const [mine, other] = sessions as [string, string];
  expect(mine).not.toBe(other);
  const call = service.call(wallet, 'POST', '/mcp', {
    headers: { 'mcp-session-id': mine },
    body: {
      jsonrpc: '2.0',
      id: 'the one',
      method: 'tools/call',
      params: { name: 'run_sql', arguments: { ...args, sql: longChange('of one') } },
    },
  });
  await until(() => isAtWork('of one'));
  const cancel = (session: string | undefined, requestId: unknown) =>
    service.call(service.actors.nobody, 'POST', '/mcp', {
      headers: session === undefined ? {} : { 'mcp-session-id': session },
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
    });
  for (const [session, id] of [
    [other, 'the one'],
    [undefined, 'the one'],
    [mine, 'another'],
    [mine, undefined],
  ] as const)
    expect((await cancel(session, id)).status).toBe(202);
  expect(await isAtWork('of one')).toBe(true);
  await cancel(mine, 'the one');
  // Who cancels waits for no answer, and gets none.
  const { status, text } = await call;
  expect([status, text]).toEqual([202, '']);
  await gone('of one');
});

test('what is under way in a session ends with it, and nothing else does', async () => {
  const { wallet, projectId } = await service.project();
  const begin = async (word: string) => {
    const opened = await tools.rpc(wallet, 'initialize', { protocolVersion: '2025-11-25' });
    const session = opened.headers.get('mcp-session-id')!;
    const sql = `select pg_sleep(600), '${word}'`;
    const params = { name: 'run_sql', arguments: { project_id: projectId, sql } };
    const answer = service.call(wallet, 'POST', '/mcp', {
      headers: { 'mcp-session-id': session },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    });
    await until(() => isAtWork(word));
    return { session, answer };
  };
  const end = (session: string) =>
    service.call(service.actors.nobody, 'DELETE', '/mcp', { headers: { 'mcp-session-id': session } });
  const staying = await begin('of the one that stays');
  const going = await begin('of the one that goes');
  expect((await end(crypto.randomUUID())).status).toBe(204);
  expect((await end(going.session)).status).toBe(204);
  expect((await going.answer).status).toBe(202);
  await gone('of the one that goes');
  expect(await isAtWork('of the one that stays')).toBe(true);
  await end(staying.session);
  expect((await staying.answer).status).toBe(202);
  const nameless = await service.call<{ code: string }>(service.actors.nobody, 'DELETE', '/mcp');
  expect([nameless.status, nameless.body.code]).toEqual([400, 'VALIDATION_FAILED']);
});

test('whoever takes one JSON body alone is given one', async () => {
  const { wallet, projectId } = await service.project();
  const answer = await service.call<{ result: object }>(wallet, 'POST', '/mcp', {
    headers: { accept: 'application/json' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'read_room_messages',
        arguments: { project_id: projectId, wait: 1 },
        _meta: { progressToken: 1 },
      },
    },
  });
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(answer.body.result).toMatchObject({ structuredContent: { messages: [] } });
});
