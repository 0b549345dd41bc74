import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { StorageUnavailableError } from '../../../engines/objects/object-store.ts';
import { createS3Store } from '../../../engines/objects/s3-store.ts';
import { startS3Server } from '../../helpers/s3-server.ts';
import { guaranteesOf, part, sendTo, sha256Of, stagedIn, upload } from './guarantees.ts';

const server = await startS3Server();
afterAll(() => server.stop());
const store = createS3Store(server.settings);

guaranteesOf(
  () => createS3Store(server.settings),
  async (id) => (await stagedIn(store)).includes(id),
);

test('a store that goes away in the middle of a part keeps nothing of it, and takes it when it is back', async () => {
  const bytes = randomBytes(2_000_000);
  const cutting = Readable.from(
    (async function* () {
      yield bytes.subarray(0, 1_000_000);
      server.cut();
      yield bytes.subarray(1_000_000);
    })(),
  );
  const put = (body: Readable) => store.putPart(upload('upl_away', bytes.length), part(1, bytes), body);
  await expect(put(cutting)).rejects.toThrow(StorageUnavailableError);
  await expect(put(Readable.from([bytes]))).rejects.toThrow(StorageUnavailableError);
  await expect(store.size(sha256Of(bytes))).rejects.toThrow(StorageUnavailableError);
  server.mend();
  expect(await stagedIn(store)).not.toContain('upl_away');
  const { arrived, size } = await sendTo(store, 'upl_away', [bytes]);
  server.cut();
  const content = { sha256: sha256Of(bytes), size };
  await expect(store.finish(upload('upl_away', size), content, arrived)).rejects.toThrow(StorageUnavailableError);
  server.mend();
  expect(await store.finish(upload('upl_away', size), content, arrived)).toBe('kept');
});

test('a read that the store breaks off fails, and does not end early', async () => {
  const bytes = randomBytes(8_000_000);
  const { arrived, size } = await sendTo(store, 'upl_cut', [bytes]);
  await store.finish(upload('upl_cut', size), { sha256: sha256Of(bytes), size }, arrived);
  const reading = await store.read(sha256Of(bytes));
  server.cut();
  await expect(buffer(reading)).rejects.toThrow(StorageUnavailableError);
  server.mend();
});

test('a refusal names its status and code, and nothing that was signed', async () => {
  const secretAccessKey = 'hunter2hunter2';
  const stranger = createS3Store({ ...server.settings, secretAccessKey });
  const error = await stranger.size('a'.repeat(64)).catch((thrown: Error) => thrown);
  expect(error).toBeInstanceOf(StorageUnavailableError);
  const listed = await stranger.discard(upload('upl_none', 0)).catch((thrown: Error) => thrown);
  expect(String(listed)).toMatch(/403 SignatureDoesNotMatch/);
  expect(JSON.stringify([error, listed, String(listed)])).not.toContain('hunter2');
});

test('a bucket that does not exist is a store that is away, and no upload is given up for it', async () => {
  const bytes = randomBytes(10);
  const { arrived, size } = await sendTo(store, 'upl_bucketless', [bytes]);
  const gone = createS3Store({ ...server.settings, bucket: 'no-such-bucket' });
  const put = gone.putPart(upload('upl_bucketless', size), part(1, bytes), Readable.from([bytes]));
  await expect(put).rejects.toThrow(/404 NoSuchBucket/);
  const content = { sha256: sha256Of(bytes), size };
  await expect(gone.finish(upload('upl_bucketless', size), content, arrived)).rejects.toThrow(StorageUnavailableError);
  expect(await store.finish(upload('upl_bucketless', size), content, arrived)).toBe('kept');
});

test('a reader who leaves before the first byte keeps no connection', async () => {
  const bytes = randomBytes(5_000_000);
  const { arrived, size } = await sendTo(store, 'upl_left', [bytes]);
  await store.finish(upload('upl_left', size), { sha256: sha256Of(bytes), size }, arrived);
  const before = server.connections();
  const reading = await Promise.all(Array.from({ length: 5 }, () => store.read(sha256Of(bytes))));
  expect(server.connections()).toBeGreaterThan(before);
  for (const one of reading) one.destroy();
  await expect.poll(() => server.connections()).toBeLessThanOrEqual(before);
});

test('link-local addresses, where clouds keep secrets, are not connected to', async () => {
  const meta = createS3Store({ ...server.settings, endpoint: 'http://169.254.169.254' });
  await expect(meta.size('a'.repeat(64))).rejects.toThrow(/not one to connect to/);
});
