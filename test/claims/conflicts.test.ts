import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { claimRoomsOf } from './claim-room.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = claimRoomsOf(service);
type Room = Awaited<ReturnType<typeof newRoom>>;

const against = (answer: { body: { conflicts: { holder: string }[] } }) =>
  answer.body.conflicts.map(({ holder }) => holder);

/** Claims one thing as Ada and another as Bob: whether Bob is told of Ada. */
async function isPublished({ claim }: Room, ada: [string, string], bob: [string, string]): Promise<boolean> {
  expect((await claim(ada[0], { mode: ada[1], requested_name: 'Ada' })).status).toBe(201);
  const told = await claim(bob[0], { mode: bob[1], requested_name: 'Bob' });
  expect(told.status).toBe(201);
  expect(against(told).length).toBeLessThan(2);
  return against(told)[0] === 'Ada';
}

test.each([
  ['exclusive', 'exclusive', true],
  ['exclusive', 'shared', true],
  ['shared', 'exclusive', true],
  ['shared', 'shared', false],
])('%s and then %s: in the way %s', async (first, second, expected) => {
  expect(await isPublished(await newRoom(), ['deploy', first], ['deploy', second])).toBe(expected);
});

test.each([
  ['deploy', 'deploy', true],
  ['function:a', 'function:a', true],
  ['function:a', 'table:a', false],
  ['function:a', 'function:A', false],
  ['function:a*', 'function:ab', false],
  ['table:orders', 'table:orders ', true],
  ['anything at all', 'anything at all', true],
  ['caf\u00e9', 'cafe\u0301', true],
  ['deploy', 'dеploy', false],
  ['repo:deploy', 'deploy', false],
  ['Repo:src/**', 'Repo:src/a', false],
  ['repo:src/**', 'repo:src/auth/login.ts', true],
  ['repo:src/auth', 'repo:src/auth/**', true],
  ['repo:src/*.ts', 'repo:src/a.js', false],
  ['repo:**/*.{ts,tsx}', 'repo:packages/[a-f]*/index.tsx', true],
  ['repo:**/*.{ts,tsx}', 'repo:packages/[a-f]*/index.js', false],
  ['repo:.', 'repo:any/thing', true],
])('%s and %s: in the way %s', async (first, second, expected) => {
  expect(await isPublished(await newRoom(), [first, 'exclusive'], [second, 'exclusive'])).toBe(expected);
});

test('all that stand in the way are told, newest first, as the list shows them', async () => {
  const { claim, claims, wallet, member } = await newRoom();
  const holders = [wallet, await member()];
  for (let n = 0; n < 60; n++) await claim(`repo:src/${n}/**`, { requested_name: `Holder${n}` }, holders[n % 2]);
  const told = await claim('repo:src/**/*.ts', {}, await member());
  expect(against(told)).toEqual(Array.from({ length: 60 }, (_, n) => `Holder${59 - n}`));
  const listed = (await claims()).slice(1).map(({ released_at, ...one }) => one);
  expect(told.body.conflicts).toStrictEqual(listed);
});

test('nobody is in its own way', async () => {
  const { claim, join } = await newRoom();
  const presence_id = await join('Ada');
  await claim('deploy', { presence_id });
  expect(against(await claim('deploy', { presence_id }))).toEqual([]);
  // Another session of the same principal is somebody else.
  expect(against(await claim('deploy', { session_key: 'other' }))).toEqual(['Ada', 'Ada']);
});

test('what is claimed elsewhere is in nobody’s way', async () => {
  const { wallet, orgId, claim } = await newRoom();
  const body = { resource: 'deploy', mode: 'exclusive' };
  await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/other/claims`, { body });
  await (await newRoom()).claim('deploy');
  expect(against(await claim('deploy'))).toEqual([]);
});

test.each<[string, (room: Room, ids: { claimId: string; presenceId: string }) => Promise<unknown>]>([
  ['was released', ({ remove }, { claimId }) => remove(`/claims/${claimId}`)],
  ['has run out', ({ runOut }, { claimId }) => runOut(claimId)],
  ['is held by somebody who left', ({ remove }, { presenceId }) => remove(`/presences/${presenceId}`)],
  ['is held by somebody who fell silent', ({ expire }, { presenceId }) => expire(presenceId)],
])('what %s is in nobody’s way', async (_case, end) => {
  const room = await newRoom();
  const presenceId = await room.join('Ada');
  const { body } = await room.claim('deploy', { presence_id: presenceId });
  expect(against(await room.claim('deploy'))).toEqual(['Ada']);
  await end(room, { claimId: body.claim_id, presenceId });
  expect(against(await room.claim('deploy', { requested_name: 'Last' }))).not.toContain('Ada');
});

test('somebody who fell silent and comes back is in the way again', async () => {
  const room = await newRoom();
  const presenceId = await room.join('Ada');
  await room.claim('deploy', { presence_id: presenceId });
  await room.expire(presenceId);
  expect(against(await room.claim('deploy', { session_key: 'b' }))).toEqual([]);
  await room.join('Ada');
  expect(against(await room.claim('deploy', { session_key: 'c' }))).toContain('Ada');
});

test('of twenty who claim at once, of each two in each other’s way one is told of the other', async () => {
  const room = await newRoom();
  const patterns = ['repo:src/**', 'repo:src/a/*', 'repo:**/b.ts', 'repo:docs/*', 'repo:{src,docs}/a/b.ts'];
  const names = Array.from({ length: 20 }, (_, n) => `Racer${n}`);
  const ids = new Map<string, string>();
  for (const name of names) ids.set(name, await room.join(name));
  const made = await Promise.all(
    names.map((name, n) => room.claim(patterns[n % patterns.length]!, { presence_id: ids.get(name) })),
  );
  expect(made.map(({ status }) => status)).toEqual(names.map(() => 201));
  const told = new Map(made.map((answer) => [answer.body.holder as string, new Set(against(answer))]));
  // docs/* lies beside src, and is no deeper than it says: of the others it meets the one that names a file anywhere.
  const [docs, anywhere] = [3, 2];
  const meet = (left: number, right: number) =>
    left === right || ![left, right].includes(docs) || [left, right].includes(anywhere);
  let pairs = 0;
  for (const [left, one] of names.entries()) {
    for (const [right, other] of names.entries()) {
      if (left >= right) continue;
      const either = told.get(one)!.has(other) || told.get(other)!.has(one);
      const expected = meet(left % patterns.length, right % patterns.length);
      expect([one, other, either]).toEqual([one, other, expected]);
      if (expected) pairs++;
    }
  }
  expect(pairs).toBeGreaterThan(50);
});

test('patterns made to cost much are compared to the end, and told apart', async () => {
  const room = await newRoom();
  const long = (end: string) => `repo:{,*}${'a'.repeat(120)}${end}`;
  for (let n = 0; n < 20; n++) {
    await room.claim(long(String.fromCharCode(0x62 + n)), { session_key: 'hostile' });
  }
  expect(against(await room.claim(long('A'), { requested_name: 'Ada' }))).toEqual([]);
  expect(against(await room.claim(long('[AZ]')))).toEqual(['Ada']);
});
