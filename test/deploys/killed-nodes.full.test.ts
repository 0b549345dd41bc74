import { afterAll, expect, test } from 'vitest';
import { until } from '../helpers/until.ts';
import { refOf, siteOf } from './deploying.ts';
import { startKillable } from './killable.ts';

// The node that applies a deploy is killed while another one has been running: no start frees anything, the lease does.

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const world = await startKillable({ nodes: 'several' });
afterAll(() => world.stop());
const { mine } = world;
let worker = world.first;

/** Keeps a deploy in a phase, whichever node has it. */
const phases: Readonly<Record<string, { readonly hold: () => Promise<() => Promise<void>>; readonly waits: RegExp }>> =
  {
    stages: { hold: () => world.hold('lock table releases in exclusive mode'), waits: /insert into "releases"/ },
    'closes the gate': {
      hold: () => world.hold('lock table live_releases in exclusive mode'),
      waits: /insert into "live_releases"/,
    },
    migrates: { hold: () => world.holdLedger(), waits: /insert into ledger/ },
    activates: {
      hold: () => world.hold('lock table subdomains in exclusive mode'),
      waits: /update "subdomains"/,
    },
  };

test.each(Object.entries(phases).map(([phase, held], at) => ({ phase, held, number: at + 1 })))(
  'a deploy whose node is killed while it $phase is brought to its end by another node, once',
  async ({ held, number }) => {
    const release = await held.hold();
    const text = `release ${number}`;
    await mine.upload(text);
    const planned = await mine.plan({
      database: { migrations: [world.entry(number)] },
      ...siteOf({ 'index.html': text }),
    });
    const id = planned.body.operation_id;
    expect((await mine.commit(planned.body.plan_id)).body).toMatchObject({ operation_id: id, status: 'running' });
    await world.blocked(held.waits);
    // The other one takes jobs from now on.
    const other = await world.start();
    await world.kill(worker);
    worker = other;
    await release();
    await world.hurry();
    expect(await mine.ended(id)).toMatchObject({ status: 'ready', error: null });
    expect(await world.ledger()).toEqual(Array.from({ length: number }, (_none, one) => one + 1));
    const { events } = (await mine.read(`/apply/v1/operations/${id}/events`)).body as Any;
    expect(events.filter(({ type }: Any) => type === 'ready')).toHaveLength(1);
    expect(await world.sql('select attempt from deploy_operations where id = $1', [id])).toEqual([{ attempt: 2 }]);
    const { body } = await mine.read('/apply/v1/releases/active');
    expect(body.site.paths).toMatchObject([{ path: 'index.html', content_sha256: refOf(text).sha256 }]);
  },
);

test('a migration outside of a transaction whose node is killed is never begun again by itself, and waits for repair', async () => {
  const before = await world.ledger();
  const release = await world.holdLedger();
  await mine.upload('half done');
  const slices = (id: string, number: number) => ({
    database: { migrations: [{ ...world.entry(number, { transaction: 'none' }), id }] },
    ...siteOf({ 'index.html': 'half done' }),
  });
  const planned = await mine.plan(slices('alone', 100));
  const id = planned.body.operation_id;
  await mine.commit(planned.body.plan_id);
  await world.blocked(/insert into ledger/);
  const other = await world.start();
  await world.kill(worker);
  worker = other;
  await release();
  await world.hurry();
  expect(await mine.ended(id)).toMatchObject({
    status: 'needs_repair',
    error: { code: 'MIGRATION_FAILED', phase: 'migrate', mutation_state: 'partial', safe_to_retry: false },
  });
  // What the connection had sent may have been carried out; nothing was sent again.
  const after = await world.ledger();
  expect([before, [...before, 100]]).toContainEqual(after);
  // The project’s data is open, and its next deploy goes through.
  expect(await world.sql('select 1 from live_releases where gated_by is not null')).toEqual([]);
  const next = await mine.deploy(slices('another', 101));
  expect(next.status).toBe('ready');
  await until(async () => expect(await world.ledger()).toEqual([...after, 101]));
});
