import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { type PgProxy, startPgProxy } from '../helpers/pg-proxy.ts';
import { environmentOf, startS3Server } from '../helpers/s3-server.ts';
import { startService } from '../helpers/service.ts';
import { checksumOf, keyHolder, send, sha256Of, uploading } from './upload.ts';

const s3 = await startS3Server();
let postgres: PgProxy | undefined;
const service = await startService({
  env: environmentOf(s3),
  databaseUrl: async ({ url }) => {
    postgres = await startPgProxy(url);
    return postgres.url;
  },
});
afterAll(async () => {
  await service.stop();
  await postgres?.close();
  await s3.stop();
});
const home = await service.project();
const mine = uploading(service, keyHolder(home.serviceKey));
const { objects } = service.app.services;

const unavailable = { code: 'STORAGE_UNAVAILABLE', retryable: true, safe_to_retry: true };

/** Sends a part, and does something when its first half is on its way. */
async function sendAndThen(url: string, bytes: Uint8Array, midway: () => void) {
  const half = bytes.length / 2;
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent >= bytes.length) return controller.close();
      const end = sent + 1_000_000;
      controller.enqueue(bytes.subarray(sent, end));
      if (sent < half && end >= half) {
        await pause(50);
        midway();
      }
      sent = end;
    },
  });
  const answer = await fetch(url, {
    method: 'PUT',
    body,
    duplex: 'half',
    headers: { 'x-amz-checksum-sha256': checksumOf(bytes) },
  } as RequestInit);
  return { status: answer.status, body: (await answer.json()) as { code?: string } };
}

async function planned(size: number) {
  const bytes = randomBytes(size);
  const content = [{ sha256: sha256Of(bytes), size }];
  const { body } = await mine.plan(content);
  const parts = body.missing[0].parts.map((part: { url: string; byte_start: number; byte_end: number }) => ({
    url: part.url,
    bytes: bytes.subarray(part.byte_start, part.byte_end + 1),
  }));
  return { bytes, content, sha256: content[0]!.sha256, parts, commit: () => mine.commit(body.plan_id) };
}

test('an object in parts is planned, sent, committed, present and read from the bucket', async () => {
  const { bytes, content, sha256, parts, commit } = await planned(65 * 1024 * 1024);
  expect(parts.length).toBe(5);
  for (const part of parts) {
    const sent = await send(part.url, part.bytes);
    expect([sent.status, sent.etag]).toEqual([200, expect.stringMatching(/^".+"$/)]);
  }
  expect((await commit()).body).toMatchObject({ committed: true, promoted: content });
  expect((await mine.plan(content)).body).toMatchObject({ missing: [], entries: [{ missing: false }] });
  expect((await buffer(await objects.read(sha256))).equals(bytes)).toBe(true);
  const range = await buffer(await objects.read(sha256, { start: 16_777_215, end: 16_777_217 }));
  expect(range).toEqual(bytes.subarray(16_777_215, 16_777_218));
});

test('wrong bytes are refused at once and in the end, as in files', async () => {
  const { bytes, parts, commit } = await planned(100_000);
  const other = randomBytes(bytes.length);
  const { url } = parts[0];
  expect((await send(url, other, checksumOf(bytes))).body).toMatchObject({ code: 'CONTENT_CHECKSUM_MISMATCH' });
  expect((await send(url, bytes.subarray(1))).body).toMatchObject({ code: 'CONTENT_LENGTH_MISMATCH' });
  expect((await commit()).body).toMatchObject({ code: 'INVALID_STATE' });
  expect((await send(url, other)).status).toBe(200);
  expect((await commit()).body).toMatchObject({ code: 'CONTENT_DIGEST_MISMATCH' });
});

test('while the store is away nothing is half done, and the upload goes on when it is back', async () => {
  const { sha256, parts, commit } = await planned(65 * 1024 * 1024);
  const [first, second, ...others] = parts;
  expect((await send(first.url, first.bytes)).status).toBe(200);
  const broken = await sendAndThen(second.url, second.bytes, s3.cut);
  expect(broken).toMatchObject({ status: 503, body: unavailable });
  expect(await send(second.url, second.bytes)).toMatchObject({ status: 503, body: unavailable });
  s3.mend();
  expect((await commit()).body).toMatchObject({ code: 'INVALID_STATE' });
  for (const part of [second, ...others]) expect((await send(part.url, part.bytes)).status).toBe(200);
  s3.cut();
  expect(await commit()).toMatchObject({ status: 503, body: unavailable });
  s3.mend();
  expect(await objects.size(sha256)).toBeUndefined();
  expect((await commit()).body).toMatchObject({ committed: true });
  expect(await objects.size(sha256)).toBe(65 * 1024 * 1024);
});

test('a part that arrives while Postgres is away is not counted, and is sent again', async () => {
  const { sha256, parts, commit } = await planned(20_000_000);
  const broken = await sendAndThen(parts[0].url, parts[0].bytes, () => postgres!.cut());
  postgres!.mend();
  expect(broken).toMatchObject({ status: 503, body: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } });
  expect((await commit()).body).toMatchObject({ code: 'INVALID_STATE', details: { missing: [sha256] } });
  expect((await send(parts[0].url, parts[0].bytes)).status).toBe(200);
  expect((await commit()).body).toMatchObject({ committed: true });
});

test('the keys of the bucket are in no log', async () => {
  const text = JSON.stringify(service.logged());
  expect(text).toContain('The object store cannot be reached');
  expect(text).not.toContain('AWS4-HMAC-SHA256');
});
