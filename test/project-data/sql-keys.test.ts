import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { dataProject } from './data-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
const { sql, base, key } = project;

const send = (idempotencyKey: string, text: string) =>
  service.call<Record<string, unknown>>(key, 'POST', `${base}/sql`, {
    body: { sql: text },
    headers: { 'idempotency-key': idempotencyKey },
  });

/** As if the gateway had been killed after the project's commit: its outcome was not written on the platform's side. */
const forgetOutcome = (idempotencyKey: string) =>
  service.control.sql(
    `update idempotency_keys set outcome = null, lease_until = now() - interval '1 second' where key = '${idempotencyKey}'`,
  );

test('a run that is done is answered from its project, with the types it had then', async () => {
  await sql("create type mood as enum ('sad', 'glad'); create table moods (id int)");
  const text =
    "insert into moods values (1) returning 'glad'::mood as mood, array['sad']::mood[] as moods, true as yes";
  const first = await send('kept', text);
  expect(first).toMatchObject({ status: 200, body: { rows: [{ mood: 'glad', moods: ['sad'], yes: true }] } });
  await forgetOutcome('kept');
  await sql('alter type mood rename to temper');
  expect((await send('kept', text)).body).toEqual(first.body);
  expect(await sql('select * from moods')).toEqual([{ id: 1 }]);
});

test('of an answer that is too long to be kept, a repetition is told that it is done, and nothing is done again', async () => {
  await sql('create table sized (id int)');
  const text = "insert into sized values (1) returning repeat('x', 300000) as long";
  expect((await send('long', text)).status).toBe(200);
  await forgetOutcome('long');
  for (const _again of [1, 2]) {
    const { status, body } = await send('long', text);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'RESULT_TOO_LARGE',
      mutation_state: 'committed',
      safe_to_retry: false,
      details: { reason: 'outcome_not_kept' },
    });
  }
  expect(await sql('select * from sized')).toEqual([{ id: 1 }]);
});

test('SQL that makes its transaction one that only reads can have a key', async () => {
  await sql('create table then_read (id int)');
  for (const [name, text] of [
    ['reads', 'set transaction read only; select 1 as one'],
    ['then-reads', 'insert into then_read values (1); set local transaction_read_only to on; select 1 as one'],
  ] as const) {
    const first = await send(name, text);
    expect(first).toMatchObject({ status: 200, body: { rows: [{ one: 1 }] } });
    expect((await send(name, text)).body).toEqual(first.body);
  }
  expect(await sql('select * from then_read')).toEqual([{ id: 1 }]);
  expectRefusal(await send('refused', 'set transaction read only; insert into then_read values (2)'), 'SQL_ERROR', {
    sqlstate: '25006',
  });
});

test('types of the tenant’s own making are named also where its SQL hides the catalog', async () => {
  const { body } = await send(
    'hidden',
    `create type colour as enum ('red');
     create function same(oid, oid) returns boolean language sql as 'select false';
     create operator public.= (leftarg = oid, rightarg = oid, function = same);
     create table public.pg_type (oid oid, typname name);
     select set_config('search_path', 'public, pg_catalog', true);
     select 'red'::colour as colour, 1 as one`,
  );
  expect(body.fields).toEqual([
    { name: 'colour', type: 'colour' },
    { name: 'one', type: 'int4' },
  ]);
});
