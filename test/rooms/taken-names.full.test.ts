import { afterAll, expect, test } from 'vitest';
import { freeStatement } from '../../resolvers/rooms/free-name.ts';
import { startService } from '../helpers/service.ts';
import { roomsOf } from './room.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const newRoom = roomsOf(service);
type Room = Awaited<ReturnType<typeof newRoom>>;

/** Names that others have had in the room, long ago. */
const take = ({ orgId }: Room, names: readonly string[]) =>
  service.control.sql(
    `insert into room_presences (org_id, id, room_key, principal_id, name, last_active, expires_at)
     select $1, 'prs_' || n, 'standup', 'prn_gone', name, now() - interval '2 hours', now() - interval '1 hour'
     from unnest($2::text[]) with ordinality t (name, n)`,
    [orgId, names],
  );
const numbered = (name: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `${name}-${from + n}`);

const grantedTo = async ({ post }: Room, requested_name: string): Promise<string> =>
  (await post('/presences', { requested_name })).body.name;

test.each([1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100, 1_000])(
  'after a name and numbers up to %i, the next is given',
  async (last) => {
    const room = await newRoom();
    await take(room, ['Atlas', ...numbered('ATLAS', 2, last)]);
    expect([await grantedTo(room, 'atlas'), await grantedTo(room, 'Atlas')]).toEqual([
      `atlas-${last + 1}`,
      `Atlas-${last + 2}`,
    ]);
  },
);

test('numbers that were asked for by name are in nobody’s way', async () => {
  const room = await newRoom();
  await take(room, ['Atlas', 'Atlas-3', 'Atlas-4', 'Atlas-08', 'Atlas-x', 'Atlas-2-2', 'Atlas-99999999999999999999']);
  const names = [];
  for (let n = 0; n < 4; n++) names.push(await grantedTo(room, 'Atlas'));
  // Each is free, so each is given once.
  expect(new Set(names).size).toBe(4);
  expect(names[0]).toBe('Atlas-2');
  for (const name of names) expect(name).toMatch(/^Atlas-\d+$/);
});

test('after ten thousand of a name the next is found by looking up a few dozen', async () => {
  const room = await newRoom();
  await take(room, ['Atlas', ...numbered('Atlas', 2, 10_000)]);
  await service.control.sql('vacuum analyze room_presences');
  const { statement, values } = freeStatement.with({ orgId: room.orgId, roomKey: 'standup', name: 'Atlas' });
  const [explained] = await service.control.sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) ${statement.text}`,
    values,
  );
  const scans = scansOf(explained!['QUERY PLAN'][0].Plan);
  // Each look goes by the index, and finds one name or none.
  expect(new Set(scans.map((scan) => scan['Index Name']))).toEqual(new Set(['room_presences_name_uq']));
  expect(scans.reduce((sum, scan) => sum + scan['Actual Loops'], 0)).toBeLessThan(64);
  for (const scan of scans) expect(scan['Actual Rows']).toBeLessThanOrEqual(1);
  expect(await grantedTo(room, 'Atlas')).toBe('Atlas-10001');
});

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Loops': number;
  readonly 'Actual Rows': number;
  readonly Plans?: readonly PlanNode[];
}

const scansOf = (node: PlanNode): PlanNode[] => [
  ...(node['Relation Name'] === 'room_presences' ? [node] : []),
  ...(node.Plans ?? []).flatMap(scansOf),
];
