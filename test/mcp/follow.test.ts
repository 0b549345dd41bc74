import { afterAll, describe, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { overHttp } from './clients.ts';
import { platformTools } from './mcp-stage.ts';

const service = await startService();
afterAll(() => service.stop());
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
const until = (is: () => Promise<boolean>) => expect.poll(is, { timeout: 60_000, interval: 50 }).toBe(true);
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
