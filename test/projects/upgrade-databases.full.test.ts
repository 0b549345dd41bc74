import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { templateVersion } from '../../db/project-template.ts';
import { upgradeDatabasesTask } from '../../resolvers/projects/upgrade-databases.ts';
import { makeOlder } from '../helpers/older-database.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());
const { control } = service;

interface Place {
  readonly databaseName: string;
  readonly roleName: string;
}

async function projectOf(version?: number): Promise<Place> {
  const { projectId } = await service.project();
  const [row] = await control.sql<{ database_name: string; role_name: string }>(
    'select database_name, role_name from projects where id = $1',
    [projectId],
  );
  const place = { databaseName: row!.database_name, roleName: row!.role_name };
  if (version !== undefined) await makeOlder(control.serverUrl, place, version);
  return place;
}

async function enter({ databaseName }: Place): Promise<pg.Client> {
  const url = new URL(control.serverUrl);
  url.pathname = `/${databaseName}`;
  const client = new pg.Client({ connectionString: url.href });
  // The database is dropped under it at the end of the file.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function versionOf(place: Place): Promise<number> {
  const client = await enter(place);
  const { rows } = await client.query('select version from _svc.schema_version');
  await client.end();
  return rows[0].version;
}

const known = async ({ databaseName }: Place) =>
  (
    await control.sql<{ version: number }>(
      'select template_version as version from projects where database_name = $1',
      [databaseName],
    )
  )[0]?.version;

const sweep = () => control.sql('select graphile_worker.add_job($1, job_key => $1)', [upgradeDatabasesTask]);
const swept = (places: readonly Place[]) =>
  expect.poll(async () => Promise.all(places.map(known))).toEqual(places.map(() => templateVersion));

test('databases that nobody opens are brought from any version to the newest, more than one run takes', async () => {
  const places: Place[] = [];
  for (let index = 0; index < 13; index++) places.push(await projectOf(1 + (index % (templateVersion - 1))));
  await Promise.all([sweep(), sweep(), sweep()]);
  await swept(places);
  expect(await Promise.all(places.map(versionOf))).toEqual(places.map(() => templateVersion));
});

test('one that cannot be brought there holds up no others, and is tried again when it was left for a while', async () => {
  const [gone, old] = [await projectOf(), await projectOf(1)];
  await control.sql(`alter database "${gone.databaseName}" rename to "${gone.databaseName}_away"`);
  await sweep();
  await swept([old]);
  await expect
    .poll(() => service.logged().filter(({ database }) => database === gone.databaseName).length)
    .toBeGreaterThan(0);
  expect(await known(gone)).toBe(0);
  await control.sql(`alter database "${gone.databaseName}_away" rename to "${gone.databaseName}"`);
  // A node that was killed in the middle leaves the same behind.
  await control.sql("update projects set template_tried_at = now() - interval '11 minutes' where template_version = 0");
  await sweep();
  await swept([gone]);
});

test('while one waits, projects are made and others are opened', async () => {
  const [slow, old] = [await projectOf(2), await projectOf(2)];
  const holder = await enter(slow);
  await holder.query('begin; lock table _svc.schema_version');
  await sweep();
  await expect
    .poll(async () => {
      const found = await control.sql(
        "select 1 from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'",
        [slow.databaseName],
      );
      return found.length;
    })
    .toBe(1);
  const made = await Promise.all(Array.from({ length: 4 }, () => projectOf()));
  expect(await Promise.all(made.map(versionOf))).toEqual(made.map(() => templateVersion));
  const pools = service.app.services.projectPools;
  const statement = { name: undefined, text: 'select version from _svc.schema_version', values: [] };
  expect(await pools.run({ server: 'main', ...old }, [statement])).toEqual([[[String(templateVersion)]]]);
  await holder.query('rollback');
  await holder.end();
  await swept([slow]);
});
