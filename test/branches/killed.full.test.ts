import { afterAll, expect, test } from 'vitest';
import { startKillable } from '../deploys/killable.ts';
import { until } from '../helpers/until.ts';

const world = await startKillable();
afterAll(() => world.stop());
const { mine, projectId } = world;
const path = `/projects/v1/${projectId}/branches`;

/** Statements of the control database before whose commit the gateway is killed. */
const moments = {
  'its snapshot was taken': /"manifest_sha256" = \$/,
  'it was filled and is opened': /update "project_branches"\s+set [^;]*"status" = 'active'/,
} as const;

const databases = async (id: string) => {
  const [row] = await world.sql<{ database_name: string }>('select database_name from projects where id = $1', [id]);
  const { rows } = await world.postgres.admin.query<{ datname: string }>(
    'select datname from pg_database where datname like $1 order by 1',
    [`%${row!.database_name}`],
  );
  return rows.map(({ datname }) => datname.replace(row!.database_name, 'own'));
};

let gateway = world.first;

test.each(Object.keys(moments) as (keyof typeof moments)[])('a node is killed when %s of a branch', async (moment) => {
  const frozen = world.proxy.freezeCommit(moments[moment]);
  const asked = world.once('POST', path, {}).catch(() => undefined);
  await frozen.answered;
  await world.kill(gateway);
  frozen.thaw();
  await asked;
  gateway = await world.start();
  await world.sql('update project_branches set due_at = now() where due_at is not null');
  const one = await until(async () => {
    const { branches } = (await mine.call('GET', path)).body;
    expect(branches).toMatchObject([{ status: 'active' }]);
    return branches[0];
  });
  expect(await databases(one.branch_project_id)).toEqual(['own']);
  expect((await mine.call('DELETE', `${path}/${one.branch_project_id}`)).status).toBe(200);
  expect(await databases(one.branch_project_id)).toEqual([]);
});
