import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { nextRung } from '../../resolvers/escalations/ladder.ts';
import { sweepEscalations } from '../../resolvers/escalations/sweep.ts';
import { jobContext } from '../../server/workers.ts';
import { moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { escalationsOf } from './own-org.ts';

// No worker of the service's own: each sweep here is one that the test makes, by itself or against others.
const service = await startService({ jobs: false });
afterAll(() => service.stop());
const { answer, call, contact, get, lapse, pages, raise } = escalationsOf(service);
const { control } = service;

/** Has a node look at what is due, as its worker does. */
const sweep = (services = service.app.services) => {
  const ctx = jobContext(services, new AbortController().signal);
  return sweepEscalations({ ctx } as Parameters<typeof sweepEscalations>[0], {});
};
const due = async (id: string) => {
  const [row] = await control.sql<{ due_at: Date | null; in_seconds: number }>(
    'select due_at, extract(epoch from due_at - now())::float8 as in_seconds from escalations where id = $1',
    [id],
  );
  return row!;
};
const wavesOf = async (id: string) => (await pages(id)).map(({ wave, level, email }) => `${wave} ${level} ${email}`);
async function step(id: string) {
  await lapse(id);
  await sweep();
}

test('a page climbs over levels that nobody staffs, repeats the top three times, and then rests open for ever', async () => {
  const { wallet, orgId } = await service.owner();
  for (const [email, level] of [
    ['low@example.com', 2],
    ['mid@example.com', 5],
    ['top@example.com', 9],
    ['two@example.com', 9],
  ] as const)
    await contact(wallet, orgId, { email, level });
  const id = (await raise(wallet, orgId, { severity: 'high' })).body.escalation_id;
  for (let lapsed = 0; lapsed < 5; lapsed++) {
    expect((await due(id)).in_seconds).toBeLessThanOrEqual(1_800);
    await step(id);
  }
  const top = (await get(wallet, orgId, id)).body;
  expect(top).toMatchObject({ status: 'open', level: 9, repage_count: 3, acknowledged: null });
  expect(top.climbs).toEqual([
    { from_level: 2, to_level: 5, at: moment, reason: 'deadline_lapsed' },
    { from_level: 5, to_level: 9, at: moment, reason: 'deadline_lapsed' },
  ]);
  await step(id);
  expect((await due(id)).due_at).toBeNull();
  await step(id);
  expect((await get(wallet, orgId, id)).body).toStrictEqual(top);
  expect(await wavesOf(id)).toEqual([
    '1 2 low@example.com',
    '2 5 mid@example.com',
    ...[3, 4, 5, 6].flatMap((wave) => [`${wave} 9 top@example.com`, `${wave} 9 two@example.com`]),
  ]);
  // Rests, and can be answered.
  expect((await answer(wallet, orgId, id, 'ack')).body.changed).toBe(true);
});

test('nothing is due before its deadline, and what is answered is due no more', async () => {
  const { wallet, orgId } = await service.owner();
  await contact(wallet, orgId, { email: 'low@example.com' });
  await contact(wallet, orgId, { email: 'top@example.com', level: 2 });
  const [early, acked, resolved] = [
    await raise(wallet, orgId),
    await raise(wallet, orgId),
    await raise(wallet, orgId),
  ].map(({ body }) => body.escalation_id);
  await lapse(acked);
  await lapse(resolved);
  await answer(wallet, orgId, acked, 'ack');
  await answer(wallet, orgId, resolved, 'resolve');
  await sweep();
  for (const id of [early, acked, resolved]) expect(await wavesOf(id)).toEqual(['1 1 low@example.com']);
});

test('contacts that change meanwhile count from the next page on', async () => {
  const { wallet, orgId } = await service.owner();
  const gone = (await contact(wallet, orgId, { email: 'gone@example.com', level: 3 })).body.contact_id;
  await contact(wallet, orgId, { email: 'low@example.com' });
  const id = (await raise(wallet, orgId)).body.escalation_id;
  await call(wallet, 'DELETE', `/orgs/v1/${orgId}/escalation-contacts/${gone}`);
  await contact(wallet, orgId, { email: 'new@example.com', level: 2 });
  await contact(wallet, orgId, { email: 'late@example.com' });
  await step(id);
  await step(id);
  expect(await wavesOf(id)).toEqual(['1 1 low@example.com', '2 2 new@example.com', '3 2 new@example.com']);
});

test('the first contact of an organization that had none is paged for all that is open, and at once', async () => {
  const { wallet, orgId } = await service.owner();
  const ids = [await raise(wallet, orgId), await raise(wallet, orgId), await raise(wallet, orgId)].map(
    ({ body }) => body.escalation_id as string,
  );
  await answer(wallet, orgId, ids[2]!, 'resolve');
  await lapse(ids[0]!);
  await sweep();
  expect(await wavesOf(ids[0]!)).toEqual([]);
  await contact(wallet, orgId, { email: 'first@example.com', level: 4 });
  await sweep();
  for (const id of ids.slice(0, 2)) {
    expect(await wavesOf(id)).toEqual(['1 4 first@example.com']);
    expect((await get(wallet, orgId, id)).body).toMatchObject({ level: 4, climbs: [], repage_count: 0 });
    expect((await due(id)).in_seconds).toBeGreaterThan(7_100);
  }
  expect(await wavesOf(ids[2]!)).toEqual([]);
});

test('when the last contact goes, an escalation waits for the next one instead of using up its pages', async () => {
  const { wallet, orgId } = await service.owner();
  const only = (await contact(wallet, orgId, { email: 'only@example.com', level: 3 })).body.contact_id;
  const id = (await raise(wallet, orgId)).body.escalation_id;
  await call(wallet, 'DELETE', `/orgs/v1/${orgId}/escalation-contacts/${only}`);
  for (let turn = 0; turn < 5; turn++) await step(id);
  expect((await get(wallet, orgId, id)).body).toMatchObject({ status: 'open', repage_count: 0 });
  await contact(wallet, orgId, { email: 'next@example.com', level: 1 });
  await sweep();
  expect(await wavesOf(id)).toEqual(['1 3 only@example.com', '2 1 next@example.com']);
});

test('a contact that is added while others raise is paged for each of them once', async () => {
  const { wallet, orgId } = await service.owner();
  const [raised] = await Promise.all([
    Promise.all(Array.from({ length: 4 }, () => raise(wallet, orgId))),
    contact(wallet, orgId, { email: 'racing@example.com' }),
  ]);
  await sweep();
  for (const { body } of raised) expect(await wavesOf(body.escalation_id)).toEqual(['1 1 racing@example.com']);
});

test('twenty that look at once, on two nodes with clocks a day apart, page each contact once', async () => {
  const { wallet, orgId } = await service.owner();
  await contact(wallet, orgId, { email: 'low@example.com' });
  await contact(wallet, orgId, { email: 'top@example.com', level: 2 });
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push((await raise(wallet, orgId)).body.escalation_id);
  const [early, lapsed] = [ids.slice(0, 1), ids.slice(1)];
  const { services } = service.app;
  const ahead = { ...services, now: () => new Date(Date.now() + 86_400_000) };
  const behind = { ...services, now: () => new Date(Date.now() - 86_400_000) };
  await Promise.all(lapsed.map(lapse));
  await Promise.all(Array.from({ length: 20 }, (_, n) => sweep([services, ahead, behind][n % 3]!)));
  for (const id of lapsed) expect(await wavesOf(id)).toEqual(['1 1 low@example.com', '2 2 top@example.com']);
  for (const id of early) expect(await wavesOf(id)).toEqual(['1 1 low@example.com']);
  for (const id of lapsed) expect((await due(id)).in_seconds).toBeGreaterThan(7_100);
});

test('whoever acknowledges while a page climbs either stops it or comes after it, and then it climbs no more', async () => {
  const { wallet, orgId } = await service.owner();
  await contact(wallet, orgId, { email: 'low@example.com' });
  await contact(wallet, orgId, { email: 'top@example.com', level: 2 });
  for (let turn = 0; turn < 5; turn++) {
    const id = (await raise(wallet, orgId)).body.escalation_id;
    await lapse(id);
    const [acked] = await Promise.all([answer(wallet, orgId, id, 'ack'), sweep(), sweep()]);
    expect(acked.body.changed).toBe(true);
    const { climbs } = (await get(wallet, orgId, id)).body;
    expect(await wavesOf(id)).toHaveLength(1 + climbs.length);
    await sweep();
    expect((await due(id)).due_at).toBeNull();
    expect(await wavesOf(id)).toHaveLength(1 + climbs.length);
  }
});

test('one escalation that cannot be paged keeps no other from being paged', async () => {
  const { wallet, orgId } = await service.owner();
  await contact(wallet, orgId, { email: 'low@example.com' });
  const ids = [await raise(wallet, orgId), await raise(wallet, orgId)].map(({ body }) => body.escalation_id as string);
  await control.sql(
    `alter table escalation_pages add constraint none_of_this check (escalation_id <> '${ids[0]}' or wave = 1)`,
  );
  for (const id of ids) await lapse(id);
  await control.sql(`update escalations set due_at = due_at - interval '1 hour' where id = $1`, [ids[0]]);
  await expect(sweep()).rejects.toThrow();
  await control.sql('alter table escalation_pages drop constraint none_of_this');
  expect([(await wavesOf(ids[0]!)).length, (await wavesOf(ids[1]!)).length]).toEqual([1, 2]);
  await sweep();
  expect((await wavesOf(ids[0]!)).length).toBe(2);
});

test('each step stands in the trail, as done by the platform', async () => {
  const { wallet, orgId } = await service.owner();
  await contact(wallet, orgId, { email: 'low@example.com' });
  const id = (await raise(wallet, orgId)).body.escalation_id;
  await step(id);
  const trail = await control.sql(
    `select action, actor->'authority' as authority, details from audit_events where object_id = $1 order by seq`,
    [id],
  );
  expect(trail).toMatchObject([
    { action: 'escalation.raised' },
    {
      action: 'escalation.paged',
      authority: { kind: 'system', reason_code: 'deadline_lapsed' },
      details: { step: 'repeat', level: 1, wave: 2 },
    },
  ]);
});

test('the ladder never goes down by itself, skips no staffed level, and ends', () => {
  const levels = fc
    .uniqueArray(fc.integer({ min: 1, max: 10 }), { maxLength: 10 })
    .map((all) => all.sort((a, b) => a - b));
  fc.assert(
    fc.property(levels, fc.integer({ min: 1, max: 10 }), (staffed, start) => {
      let state = { level: staffed.find((one) => one >= start) ?? start, repageCount: 0, awaitsContact: false };
      const seen: number[] = [];
      for (let turn = 0; ; turn++) {
        expect(turn).toBeLessThan(20);
        const rung = nextRung(state, staffed);
        if (rung.kind === 'rest' || rung.kind === 'wait') break;
        if (rung.kind === 'climb') {
          expect(staffed.filter((one) => one > state.level && one < rung.level)).toEqual([]);
          expect(rung.level).toBeGreaterThan(state.level);
        } else expect(rung.level).toBe(staffed.at(-1));
        seen.push(rung.level);
        state = { ...state, level: rung.level, repageCount: state.repageCount + (rung.kind === 'repeat' ? 1 : 0) };
      }
      expect(state.repageCount).toBe(staffed.length === 0 ? 0 : 3);
    }),
  );
});

test('a worker pages by itself what has become due', async () => {
  const working = await startService();
  try {
    const own = escalationsOf(working);
    const { wallet, orgId } = await working.owner();
    await own.contact(wallet, orgId, { email: 'low@example.com' });
    const id = (await own.raise(wallet, orgId)).body.escalation_id;
    await own.lapse(id);
    await until(async () => expect(await own.pages(id)).toHaveLength(2));
    // The next one is laid down for its own deadline, by the database's clock.
    const jobs = await working.control.sql(
      `select j.run_at = e.due_at as at_deadline from graphile_worker.jobs j join escalations e on j.key = 'escalation:' || e.id
       where e.id = $1`,
      [id],
    );
    expect(jobs).toEqual([{ at_deadline: true }]);
  } finally {
    await working.stop();
  }
});
