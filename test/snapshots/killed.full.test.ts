import { afterAll, expect, test } from 'vitest';
import { startKillable } from '../deploys/killable.ts';
import { until } from '../helpers/until.ts';

const world = await startKillable();
afterAll(() => world.stop());
const { mine, projectId } = world;
const path = `/projects/v1/${projectId}/snapshots`;

/** Statements of the control database before whose commit the gateway is killed, by where the restore then stands. */
const moments = {
  saving: /update "project_restores"\s+set "phase"/,
  loading: /update "project_restores"\s+set "phase"/,
  carried: /update _svc\.ddl_version/,
  exchanged: /update "project_restores"\s+set "status" = 'ready'/,
} as const;

const read = async (id: string) => (await mine.call('GET', `${path}/${id}`)).body;
const databases = async () => {
  const [row] = await world.sql<{ database_name: string }>('select database_name from projects where id = $1', [
    projectId,
  ]);
  const { rows } = await world.postgres.admin.query<{ datname: string }>(
    'select datname from pg_database where datname like $1 order by 1',
    [`%${row!.database_name}`],
  );
  return rows.map(({ datname }) => datname.replace(row!.database_name, 'own'));
};
const due = (table: string) => world.sql(`update ${table} set due_at = now() where due_at is not null`);

let gateway = world.first;

test('a snapshot whose node is killed is taken by the next one', async () => {
  const frozen = world.proxy.freezeCommit(/"manifest_sha256" = \$/);
  const { snapshot_id: id } = (await mine.call('POST', path, {})).body;
  await frozen.answered;
  await world.kill(gateway);
  frozen.thaw();
  gateway = await world.start();
  await due('project_snapshots');
  await until(async () => expect(await read(id)).toMatchObject({ status: 'ready' }));
});

test.each(Object.keys(moments) as (keyof typeof moments)[])('a restore is killed when it is %s', async (moment) => {
  await mine.call('POST', `/projects/v1/admin/${projectId}/sql`, {
    sql: 'truncate ledger; insert into ledger values (1)',
  });
  const { snapshot_id: id } = (await mine.call('POST', path, {})).body;
  await until(async () => expect(await read(id)).toMatchObject({ status: 'ready' }));
  await mine.call('POST', `/projects/v1/admin/${projectId}/sql`, { sql: 'insert into ledger values (2)' });
  const plan = (await mine.call('POST', `${path}/${id}/restore`, {})).body.restore_plan;
  let frozen = world.proxy.freezeCommit(moments[moment]);
  const asked = world.once('POST', `${path}/${id}/restore`, { confirm: plan.confirm.token }).catch(() => undefined);
  await frozen.answered;
  if (moment === 'loading') {
    const next = world.proxy.freezeCommit(moments[moment]);
    frozen.thaw();
    await next.answered;
    frozen = next;
  }
  await world.kill(gateway);
  frozen.thaw();
  await asked;
  gateway = await world.start();
  await due('project_restores');
  await until(async () =>
    expect((await mine.call('POST', `${path}/${id}/restore`, { confirm: plan.confirm.token })).body).toMatchObject({
      status: 'ready',
    }),
  );
  await until(async () => expect(await databases()).toEqual(['own']));
  const { rows } = (await mine.call('POST', `/projects/v1/admin/${projectId}/sql`, { sql: 'select entry from ledger' }))
    .body;
  expect(rows).toEqual([{ entry: 1 }]);
});
