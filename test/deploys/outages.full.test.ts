import { afterAll, expect, test } from 'vitest';
import { until } from '../helpers/until.ts';
import { asking } from '../hosting/site.ts';
import { siteOf } from './deploying.ts';
import { settlesOfDeploy, startKillable } from './killable.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const world = await startKillable();
afterAll(() => world.stop());
const { mine, proxy } = world;

const unavailable = {
  code: 'UPSTREAM_UNAVAILABLE',
  retryable: true,
  safe_to_retry: true,
  retry_after: 1,
  mutation_state: 'none',
};

/** Moments of a deploy at which Postgres goes away, and takes what was on its way with it. */
const moments: Readonly<Record<string, () => Promise<unknown>>> = {
  'while its migration waits for a lock': async () => {
    const release = await world.holdLedger();
    await world.blocked(/insert into ledger/);
    proxy.cut();
    await release();
  },
  'while its migration is committed': () => proxy.freezeCommit(/insert into _svc\.migrations/).answered,
  ...Object.fromEntries(
    Array.from({ length: settlesOfDeploy }, (_none, at) => [
      `as it writes for the ${at + 1}. time where it stands`,
      () => world.afterSettles(at + 1),
    ]),
  ),
};

test.each(Object.entries(moments).map(([moment, reach], at) => ({ moment, reach, number: at + 1 })))(
  'a deploy goes on where it was when Postgres goes away $moment, and runs its migration once',
  async ({ reach, number }) => {
    const text = `release ${number}`;
    await mine.upload(text);
    const planned = await mine.plan({
      database: { migrations: [world.entry(number)] },
      ...siteOf({ 'index.html': text }),
    });
    const { operation_id: id, plan_id: planId } = planned.body;
    const reached = reach();
    await mine.commit(planId);
    await reached;
    proxy.cut();
    try {
      for (const [method, path, body] of [
        ['GET', `/apply/v1/operations/${id}`],
        ['GET', `/apply/v1/operations/${id}/events`],
        ['POST', `/apply/v1/operations/${id}/resume`, {}],
        ['POST', `/apply/v1/plans/${planId}/commit`, {}],
        ['POST', '/apply/v1/plans', { spec: { project_id: world.projectId, ...siteOf({ 'a.txt': text }) } }],
      ] as const) {
        const answer = await world.once(method, path, body);
        expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '1']);
        expect(answer.body).toMatchObject(unavailable);
      }
    } finally {
      proxy.mend();
    }
    const done = until(async () => {
      await world.hurry();
      const { body } = await mine.read(`/apply/v1/operations/${id}`);
      expect(body).toMatchObject({ status: 'ready', error: null });
    });
    await done;
    expect(await world.ledger()).toEqual(Array.from({ length: number }, (_none, one) => one + 1));
    const { events } = (await mine.read(`/apply/v1/operations/${id}/events`)).body as Any;
    expect(events.filter(({ type }: Any) => type === 'ready')).toHaveLength(1);
    const answer = await asking({ url: world.address }, world.host)('/');
    expect([answer.status, answer.text, answer.headers['x-svc-release-generation']]).toEqual([
      200,
      text,
      String(number + 1),
    ]);
    expect(await world.sql('select 1 from live_releases where gated_by is not null')).toEqual([]);
  },
);
