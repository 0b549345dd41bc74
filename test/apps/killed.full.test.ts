import { afterAll, expect, test } from 'vitest';
import { siteOf } from '../deploys/deploying.ts';
import { startKillable } from '../deploys/killable.ts';
import { until } from '../helpers/until.ts';
import type { Any } from './stage.ts';

const world = await startKillable();
afterAll(() => world.stop());
const { mine, projectId } = world;
const page = '<h1>The shop</h1>';

/** Statements of the control database before whose commit the gateway is killed. */
const moments = {
  'a version is published': /update "app_versions"\s+set [^;]*"status" = 'published'/,
  'a fork is opened': /update "app_forks"\s+set [^;]*"status" = 'ready'/,
} as const;

let gateway = world.first;

/** Has the gateway killed before a commit, and another one go on. */
async function killedWhen(moment: RegExp, method: string, path: string, body: object): Promise<void> {
  const frozen = world.proxy.freezeCommit(moment);
  const asked = world.once(method, path, body).catch(() => undefined);
  await frozen.answered;
  await world.kill(gateway);
  frozen.thaw();
  await asked;
  gateway = await world.start();
  await world.sql('update app_versions set due_at = now() where due_at is not null');
  await world.sql('update app_forks set due_at = now() where due_at is not null');
}

test('whoever dies in the middle of a publication or a fork, it is done once', async () => {
  const deployed = await mine.deploy(
    {
      database: { migrations: [{ id: '001', sql: 'create table notes (id int primary key)' }] },
      ...siteOf({ 'index.html': page }),
    },
    [page],
  );
  expect(deployed).toMatchObject({ status: 'ready' });
  const versions = `/projects/v1/admin/${projectId}`;
  await killedWhen(moments['a version is published'], 'POST', `${versions}/publish`, { fork_allowed: true });
  const version = await until(async () => {
    const { body } = await mine.call('GET', `${versions}/versions`);
    expect(body.versions).toMatchObject([
      { status: 'published', version: 1, contents: { tables: expect.arrayContaining(['notes']) } },
    ]);
    return body.versions[0];
  });
  const { body: own } = await mine.call('GET', `/projects/v1/${projectId}`);
  const asked = { version_id: version.id, name: 'A fork', org_id: own.org_id };
  await killedWhen(moments['a fork is opened'], 'POST', '/fork/v1', asked);
  const [fork] = await world.sql<{ id: string }>('select id from app_forks');
  await until(async () => {
    const { body } = await mine.call('GET', `/fork/v1/${fork!.id}`);
    expect(body).toMatchObject({ status: 'ready', error: null });
  });
  const { body: listed } = await mine.call('GET', `/projects/v1?org_id=${own.org_id}`);
  expect(listed.projects.filter(({ name }: Any) => name === 'A fork')).toMatchObject([{ id: fork!.id }]);
  const releases = await world.sql<{ n: number }>('select count(*)::int as n from releases where project_id = $1', [
    fork!.id,
  ]);
  expect(releases).toEqual([{ n: 1 }]);
});
