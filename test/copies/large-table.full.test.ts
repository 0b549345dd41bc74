import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { killGateways, temporaryFolder } from '../helpers/gateway-process.ts';
import { query, runProgram, sql, startWorld, withServer } from './stage.ts';

const home = await temporaryFolder();
afterAll(async () => {
  await killGateways();
  await home.remove();
});
const [source, target, backups] = ['svc', 'restored', 'backups'].map((name) => join(home.path, name)) as [
  string,
  string,
  string,
];

const contents = (dataDir: string) =>
  withServer(dataDir, async (url) => {
    const found: unknown[] = [];
    for (const { name } of await query<{ name: string }>(
      url,
      'postgres',
      "select datname as name from pg_database where datname ~ '^p_' order by 1",
    ))
      found.push(
        ...(await query(
          url,
          name,
          'select count(*)::int as rows, sum(hashtextextended(t, 0))::text as hash from (select t::text from large t) t',
        )),
      );
    return found;
  });

test('a table that is stored in several parts comes back, and the bar never goes back on the way', async () => {
  await mkdir(source);
  const world = await startWorld(source);
  // A row of nearly a whole part, so that parts end in the midst of what the server sends, and within a long line.
  await sql(
    world,
    `create table large (n int primary key, t text);
     insert into large select n, repeat(n::text || ' ', 2000) from generate_series(1, 9000) n;
     insert into large values (0, repeat('y', 60000000)), (-1, repeat('z', 60000000))`,
  );
  const second = await world.gateway.call<{ project_id: string }>(
    world.gateway.as(world.wallet),
    'POST',
    '/projects/v1',
    { body: { org_id: world.orgId } },
  );
  await sql(
    { ...world, projectId: second.body.project_id },
    `create table large as select n, repeat(n::text || ' ', 3000) as t from generate_series(1, 2000) n`,
  );
  const saved = await runProgram('backup', [backups], { dataDir: source });
  expect([saved.stderr, saved.code]).toEqual(['', 0]);
  await world.gateway.stop();

  const restored = await runProgram('restore', [backups], { dataDir: target });
  expect([restored.stderr, restored.code]).toEqual(['', 0]);
  const before = await contents(source);
  expect(before).toContainEqual({ rows: 9002, hash: expect.any(String) });
  expect(await contents(target)).toEqual(before);
  expect((await readdir(join(backups, 'objects'), { recursive: true })).length).toBeGreaterThan(4);

  for (const { lines } of [saved, restored]) {
    const told = lines.flatMap(({ progress }) => (typeof progress === 'number' ? [progress] : []));
    expect(told).toEqual(told.toSorted((one, other) => one - other));
    expect(told.at(-1)).toBeGreaterThan(0.3);
  }
});
