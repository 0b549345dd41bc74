import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import { admin, type GatewayProcess } from '../helpers/gateway-process.ts';
import { until } from '../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const world = await startFaultyWorld();
const roots = await mkdtemp(join(tmpdir(), 'job-roots-'));
await symlink('/', join(roots, 'machine'));
afterAll(async () => {
  await world.stop();
  await rm(roots, { recursive: true });
});

const start = () => world.start({ SVC_JOB_ROOTS: roots });
let gateway: GatewayProcess = await start();
const { wallet, orgId } = await world.owner(gateway);
await gateway.call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: 5_000_000 } });
const { body: project } = await gateway.call<Any>(gateway.as(wallet), 'POST', '/projects/v1', {
  body: { org_id: orgId },
});
const key = { headers: async () => ({ authorization: `Bearer ${project.service_key}` }) };
const ask = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  gateway.call<Any>(key, method, path, { ...(body === undefined ? {} : { body }), headers });
const submit = (job_type: string, input_json: object, name: string) =>
  ask(
    'POST',
    '/jobs/v1/runs',
    { job_type, input: { input_json }, max_cost_usd_micros: 100_000 },
    { 'idempotency-key': name },
  );
const becomes = (id: string, status: string) =>
  until(async () => {
    const { body } = await ask('GET', `/jobs/v1/runs/${id}`);
    if (body.status !== status) throw new Error(JSON.stringify(body));
    return body;
  });
const held = async () => {
  const [row] = await world.sql<{ held: string; available: string }>(
    'select held_usd_micros as held, available_usd_micros as available from org_balances where org_id = $1',
    [orgId],
  );
  return { held: Number(row!.held), available: Number(row!.available) };
};

test('a job whose gateway is killed is begun again by the next one, and charged once', async () => {
  const before = await held();
  const { body } = await submit('sleep', { seconds: 3 }, 'killed');
  await becomes(body.job_id, 'running');
  await gateway.kill();
  gateway = await start();
  const job = await becomes(body.job_id, 'completed');
  expect(job.metadata).toMatchObject({ attempt_count: 2, interrupt_count: 1 });
  const after = await held();
  expect(after).toEqual({ held: 0, available: before.available - job.metadata.cost_usd_micros });
  const entries = await world.sql(
    `select kind from ledger_entries where reference_type = 'job' and reference_id = $1 order by seq`,
    [body.job_id],
  );
  expect(entries).toEqual([{ kind: 'hold' }, { kind: 'job' }, { kind: 'release' }]);
});

test('gateways that are killed at any moment lose no job, and hold nothing for ever', async () => {
  const before = await held();
  const ids: string[] = [];
  for (let round = 0; round < 4; round++) {
    for (const number of [1, 2, 3])
      ids.push((await submit('sleep', { seconds: 0.1 }, `round ${round} ${number}`)).body.job_id);
    await gateway.kill();
    gateway = await start();
  }
  let cost = 0;
  for (const id of ids) {
    const job = await until(async () => {
      const { body } = await ask('GET', `/jobs/v1/runs/${id}`);
      if (body.completed_at === undefined) throw new Error(body.status);
      return body;
    });
    // Whoever is killed three times with one job in hand gives it up, and takes nothing.
    expect(['completed', 'failed']).toContain(job.status);
    if (job.status === 'failed') expect(job.error.code).toBe('JOB_NODE_LOST');
    cost += job.metadata.cost_usd_micros;
  }
  expect(await held()).toEqual({ held: 0, available: before.available - cost });
});

/** Command lines of all processes of this machine. */
async function processes(): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
}

test('a command whose gateway is killed ends with it, with all that it has started, and is run again by the next one', async () => {
  const script = 'echo begun; [ "$JOB_ATTEMPT" = 1 ] || exec cat > /out/given.json; sleep 6003 & sleep 6003';
  const registered = await gateway.call<Any>(admin, 'POST', '/jobs/v1/admin/types', {
    body: {
      job_type: 'waits',
      description: 'Waits, or gives back what it was given.',
      command: ['/bin/sh', '-c', script],
      root: 'machine',
      max_seconds: 60,
      repeatable: true,
    },
  });
  expect(registered.status, registered.text).toBe(201);
  const { body } = await submit('waits', { number: 7 }, 'command');
  await until(async () => {
    const { text } = await ask('GET', `/jobs/v1/runs/${body.job_id}/logs`);
    expect(text).toContain('begun');
  });
  const folder = join(world.dataDir, 'commands');
  const [left] = await readdir(folder);
  await gateway.kill();
  await until(async () => expect((await processes()).filter((line) => line.includes('6003'))).toEqual([]));
  gateway = await start();
  const job = await becomes(body.job_id, 'completed');
  expect(job.metadata).toMatchObject({ attempt_count: 2, interrupt_count: 1 });
  const made = await ask('GET', `/jobs/v1/runs/${body.job_id}/artifacts/given.json`);
  expect(made.text).toBe('{"number":7}');
  expect(await readdir(folder)).not.toContain(left);
});
