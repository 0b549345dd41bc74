import { afterAll, expect, test } from 'vitest';
import { ThreadEndedError, ThreadsBusyError } from '../../core/threads.ts';
import { createSqlReader, type SqlReader, type SqlReaderOptions } from '../../engines/reading/sql-reader.ts';
import { readScript } from '../../engines/sql/read-script.ts';

const opened: SqlReader[] = [];
const open = (options?: SqlReaderOptions) => {
  const reader = createSqlReader(options);
  opened.push(reader);
  return reader;
};
afterAll(() => Promise.all(opened.map((reader) => reader.close())));

const long = "insert into notes (title) values ('ẞ; one'); -- a comment\n".repeat(500);
const large = `insert into notes values ${Array.from({ length: 60_000 }, (_, n) => `(${n}, 'x${n}')`).join(', ')}`;

test('long text is read as short text is', async () => {
  const reader = open();
  expect(await reader.read('', 'readScript', long)).toEqual(readScript(long));
  const blocked = await reader.read('', 'readScript', `${long}; grant select on notes to anon`);
  expect(blocked.blocked?.construct).toBe('GRANT and REVOKE');
  await expect(reader.read('', 'readScript', `${long}; selekt 1`)).rejects.toMatchObject({
    name: 'SqlSyntaxError',
    message: 'syntax error at or near "selekt"',
    position: long.length + 3,
  });
  const manifest = { version: 1, tables: [{ name: 'notes', expose: false }] };
  const migration = `create table notes (title text); ${long}`;
  expect(await reader.read('', 'judgeManifest', manifest, {}, migration)).toEqual({ findings: [], asked: [] });
  expect((await reader.read('', 'judgeManifest', manifest, {}, long)).findings).toMatchObject([
    { type: 'missing-table' },
  ]);
  expect((await reader.read('', 'checkManifest', { ...manifest, tables: [], extra: long })).findings).toHaveLength(1);
});

test('while a megabyte is read, others have their turn', async () => {
  const reader = open();
  await reader.read('', 'readScript', long);
  let turns = 0;
  const others = setInterval(() => (turns += 1), 1);
  expect((await reader.read('', 'readScript', large)).statements).toHaveLength(1);
  clearInterval(others);
  expect(turns).toBeGreaterThan(10);
});

test.each([
  ['memory', { memoryMb: 16 }],
  ['time', { readMs: 5 }],
])('a reader that runs out of %s fails its own text alone', async (_what, options) => {
  const reader = open(options);
  const others = [
    reader.read('', 'readScript', 'select 1'),
    reader.read('', 'readScript', large),
    reader.read('', 'readScript', 'select 2'),
  ];
  const settled = await Promise.allSettled(others);
  expect(settled[1]).toMatchObject({ status: 'rejected', reason: expect.any(ThreadEndedError) });
  expect([settled[0], settled[2]]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
});

test('after a thread has ended, the next text has a new one', async () => {
  const reader = open({ memoryMb: 48 });
  const results = await Promise.allSettled([large, large, large].map((text) => reader.read('', 'readScript', text)));
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ThreadEndedError);
  expect((await reader.read('', 'readScript', long)).statements).toHaveLength(500);
});

test('text nested too deeply is refused, and the thread reads on', async () => {
  const reader = open();
  for (const text of [`select ${'('.repeat(200_000)}1${')'.repeat(200_000)}`, `select ${'1+'.repeat(200_000)}1`])
    await expect(reader.read('', 'readScript', text)).rejects.toThrow();
  expect((await reader.read('', 'readScript', long)).statements).toHaveLength(500);
});

test('one party’s texts take turns with those of others, and only a few of them may wait', async () => {
  const reader = open();
  const order: string[] = [];
  const read = (party: string) =>
    reader.read(party, 'readScript', large).then(
      () => order.push(party),
      (error: unknown) => error,
    );
  const floods = Array.from({ length: 12 }, () => read('flood'));
  // Asked in the same turn: how many of the flood are read meanwhile is no matter of the machine.
  const neighbour = read('neighbour');
  const refused = (await Promise.race(floods)) as unknown;
  expect(refused).toBeInstanceOf(ThreadsBusyError);
  await neighbour;
  // Two were being read, and one was next.
  expect(order.indexOf('neighbour')).toBeLessThanOrEqual(4);
  await reader.close();
  await Promise.all(floods);
});

test('more than may wait is refused at once, and so is all of it when the reader closes', async () => {
  const reader = open();
  const asked = Array.from({ length: 80 }, (_, at) =>
    reader.read(String(at), 'readScript', large).catch((error: unknown) => error),
  );
  const refused = await Promise.race(asked);
  expect(refused).toBeInstanceOf(ThreadsBusyError);
  await reader.close();
  const answers = await Promise.all(asked);
  for (const answer of answers)
    if (answer instanceof Error) expect([ThreadsBusyError, ThreadEndedError]).toContain(answer.constructor);
  await expect(reader.read('', 'readScript', long)).rejects.toBeInstanceOf(ThreadsBusyError);
});
