import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { rowsProject } from './rows-project.ts';

const service = await sharedService();
const project = await rowsProject(
  service,
  `create function fail(state text, message text default 'as told', detail text default 'more', advice text default 'try')
   returns void language plpgsql as $$ begin
     raise exception using errcode = state, message = message, detail = detail, hint = advice; end $$;
   create function fail_bare(message text) returns void language plpgsql as $$ begin
     raise sqlstate 'PGRST' using message = message; end $$;
   grant execute on all functions in schema public to anon;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const fail = (body: Record<string, string>) => project.admin<Record<string, unknown>>('POST', 'rpc/fail', { body });

test.each([
  ['23503', 409],
  ['23505', 409],
  ['23502', 400],
  ['23514', 400],
  ['22P02', 400],
  ['42501', 403],
  ['42883', 404],
  ['42P01', 404],
  ['42703', 400],
  ['25006', 405],
  ['53100', 503],
  ['P0001', 400],
  ['P0002', 500],
  ['40001', 500],
  ['55P03', 500],
  ['57014', 500],
  ['58030', 500],
  ['XX000', 500],
  ['28000', 403],
  ['0L000', 403],
  ['PT402', 402],
  ['PT499', 499],
  ['PT999', 500],
  ['ZZ999', 400],
])('SQLSTATE %s is %i, with the words of the database', async (state, status) => {
  const answer = await fail({ state });
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({ code: state, message: 'as told', details: 'more', hint: 'try' });
});

test('a denial is 401 for who is not signed in', async () => {
  const answer = await project.open('POST', 'rpc/fail', { body: { state: '42501' } });
  expect(answer).toMatchObject({ status: 401, body: { code: '42501' } });
});

test('a function can decide its whole refusal, but for headers of the platform', async () => {
  const answer = await fail({
    state: 'PGRST',
    message: JSON.stringify({ code: 'MINE', message: 'No.', details: 'why', hint: 'how' }),
    detail: JSON.stringify({ status: 451, headers: { 'X-Law': 'yes', 'Set-Cookie': 'a=b' } }),
  });
  expect([answer.status, answer.body]).toEqual([451, { code: 'MINE', message: 'No.', details: 'why', hint: 'how' }]);
  expect([answer.headers.get('x-law'), answer.headers.get('set-cookie')]).toEqual(['yes', null]);
});

test.each([
  ['a message that is no JSON', { message: 'oops', detail: '{"status":400,"headers":{}}' }],
  ['a message without a code', { message: '{"message":"x"}', detail: '{"status":400,"headers":{}}' }],
  ['a detail that is no JSON', { message: '{"code":"A","message":"x"}', detail: 'oops' }],
  ['a status that is none', { message: '{"code":"A","message":"x"}', detail: '{"status":9000,"headers":{}}' }],
])('a refusal decided by %s is PGRST121', async (_case, parts) => {
  expect(await fail({ state: 'PGRST', ...parts })).toMatchObject({ status: 500, body: { code: 'PGRST121' } });
});

test('a refusal that a function decides is read before it is cut', async () => {
  const long = 'x'.repeat(20_000);
  const cut = `${long.slice(0, 16_384)}…`;
  const raise = (details: unknown) =>
    fail({
      state: 'PGRST',
      message: JSON.stringify({ code: 'MINE', message: long, details, hint: long }),
      detail: JSON.stringify({ status: 451, headers: { 'X-Law': 'yes' }, note: long }),
    });
  const answer = await raise(long);
  expect([answer.status, answer.body]).toEqual([451, { code: 'MINE', message: cut, details: cut, hint: cut }]);
  expect(answer.headers.get('x-law')).toBe('yes');
  expect((await raise({ why: 'short' })).body).toMatchObject({ details: { why: 'short' } });
  expect((await raise({ why: long })).body).toMatchObject({
    details: `${JSON.stringify({ why: long }).slice(0, 16_384)}…`,
  });
  // What is no JSON is quoted, and what is quoted is cut.
  expect((await fail({ state: 'PGRST', message: long, detail: '{}' })).body).toMatchObject({
    code: 'PGRST121',
    details: `Invalid JSON value for MESSAGE: '${cut}'`,
  });
});

test('a refusal without a detail is PGRST121', async () => {
  const body = { message: '{"code":"A","message":"x"}' };
  expect(await project.admin('POST', 'rpc/fail_bare', { body })).toMatchObject({
    status: 500,
    body: { code: 'PGRST121', details: 'DETAIL is missing in the RAISE statement' },
  });
});

test('a NUL character is refused before it reaches the database', async () => {
  for (const path of ['a%00b', 'pg?a%00b=eq.1', 'pg?a=eq.%00', 'pg?select=a%00b']) {
    expect((await project.admin('GET', path)).status).toBeGreaterThanOrEqual(400);
  }
});
