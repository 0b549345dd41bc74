import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { deploying, siteOf } from './deploying.ts';

const service = await sharedService();
afterAll(() => service.stop());
const home = await service.project();
const mine = deploying(service, home.wallet, home);
const { control } = service;

test('a site goes live, and goes back', async () => {
  const first = await mine.deploySite({ 'index.html': 'one', 'a.txt': 'a' });
  expect(first).toMatchObject({
    status: 'ready',
    kind: 'deploy',
    base_release_id: null,
    error: null,
    release_generation: 1,
  });
  expect(first.release_id).toMatch(/^rel_/);
  expect(first.urls).toMatchObject({
    site: expect.stringMatching(/^http/),
    deployment_id: expect.stringMatching(/^dpl_/),
  });
  const second = await mine.deploySite({ 'index.html': 'two' });
  expect(second).toMatchObject({ status: 'ready', base_release_id: first.release_id, release_generation: 2 });
  const active = await mine.read('/apply/v1/releases/active');
  expect(active.body).toMatchObject({
    release_id: second.release_id,
    status: 'active',
    state_kind: 'current_live',
    site: { paths: [{ path: 'index.html' }] },
  });
  const back = await mine.call('POST', `/apply/v1/releases/${first.release_id}/promote`, { project: home.projectId });
  expect(back.body).toMatchObject({
    status: 'ok',
    release_id: first.release_id,
    previous_release_id: second.release_id,
  });
  const again = await mine.read('/apply/v1/releases/active');
  expect(again.body).toMatchObject({ release_id: first.release_id, release_generation: 3 });
  const events = await mine.read(`/apply/v1/operations/${first.operation_id}/events`);
  const phases = events.body.events
    .filter(({ type }: { type: string }) => type === 'commit.phase')
    .map((one: { phase: string; status: string }) => `${one.phase} ${one.status}`);
  expect(phases).toEqual([
    'validate started',
    'validate done',
    'stage started',
    'stage done',
    'activate started',
    'activate done',
    'ready done',
  ]);
  expect(events.body.events.at(-1) ?? {}).toBeDefined();
  expect(siteOf({})).toBeDefined();
});

test('the list of deploys tells those of a status or a kind alone, page by page', async () => {
  const other = await service.project();
  const theirs = deploying(service, other.wallet, other);
  const first = await theirs.deploySite({ 'index.html': 'one' });
  const second = await theirs.deploySite({ 'index.html': 'two' });
  const failed = await theirs.deploy({ database: { migrations: [{ id: 'x', sql: 'select * from nowhere' }] } });
  const back = await theirs.call('POST', `/apply/v1/releases/${first.release_id}/promote`, {
    project: other.projectId,
  });
  const ids = async (query: string) =>
    (await theirs.read(`/apply/v1/operations?${query}`)).body.operations.map(
      (one: { operation_id: string }) => one.operation_id,
    );
  expect(await ids('')).toEqual([back.body.operation_id, failed.operation_id, second.operation_id, first.operation_id]);
  expect(await ids('kind=promote')).toEqual([back.body.operation_id]);
  expect(await ids('status=rolled_back')).toEqual([failed.operation_id]);
  expect(await ids('status=ready&kind=deploy')).toEqual([second.operation_id, first.operation_id]);
  expect(await ids('status=running')).toEqual([]);
  const page = (await theirs.read('/apply/v1/operations?status=ready&limit=2')).body;
  expect(page.operations.map((one: { operation_id: string }) => one.operation_id)).toEqual([
    back.body.operation_id,
    second.operation_id,
  ]);
  expect(await ids(`status=ready&limit=2&cursor=${page.next_cursor}`)).toEqual([first.operation_id]);
  // While one is worked on, its own state is any of several.
  await control.sql(`update deploy_operations set status = 'migrating' where id = $1`, [failed.operation_id]);
  expect(await ids('status=running')).toEqual([failed.operation_id]);
  await control.sql(`update deploy_operations set status = 'rolled_back' where id = $1`, [failed.operation_id]);
  expect((await theirs.read('/apply/v1/operations?status=live')).body.code).toBe('VALIDATION_FAILED');
});
