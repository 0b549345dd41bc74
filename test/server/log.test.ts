import pg from 'pg';
import { expect, test } from 'vitest';
import { createLog } from '../../server/log.ts';

function record(level: 'info' | 'trace' = 'trace') {
  const lines: string[] = [];
  const log = createLog({ level, destination: { write: (line) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> };
}

test('a record is one line of JSON with its level and time', () => {
  const { log, lines, last } = record();
  log.info({ traceId: 'abc' }, 'two\nlines');
  expect(lines).toHaveLength(1);
  expect(lines[0]!.trimEnd()).not.toContain('\n');
  expect(last()).toMatchObject({ level: 'info', traceId: 'abc', msg: 'two\nlines' });
  expect(Number.isNaN(Date.parse(last().time as string))).toBe(false);
});

test('records below the level are left out', () => {
  const { log, lines } = record('info');
  log.debug('no');
  log.info('yes');
  expect(lines).toHaveLength(1);
});

test.each([
  'authorization',
  'Authorization',
  'sign-in-with-x',
  'SIGN-IN-WITH-X',
  'apikey',
  'x-svc-write-auth',
  'x-admin-key',
  'cookie',
  'set-cookie',
  'password',
  'databasePassword',
  'token',
  'access_token',
  'secret',
  'clientSecret',
  'SVC_SECRET_KEY',
  'SVC_SECRET_KEY_PREVIOUS',
  'DATABASE_URL',
  'connectionString',
])('the value of %s is never written, at any depth', (name) => {
  const { log, lines, last } = record();
  log.info({ [name]: 'hunter2' });
  log.info({ req: { headers: { [name]: 'hunter2', accept: '*/*' } } });
  log.info({ list: [{ deep: { deeper: { [name]: ['hunter2'] } } }] });
  expect(lines.join('')).not.toContain('hunter2');
  expect(lines.join('')).toContain('"accept":"*/*"');
  expect(last()).toMatchObject({ list: [{ deep: { deeper: { [name]: '[redacted]' } } }] });
});

test('a child logger does not write the secrets it is bound to', () => {
  const { log, lines } = record();
  log.child({ token: 'hunter2', url: 'nats://user:hunter2@host' }).info('hello');
  expect(lines.join('')).not.toContain('hunter2');
});

test('passwords of URLs are masked wherever they stand', () => {
  const { log, lines } = record();
  const url = 'postgres://svc:hunter2@db.internal:5432/svc';
  log.info(`connecting to ${url}`);
  log.info({ target: url, parsed: new URL(url) });
  log.error(new Error(`cannot reach ${url}`));
  log.error({ err: new Error('outer', { cause: new Error(url) }) });
  log.error({ err: new AggregateError([new Error(url)], 'all failed') });
  expect(lines.join('')).not.toContain('hunter2');
  expect(lines.join('')).toContain('postgres://svc:[redacted]@db.internal:5432/svc');
});

test('an error of Postgres is written without the values it was about', () => {
  const { log, lines, last } = record();
  const duplicate = Object.assign(
    new pg.DatabaseError('duplicate key value violates unique constraint "people_uq"', 1, 'error'),
    {
      code: '23505',
      detail: 'Key (email)=(hunter2) already exists.',
      where: 'COPY people, line 1: "hunter2"',
      internalQuery: "select 'hunter2'",
      constraint: 'people_uq',
      parameters: ['hunter2'],
    },
  );
  log.error({ err: duplicate }, 'failed');
  expect(last().err).toMatchObject({
    code: '23505',
    constraint: 'people_uq',
    message: expect.stringContaining('people_uq'),
  });
  log.error(
    Object.assign(new pg.DatabaseError('invalid input syntax for type uuid: "hun\nter2"', 1, 'error'), {
      code: '22P02',
    }),
  );
  expect(last().err).toMatchObject({ message: 'invalid input syntax for type uuid: "…"' });
  expect(lines.join('')).not.toMatch(/hunter2|ter2/);
});

test('an error of drizzle is written without the parameters of its statement', () => {
  const { log, lines, last } = record();
  log.error({ err: new Error('Failed query: select $1\nparams: hunter2,"hun\nter2') }, 'failed');
  log.error(new Error('Failed query: select $1\nparams: hunter2'));
  expect(lines.join('')).not.toMatch(/hunter2|ter2/);
  expect((last().err as { message: string; stack: string }).stack).toMatch(/^at /);
});

test('values that JSON cannot hold do not lose the record', () => {
  const { log, last } = record();
  const loop: Record<string, unknown> = { size: 10n, bytes: Buffer.from('abc') };
  loop.self = loop;
  log.info(loop, 'odd');
  expect(last()).toMatchObject({ msg: 'odd', size: '10', bytes: '[3 bytes]' });
});
