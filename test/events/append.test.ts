import { afterAll, expect, test } from 'vitest';
import { eventTypes, keptDays } from '../../kernel/feeds/event-types.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { feedsOf, tell, typesOf } from './feed.ts';

const service = await sharedService();
afterAll(() => service.stop());
const feed = feedsOf(service);

const twenty = (run: (n: number) => Promise<unknown>) => Promise.all(Array.from({ length: 20 }, (_, n) => run(n)));

test('twenty who tell the same fact at once tell it once, in a log that nobody wrote to before', async () => {
  const { notifyOrg, readOrg } = await feed();
  await twenty(() => notifyOrg('past_due', 'lease:1'));
  expect(typesOf(await readOrg())).toEqual(['organization_past_due']);
});

test('and in one that others write to meanwhile: positions stay dense, and no fact is missing', async () => {
  const { notifyOrg, notifyProject, emit, readOrg, orgId } = await feed();
  await emit('before_it');
  await twenty(async (n) => {
    await Promise.all([
      notifyOrg('past_due', 'lease:1'),
      notifyProject(`rel_${n}`, `release:${n % 10}`),
      emit(`app_${n}`),
    ]);
  });
  const types = typesOf(await readOrg('?limit=200'));
  const count = (type: RegExp) => types.filter((one: string) => type.test(one)).length;
  expect([count(/^organization_past_due$/), count(/^deploy_activated$/), count(/^app_/)]).toEqual([1, 10, 20]);
  const positions = await service.control.sql<{ position: string }>(
    'select position::int as position from events where org_id = $1 order by position',
    [orgId],
  );
  expect(positions.map(({ position }) => position)).toEqual(Array.from({ length: 32 }, (_, n) => n + 1));
});

test('a fact that was told is told no more, also much later', async () => {
  const { notifyOrg, readOrg, emit } = await feed();
  await notifyOrg('past_due', 'lease:1');
  await emit('between');
  await notifyOrg('past_due', 'lease:1');
  await notifyOrg('past_due', 'lease:2');
  expect(typesOf(await readOrg())).toEqual(['organization_past_due', 'between', 'organization_past_due']);
});

test('what the catalogue does not know is not told: a payload, or an event of another level', async () => {
  const { orgId, projectId, readOrg } = await feed();
  const payload = { release_id: 'rel_1', operation_id: 'op_1' };
  const wrong = { release_id: 7 } as unknown as typeof payload;
  await expect(tell(service, { orgId, projectId, type: 'deploy_activated', payload: wrong })).rejects.toThrow();
  await expect(tell(service, { orgId, projectId: null, type: 'deploy_activated', payload })).rejects.toThrow('level');
  expect((await readOrg()).body.events).toEqual([]);
});

test('every type has a name that applications could use, and days to be kept for', () => {
  for (const [type, { class: eventClass }] of eventTypes) {
    expect(type).toMatch(/^[a-z][a-z0-9_]{2,63}$/);
    expect([90, 365]).toContain(keptDays[eventClass]);
  }
  const long = Object.entries(keptDays).filter(([, days]) => days === 365);
  expect(long.map(([name]) => name)).toEqual(['security', 'recovery', 'billing_critical']);
});
