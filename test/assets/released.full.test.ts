import { afterAll, expect, test } from 'vitest';
import { refOf, siteOf } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';
import { assetStage } from './asset-door.ts';

const service = await startService();
afterAll(() => service.stop());

const asset = (key: string, text: string, more: object = {}) => {
  const { sha256, size } = refOf(text);
  return { key, sha256, size_bytes: size, ...more };
};

test('assets of a deploy are visible with its release, and at addresses that its plan has told', async () => {
  const { deploys, ask, list, open } = await assetStage(service);
  const put = [asset('img/a.txt', 'one'), asset('img/b.txt', 'two', { visibility: 'private' })];
  const planned = (await deploys.plan({ ...siteOf({ 'index.html': 'home' }), assets: { put } }, {}, '?dry_run=true'))
    .body;
  expect(planned.asset_entries).toMatchObject([
    { key: 'img/a.txt', status: 'upload_pending', asset_ref: { content_type: 'text/plain; charset=utf-8' } },
    { key: 'img/b.txt', visibility: 'private', asset_ref: { url: null } },
  ]);
  expect(planned.cost).toMatchObject({ asset_keys_added: 2, asset_keys_after_commit: 2 });
  expect((await list()).body.blobs).toEqual([]);
  await deploys.deploy({ ...siteOf({ 'index.html': 'home' }), assets: { put } }, ['home', 'one', 'two']);
  expect((await ask('/')).text).toBe('home');
  const { url, immutable_url: lasting } = planned.asset_entries[0].asset_ref;
  expect((await open(url)).text).toBe('one');
  expect((await open(lasting)).text).toBe('one');
  expect((await list()).body.blobs.map(({ key }: { key: string }) => key)).toEqual(['img/a.txt', 'img/b.txt']);
  const again = (await deploys.plan({ assets: { put } })).body;
  expect(again.is_noop).toBe(true);
  expect(again.asset_entries.map(({ status }: { status: string }) => status)).toEqual(['present', 'present']);
});

test('assets are the project’s, not the release’s: going back leaves them, and a repetition puts back what is gone', async () => {
  const { deploys, list, remove, call, wallet } = await assetStage(service);
  const keys = async () => (await list()).body.blobs.map(({ key }: { key: string }) => key);
  const first = await deploys.deploy({ ...siteOf({ 'index.html': 'one' }) }, ['one']);
  const slices = { ...siteOf({ 'index.html': 'two' }), assets: { put: [asset('a.txt', 'a')] } };
  await deploys.deploy(slices, ['two', 'a']);
  await service.call(wallet, 'POST', `/apply/v1/releases/${first.release_id}/promote`, { body: {} });
  expect(await keys()).toEqual(['a.txt']);
  await remove('a.txt');
  await deploys.deploy({ assets: { put: [asset('a.txt', 'a')] } }, ['a']);
  expect(await keys()).toEqual(['a.txt']);
  await remove('a.txt');
  await deploys.deploy({ assets: { put: [asset('a.txt', 'a')] } }, ['a']);
  expect(await keys()).toEqual(['a.txt']);
  await deploys.deploy({ assets: { delete: ['a.txt', 'never-there.txt'] } });
  expect(await keys()).toEqual([]);
  expect((await call('GET', '/storage/v1/blobs')).status).toBe(200);
});

test('a prune is told first, confirmed, and refused when what it would delete has changed', async () => {
  const { deploys, list, put } = await assetStage(service);
  for (const key of ['img/a.txt', 'img/b.txt', 'other.txt']) await put(key, key);
  const slice = { put: [asset('img/a.txt', 'img/a.txt')], sync: { prefix: 'img/', prune: true } };
  const told = (await deploys.plan({ assets: slice })).body;
  expect(told.asset_sync).toMatchObject({
    prefix: 'img/',
    prune: true,
    expected_delete_count: 1,
    sample_keys: ['img/b.txt'],
    over_inline_threshold: false,
  });
  expect((await deploys.commit(told.plan_id)).body.code).toBe('PRUNE_CONFIRMATION_REQUIRED');
  const { base_revision, delete_set_digest, expected_delete_count } = told.asset_sync;
  const confirm = { base_revision, delete_set_digest, expected_delete_count };
  const confirmed = { ...slice, sync: { ...slice.sync, confirm } };
  await put('img/c.txt', 'came meanwhile');
  const drifted = (await deploys.plan({ assets: confirmed })).body;
  const failed = (await deploys.commit(drifted.plan_id)).body;
  expect(await deploys.ended(failed.operation_id)).toMatchObject({
    status: 'failed',
    error: { code: 'ASSET_SYNC_DRIFT' },
  });
  const keys = async () => (await list()).body.blobs.map(({ key }: { key: string }) => key);
  expect(await keys()).toEqual(['img/a.txt', 'img/b.txt', 'img/c.txt', 'other.txt']);
  const anew = (await deploys.plan({ assets: slice })).body.asset_sync;
  await deploys.deploy({
    assets: {
      ...slice,
      sync: {
        ...slice.sync,
        confirm: {
          base_revision: anew.base_revision,
          delete_set_digest: anew.delete_set_digest,
          expected_delete_count: anew.expected_delete_count,
        },
      },
    },
  });
  expect(await keys()).toEqual(['img/a.txt', 'other.txt']);
});

test('bytes of assets are not collected while an asset names them, nor while a deploy is under way', async () => {
  const { deploys, projectId, open } = await assetStage(service);
  await deploys.deploy({ assets: { put: [asset('a.txt', 'stays')] } }, ['stays']);
  const { asset_entries: entries } = (
    await deploys.plan({ assets: { put: [asset('a.txt', 'stays')] } }, {}, '?dry_run=true')
  ).body;
  const [row] = await service.control.sql<{ named: boolean; released: boolean }>(
    'select named, released from content_objects where project_id = $1 and sha256 = $2',
    [projectId, refOf('stays').sha256],
  );
  expect(row).toEqual({ named: true, released: false });
  expect((await open(entries[0].asset_ref.url)).text).toBe('stays');
});
