import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { prefer, rowsProject } from './rows-project.ts';

/*
 * Rows are kept small by the statements that ask for them. What a tenant's function says beside them is as long as it
 * likes: it is cut, refused by name, and never held in memory.
 */

const service = await startService();
const project = await rowsProject(
  service,
  `create function shout(length int) returns int language plpgsql as
     $$ begin raise exception '%', repeat('x', length) using detail = repeat('d', length), hint = repeat('h', length); end $$;
   create function shout_quietly(length int) returns int language plpgsql stable as
     $$ begin raise exception '%', repeat('x', length); end $$;
   create function mutter(times int) returns int language plpgsql as
     $$ begin for n in 1..times loop raise notice '%', repeat('x', 100000); end loop; return 1; end $$;
   create function dictate(length int) returns int language plpgsql as $$ begin
     perform set_config('response.headers', '[{"X-Said": "' || repeat('x', length) || '"}]', true); return 1; end $$;
   create table named (name text primary key);`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});
const { admin } = project;
const graph = (query: string) =>
  service.call<{ errors: readonly { message: string; extensions: Record<string, unknown> }[] }>(
    project.service,
    'POST',
    `/projects/v1/${project.projectId}/graphql`,
    { body: { query } },
  );
const cut = { x: `${'x'.repeat(16_384)}…`, d: `${'d'.repeat(16_384)}…`, h: `${'h'.repeat(16_384)}…` };

test('long words of an error are cut, at every door', async () => {
  expect(await admin('POST', 'rpc/shout', { body: { length: 100_000 } })).toMatchObject({
    status: 400,
    body: { code: 'P0001', message: cut.x, details: cut.d, hint: cut.h },
  });
  const { errors } = (await graph('mutation { shout(args: { length: 100000 }) }')).body;
  expect(errors[0]).toMatchObject({ message: cut.x, extensions: { sqlstate: 'P0001', hint: cut.h } });
  const said = await service.call(project.service, 'POST', `/projects/v1/admin/${project.projectId}/sql`, {
    body: { sql: 'select shout(100000)' },
  });
  expectRefusal(said, 'SQL_ERROR', { sqlstate: 'P0001', message: cut.x, detail: cut.d, hint: cut.h });
});

// Each is more than a connection may be told until it is ready again.
test.each([
  ['an error', 'shout(args: { length: 20000000 })', 'rpc/shout', { length: 20_000_000 }],
  ['notices', 'mutter(args: { times: 1000 })', 'rpc/mutter', { times: 1_000 }],
])('%s without end is refused by name, and the next request is served', async (_case, field, path, body) => {
  const refusal = await admin('POST', path, { body });
  expect(refusal).toMatchObject({
    status: 400,
    body: { code: 'RESULT_TOO_LARGE', mutation_state: 'unknown', safe_to_retry: false },
  });
  const { errors } = (await graph(`mutation { ${field} }`)).body;
  expect(errors[0]!.extensions).toMatchObject({ code: 'RESULT_TOO_LARGE', mutation_state: 'unknown' });
  expect(await admin('GET', 'named')).toMatchObject({ status: 200, body: [] });
});

test('a read that fails at such length is refused as any that is too large', async () => {
  expect(await admin('GET', 'rpc/shout_quietly?length=60000000')).toMatchObject({
    status: 413,
    body: { code: '54000' },
  });
});

test('headers that no client would read are refused', async () => {
  expect(await admin('POST', 'rpc/dictate', { body: { length: 8_000 } })).toMatchObject({ status: 200, body: 1 });
  expect(await admin('POST', 'rpc/dictate', { body: { length: 100_000 } })).toMatchObject({
    status: 500,
    body: { code: 'PGRST111' },
  });
});

test('a row whose key would make such a header is made, and not told where', async () => {
  const long = await admin('POST', 'named', { body: { name: 'n'.repeat(10) }, ...prefer('return=headers-only') });
  expect(long.headers.get('location')).toBe('/admin/v1/rest/named?name=eq.nnnnnnnnnn');
  const unsaid = await admin('POST', 'named', {
    // Short enough for an index, since it compresses well.
    body: { name: 'ü'.repeat(20_000) },
    ...prefer('return=headers-only'),
  });
  expect(unsaid.status).toBe(201);
  expect(unsaid.headers.get('location')).toBeNull();
});
