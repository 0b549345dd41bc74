import { createHash, randomBytes } from 'node:crypto';
import { open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { contentFile, createClient, projectKey, type UploadProgress } from '../../clients/sdk/src/index.ts';
import { hashing } from '../../clients/sdk/src/sha256.ts';
import { startService } from '../helpers/service.ts';
import { faultyRoad } from './faulty-road.ts';
import { ownProject } from './sdk-stage.ts';

const service = await startService();
const road = await faultyRoad(service.url);
const files: string[] = [];
afterAll(async () => {
  road.close();
  await service.stop();
  for (const path of files) await rm(path, { force: true });
});
const { project, serviceKey } = await ownProject(service);
const client = createClient({
  baseUrl: road.url,
  credential: projectKey({ key: serviceKey }),
  retry: { times: 2, pauseMs: 10 },
});
const { objects } = service.app.services;

const bytesOf = (size: number) => new Uint8Array(randomBytes(size));
const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const stored = async (sha256: string) => buffer(await objects.read(sha256));
/** Sent since, as verb and the last word of the path. */
const sentSince = (from: number) =>
  road.seen.slice(from).map(({ method, url }) => `${method} ${url.split('?')[0]!.split('/').at(-1)}`);

test('bytes, blobs and files become the project’s, each once, and nothing is sent of what it holds', async () => {
  const path = join(tmpdir(), `svc-test-upload-${randomBytes(4).toString('hex')}`);
  files.push(path);
  const [one, two, three] = [bytesOf(1_000), bytesOf(70_000), bytesOf(5)];
  await writeFile(path, two);
  const content = [one, await contentFile(path), new Blob([three], { type: 'text/plain' }), one, new Uint8Array()];
  const from = road.seen.length;
  const uploaded = await client.uploadContent({ content });
  expect(uploaded).toEqual(
    [one, two, three, one, new Uint8Array()].map((bytes) => ({
      sha256: sha256Of(bytes),
      size: bytes.length,
      wasHeld: false,
    })),
  );
  expect(sentSince(from).filter((line) => line.startsWith('PUT'))).toHaveLength(4);
  for (const { headers } of road.seen.slice(from).filter(({ method }) => method === 'PUT')) {
    expect(headers['x-amz-checksum-sha256']).toMatch(/=$/);
    expect(headers.apikey ?? headers.authorization).toBeUndefined();
  }
  expect(new Uint8Array(await stored(uploaded[1]!.sha256))).toEqual(two);
  const again = road.seen.length;
  expect((await client.uploadContent({ content })).every(({ wasHeld }) => wasHeld)).toBe(true);
  expect(sentSince(again).filter((line) => line.startsWith('PUT'))).toEqual([]);
});

test('a large object goes in parts, some at a time, and tells how far it has come', async () => {
  const large = bytesOf(65 * 1024 * 1024);
  const told: UploadProgress[] = [];
  const [uploaded] = await client.uploadContent({
    content: [large],
    project,
    parallel: 2,
    onProgress: (progress) => told.push(progress),
  });
  expect(uploaded).toEqual({ sha256: sha256Of(large), size: large.length, wasHeld: false });
  expect(sha256Of(await stored(uploaded!.sha256))).toBe(uploaded!.sha256);
  const whole = large.length;
  expect(told.at(-1)).toEqual({ total: whole, hashed: whole, missing: whole, sent: whole });
  const sent = told.map((one) => one.sent);
  expect(sent).toEqual(sent.toSorted((a, b) => a - b));
  expect(new Set(sent).size).toBe(6);
});

test('what breaks off on the way is sent again, and what cannot be mended is an error', async () => {
  const one = bytesOf(3_000);
  const from = road.seen.length;
  const busy = { code: 'STORAGE_UNAVAILABLE', retryable: true, safe_to_retry: true };
  road.plan('lost', 'cut', 'pass', { status: 503, body: busy });
  const uploaded = await client.uploadContent({ content: [one] });
  expect(uploaded[0]!.wasHeld).toBe(false);
  expect(sentSince(from)).toEqual(['POST plans', 'POST plans', 'POST plans', 'PUT 1', 'PUT 1', 'POST commit']);
  const two = bytesOf(10);
  const full = { status: 503, body: busy };
  road.plan('pass', full, full, full);
  await expect(client.uploadContent({ content: [two] })).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
});

test('an address that has become old is asked for anew, and parts that have arrived are not sent again', async () => {
  const large = bytesOf(65 * 1024 * 1024);
  const from = road.seen.length;
  const old = { status: 403, body: { code: 'UPLOAD_URL_INVALID', retryable: false } };
  // The plan passes, then two parts, and the third is too late.
  road.plan('pass', 'pass', 'pass', old);
  const [uploaded] = await client.uploadContent({ content: [large], parallel: 1 });
  expect(sha256Of(await stored(uploaded!.sha256))).toBe(uploaded!.sha256);
  expect(sentSince(from)).toEqual([
    'POST plans',
    'PUT 1',
    'PUT 2',
    'PUT 3',
    'POST plans',
    'PUT 3',
    'PUT 4',
    'PUT 5',
    'POST commit',
  ]);
});

test('a file of more than 4 GiB is read where it is asked to be', async () => {
  const path = join(tmpdir(), `svc-test-upload-${randomBytes(4).toString('hex')}`);
  files.push(path);
  const size = 5 * 2 ** 30;
  const file = await open(path, 'w');
  await file.truncate(size);
  await file.write(Buffer.from('the end'), 0, 7, size - 7);
  await file.close();
  const whole = await contentFile(path);
  expect(whole.size).toBe(size);
  const last = whole.slice(size - 100, size + 100).slice(93, 1_000);
  expect([last.size, await new Response(last.stream()).text()]).toEqual([7, 'the end']);
});

test('a signal ends it, and a later call goes on with the parts that have arrived', async () => {
  const large = bytesOf(65 * 1024 * 1024);
  const stop = new AbortController();
  const ended = client.uploadContent(
    { content: [large], parallel: 1, onProgress: ({ sent }) => sent > 20_000_000 && stop.abort() },
    { signal: stop.signal },
  );
  await expect(ended).rejects.toThrow(/abort/i);
  const from = road.seen.length;
  const told: UploadProgress[] = [];
  const [uploaded] = await client.uploadContent({
    content: [large],
    parallel: 1,
    onProgress: (progress) => told.push(progress),
  });
  expect(uploaded!.wasHeld).toBe(false);
  expect(sentSince(from)).toEqual(['POST plans', 'PUT 3', 'PUT 4', 'PUT 5', 'POST commit']);
  expect(told.at(-1)).toMatchObject({ missing: large.length, sent: large.length });
});

test('bytes that somebody else sent wrongly for the same object are replaced', async () => {
  const one = bytesOf(4_000);
  const planned = await client.content.plan({ content: [{ sha256: sha256Of(one), size: one.length }] });
  const wrong = await fetch(planned.missing[0]!.parts[0]!.url, { method: 'PUT', body: bytesOf(4_000) });
  expect(wrong.status).toBe(200);
  const [uploaded] = await client.uploadContent({ content: [one] });
  expect(new Uint8Array(await stored(uploaded!.sha256))).toEqual(one);
});

test('what browsers hash with is SHA-256, however the bytes come', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 }), (pieces) => {
      const hash = hashing();
      for (const piece of pieces) hash.update(piece);
      expect(Buffer.from(hash.digest()).toString('hex')).toBe(sha256Of(Buffer.concat(pieces)));
    }),
  );
});
