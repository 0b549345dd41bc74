import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { persist, startFaultyWorld } from '../helpers/faulty-world.ts';
import type { GatewayProcess } from '../helpers/gateway-process.ts';

const world = await startFaultyWorld();
afterAll(() => world.stop());

/** A project with a table, and a way into its database past everything. */
async function project(gateway: GatewayProcess) {
  const { wallet, orgId } = await world.owner(gateway);
  const made = await gateway.call<Record<string, string>>(gateway.as(wallet), 'POST', '/projects/v1', {
    body: { org_id: orgId },
  });
  const { project_id: id, service_key: key } = made.body;
  const [row] = await world.sql<{ database_name: string }>('select database_name from projects where id = $1', [id]);
  const url = new URL(world.proxy.url);
  url.pathname = `/${row!.database_name}`;
  const inside = new pg.Client({ connectionString: url.href });
  await inside.connect();
  await inside.query('create table public.runs (id int); alter table public.runs owner to service_role');
  const send = (to: GatewayProcess, idempotencyKey: string, sql: string) =>
    to.call<{ rows: unknown[]; code?: string }>(
      { headers: async () => ({ authorization: `Bearer ${key}` }) },
      'POST',
      `/projects/v1/admin/${id}/sql`,
      { body: { sql }, headers: { 'idempotency-key': idempotencyKey } },
    );
  const change = (to: GatewayProcess, idempotencyKey: string) =>
    to.call({ headers: async () => ({ apikey: key! }) }, 'POST', '/admin/v1/rest/runs', {
      body: { id: 1 },
      headers: { 'idempotency-key': idempotencyKey, prefer: 'return=representation' },
    });
  const count = async () => Number((await inside.query('select count(*) from public.runs')).rows[0].count);
  return { inside, send, change, count };
}

/** Until something is so. */
async function until(so: () => Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, 5));
}

const insert = "insert into runs values (1) returning id, 'ẞ' as text, 9007199254740993 as large";

test('a run whose gateway is killed between its commit and the platform’s row is answered, not run again', async () => {
  const first = await world.start();
  const { inside, send, count } = await project(first);
  await inside.query('begin; lock table public.runs');
  const lost = send(first, 'commit-lost', insert).catch((error: unknown) => error);
  await world.blocked(/insert into runs/);
  const letGo = await world.hold("select 1 from idempotency_keys where key = 'commit-lost' for update");
  await inside.query('commit');
  // The project's change is committed, and its outcome waits to be written.
  await world.blocked(/set "outcome"/);
  expect(await count()).toBe(1);
  await first.kill();
  expect(await lost).toBeInstanceOf(Error);
  await letGo();
  const second = await world.start();
  const again = await persist(() => send(second, 'commit-lost', insert));
  expect(again).toMatchObject({ status: 200, body: { rows: [{ id: 1, text: 'ẞ', large: '9007199254740993' }] } });
  expect((await send(second, 'commit-lost', insert)).body).toEqual(again.body);
  expect(await count()).toBe(1);
  await inside.end();
  await second.stop();
});

test('a run whose gateway is killed before its commit is run again, once', async () => {
  const first = await world.start();
  const { inside, send, count } = await project(first);
  await inside.query('begin; lock table public.runs');
  const lost = send(first, 'never-committed', insert).catch((error: unknown) => error);
  await world.blocked(/insert into runs/);
  await first.kill();
  expect(await lost).toBeInstanceOf(Error);
  const second = await world.start();
  // The statement of the killed gateway waits still, and holds its id: whoever comes next waits for its end.
  const again = persist(() => send(second, 'never-committed', insert));
  await world.blocked(/begin_run/);
  await inside.query('commit');
  expect((await again).status).toBe(200);
  await until(async () => (await count()) > 0);
  expect(await count()).toBe(1);
  await inside.end();
  await second.stop();
});

test('a change of rows whose gateway is killed before its commit is made once when it is sent again', async () => {
  const first = await world.start();
  const { inside, change, count } = await project(first);
  await inside.query('begin; lock table public.runs');
  const lost = change(first, 'rows-killed').catch((error: unknown) => error);
  await world.blocked(/insert into "?public"?."?runs/i);
  await first.kill();
  expect(await lost).toBeInstanceOf(Error);
  const second = await world.start();
  const again = persist(() => change(second, 'rows-killed'));
  await world.blocked(/begin_run/);
  await inside.query('commit');
  const made = await again;
  expect(made).toMatchObject({ status: 201, body: [{ id: 1 }] });
  expect((await change(second, 'rows-killed')).body).toEqual(made.body);
  expect(await count()).toBe(1);
  await inside.end();
  await second.stop();
});
