import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { asking } from '../hosting/site.ts';
import { terminal } from './command.ts';

const service = await startService();
const ada = await terminal(service.url);
afterAll(async () => {
  await ada.remove();
  await service.stop();
});
const open = (address: string) => {
  const { hostname, pathname, search } = new URL(address);
  return asking(service, hostname)(pathname + search);
};
const write = (path: string, bytes: string | Uint8Array) => writeFile(join(ada.checkout, path), bytes);

beforeAll(async () => {
  await ada.svc('init');
  await ada.svc('org', 'create');
  await ada.svc('projects', 'provision', '--name', 'Shop');
});

test('a file is published under a key, listed, signed, read back and deleted', async () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256));
  await write('photo.bin', bytes);
  const put = await ada.svc('assets', 'put', 'photo.bin', '--key', 'img/photo.bin', '--metadata', '{"tags":["x"]}');
  expect(put.json).toMatchObject({ key: 'img/photo.bin', size_bytes: 300_000, metadata: { tags: ['x'] } });
  expect((await open(put.json.url)).body.equals(bytes)).toBe(true);
  expect((await ada.svc('assets', 'ls', '--prefix', 'img/')).json.blobs).toMatchObject([{ key: 'img/photo.bin' }]);
  const got = await ada.svc('assets', 'get', 'img/photo.bin', '--output', 'copy.bin');
  expect(got.json).toMatchObject({ output: 'copy.bin', size_bytes: 300_000, sha256: put.json.sha256 });
  expect((await readFile(join(ada.checkout, 'copy.bin'))).equals(bytes)).toBe(true);
  await ada.svc('assets', 'put', 'photo.bin', '--key', 'own.bin', '--private');
  const signed = (await ada.svc('assets', 'sign', 'own.bin', '--ttl', '60')).json;
  expect((await open(signed.signed_url)).status).toBe(200);
  expect((await ada.svc('assets', 'diagnose', put.json.url)).json.observed_sha256).toBe(put.json.sha256);
  const fresh = await ada.svc('cdn', 'wait-fresh', '--url', put.json.url, '--sha256', put.json.sha256);
  expect(fresh.json.fresh).toBe(true);
  expect((await ada.svc('assets', 'rm', 'own.bin')).error.code).toBe('CONFIRMATION_REQUIRED');
  expect((await ada.svc('assets', 'rm', 'own.bin', '--confirm')).json).toMatchObject({
    status: 'deleted',
    key: 'own.bin',
  });
  expect((await ada.svc('assets', 'get', 'own.bin')).error.code).toBe('ASSET_NOT_FOUND');
  expect((await ada.svc('assets', 'put', 'none.bin')).error.code).toBe('FILE_NOT_FOUND');
});

test('a folder becomes the assets below a prefix, and what is gone from it is deleted once that is confirmed', async () => {
  await mkdir(join(ada.checkout, 'pics/deep'), { recursive: true });
  await write('pics/a.txt', 'a');
  await write('pics/deep/b.txt', 'b');
  const planned = await ada.svc('assets', 'sync', 'pics', '--prefix', 'pics/', '--plan');
  expect(planned.json.asset_entries).toMatchObject([{ key: 'pics/a.txt' }, { key: 'pics/deep/b.txt' }]);
  const synced = (await ada.svc('assets', 'sync', 'pics', '--prefix', 'pics/')).json;
  expect(synced).toMatchObject({
    status: 'ready',
    assets: {
      list: [{ key: 'pics/a.txt', size_bytes: 1, visibility: 'public' }, { key: 'pics/deep/b.txt' }],
      byKey: { 'pics/a.txt': { key: 'pics/a.txt' } },
      totals: { files: 2, bytes_uploaded: 2, bytes_reused: 0 },
    },
  });
  expect((await open(synced.assets.manifest['pics/deep/b.txt'])).text).toBe('b');
  const again = (await ada.svc('assets', 'sync', 'pics', '--prefix', 'pics/')).json;
  expect(again.assets.totals).toMatchObject({ bytes_uploaded: 0, bytes_reused: 2 });
  const keys = async () =>
    (await ada.svc('assets', 'ls', '--prefix', 'pics/')).json.blobs.map(({ key }: { key: string }) => key);
  expect(await keys()).toEqual(['pics/a.txt', 'pics/deep/b.txt']);
  await mkdir(join(ada.checkout, 'fewer'));
  await write('fewer/a.txt', 'changed');
  const told = await ada.svc('assets', 'sync', 'fewer', '--prefix', 'pics/', '--prune');
  expect(told.error).toMatchObject({
    code: 'PRUNE_CONFIRMATION_REQUIRED',
    details: { expected_delete_count: 1, sample_keys: ['pics/deep/b.txt'] },
  });
  expect(await keys()).toEqual(['pics/a.txt', 'pics/deep/b.txt']);
  const preview = await ada.svc('assets', 'sync', 'fewer', '--prefix', 'pics/', '--prune', '--plan');
  expect(preview.json.asset_sync).toMatchObject({ expected_delete_count: 1, sample_keys: ['pics/deep/b.txt'] });
  const pruned = await ada.svc('assets', 'sync', 'fewer', '--prefix', 'pics/', '--prune', '--confirm');
  expect(pruned.json).toMatchObject({ status: 'ready', pruned: ['pics/deep/b.txt'] });
  expect(await keys()).toEqual(['pics/a.txt']);
});
