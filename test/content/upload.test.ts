import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { checksumOf, keyHolder, send, sendPieces, sha256Of, uploading } from './upload.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { actors, control } = service;
const home = await service.project();
const other = await service.project();
const mine = uploading(service, keyHolder(home.serviceKey));
const theirs = uploading(service, keyHolder(other.serviceKey));
const { objects } = service.app.services;

const some = (size: number) => {
  const bytes = randomBytes(size);
  return { bytes, sha256: sha256Of(bytes), size };
};
const named = ({ sha256, size }: { sha256: string; size: number }) => ({ sha256, size });
const stored = async (sha256: string) => buffer(await objects.read(sha256));

test('what is planned, sent and committed is the project’s, and is not asked for again', async () => {
  const one = some(2_000);
  const two = some(10);
  const planned = await mine.plan([named(one), named(two), named(one)]);
  expect(planned.status).toBe(200);
  expect(planned.body.plan_id).toMatch(/^cplan_/);
  expect(planned.body.entries).toEqual([one, two, one].map(({ sha256 }) => ({ sha256, missing: true })));
  const missing = planned.body.missing;
  expect(missing).toHaveLength(2);
  for (const content of [one, two]) {
    const entry = missing.find(({ sha256 }: { sha256: string }) => sha256 === content.sha256);
    expect(entry).toMatchObject({ mode: 'single', part_count: 1, part_size_bytes: content.size });
    expect(entry.parts).toMatchObject([{ part_number: 1, byte_start: 0, byte_end: content.size - 1 }]);
    const sent = await send(entry.parts[0].url, content.bytes);
    expect([sent.status, sent.etag]).toEqual([200, expect.stringMatching(/^".+"$/)]);
  }
  const { status, body } = await mine.commit(planned.body.plan_id);
  expect(status).toBe(200);
  expect(body).toMatchObject({ plan_id: planned.body.plan_id, committed: true });
  expect(body.promoted.map(({ sha256 }: { sha256: string }) => sha256).sort()).toEqual([one.sha256, two.sha256].sort());
  expect(await stored(one.sha256)).toEqual(one.bytes);
  const again = await mine.plan([named(one), named(two)]);
  expect(again.body).toMatchObject({ missing: [], entries: [{ missing: false }, { missing: false }] });
  expect((await mine.commit(planned.body.plan_id)).body).toMatchObject({ committed: true });
});

test('nobody learns what another project holds, and bytes are stored once', async () => {
  const shared = some(500);
  const first = await mine.plan([named(shared)]);
  await send(first.body.missing[0].parts[0].url, shared.bytes);
  await mine.commit(first.body.plan_id);
  const second = await theirs.plan([named(shared)]);
  expect(second.body.entries).toEqual([{ sha256: shared.sha256, missing: true }]);
  expect((await theirs.commit(second.body.plan_id)).body).toMatchObject({ code: 'INVALID_STATE' });
  await send(second.body.missing[0].parts[0].url, shared.bytes);
  expect((await theirs.commit(second.body.plan_id)).status).toBe(200);
  const rows = await control.sql('select project_id from content_objects where sha256 = $1', [shared.sha256]);
  expect(rows).toHaveLength(2);
});

test('a large object is sent in parts, in any order and again, and is whole in the end', async () => {
  const large = some(65 * 1024 * 1024);
  const planned = await mine.plan([named(large)]);
  const [entry] = planned.body.missing;
  expect(entry).toMatchObject({ mode: 'multipart', part_count: 5 });
  const piece = ({ byte_start: from, byte_end: to }: { byte_start: number; byte_end: number }) =>
    large.bytes.subarray(from, to + 1);
  const parts = [...entry.parts].reverse();
  for (const part of parts.slice(1)) expect((await send(part.url, piece(part))).status).toBe(200);
  expect((await mine.commit(planned.body.plan_id)).body).toMatchObject({
    code: 'INVALID_STATE',
    details: { missing: [large.sha256] },
  });
  // A plan anew goes on with the parts that have arrived.
  const again = await mine.plan([named(large)]);
  expect(again.body.missing[0].upload_id).toBe(entry.upload_id);
  expect(again.body.missing[0].parts.map(({ arrived }: { arrived: boolean }) => arrived)).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  const last = again.body.missing[0].parts.at(-1);
  expect((await send(last.url, piece(last))).status).toBe(200);
  expect((await send(parts[1].url, piece(parts[1]))).status).toBe(200);
  expect((await mine.commit(again.body.plan_id)).status).toBe(200);
  expect(sha256Of(await stored(large.sha256))).toBe(large.sha256);
  // Nothing is left of the upload, and the first plan can be committed as well.
  expect((await mine.commit(planned.body.plan_id)).status).toBe(200);
});

test('an object of no bytes is one part of none', async () => {
  const empty = some(0);
  const planned = await mine.plan([named(empty)]);
  const [part] = planned.body.missing[0].parts;
  expect(part).toMatchObject({ byte_start: 0, byte_end: -1 });
  expect((await send(part.url, empty.bytes)).status).toBe(200);
  expect((await mine.commit(planned.body.plan_id)).status).toBe(200);
  expect(await objects.size(empty.sha256)).toBe(0);
});

test('wrong bytes are refused at once, and nothing of them is kept', async () => {
  const right = some(3_000);
  const planned = await mine.plan([named(right)]);
  const { url } = planned.body.missing[0].parts[0];
  const wrong = some(3_000);
  expect(await send(url, wrong.bytes, checksumOf(right.bytes))).toMatchObject({
    status: 400,
    body: { code: 'CONTENT_CHECKSUM_MISMATCH' },
  });
  for (const bytes of [right.bytes.subarray(1), Buffer.concat([right.bytes, Buffer.of(0)])])
    expect(await send(url, bytes)).toMatchObject({ status: 400, body: { code: 'CONTENT_LENGTH_MISMATCH' } });
  // What does not end where it should is answered while it still comes.
  const endless = Array.from({ length: 50 }, () => randomBytes(100_000));
  expect(await sendPieces(url, endless)).toMatchObject({ status: 400, body: { code: 'CONTENT_LENGTH_MISMATCH' } });
  expect((await mine.commit(planned.body.plan_id)).body).toMatchObject({ code: 'INVALID_STATE' });
  // Without a checksum, or with a matching one of other bytes, the digest tells in the end.
  expect((await send(url, wrong.bytes)).status).toBe(200);
  expect((await mine.commit(planned.body.plan_id)).body).toMatchObject({
    code: 'CONTENT_DIGEST_MISMATCH',
    details: { sha256: right.sha256 },
  });
  expect(await objects.size(right.sha256)).toBeUndefined();
  expect(await send(url, right.bytes)).toMatchObject({ status: 404, body: { code: 'UPLOAD_NOT_FOUND' } });
  const anew = await mine.plan([named(right)]);
  await send(anew.body.missing[0].parts[0].url, right.bytes);
  expect((await mine.commit(anew.body.plan_id)).status).toBe(200);
});

test('the address of a part is for that part alone', async () => {
  const one = some(100);
  const planned = await mine.plan([named(one)]);
  const url = new URL(planned.body.missing[0].parts[0].url);
  const refused = async (change: (address: URL) => void) => {
    const address = new URL(url);
    change(address);
    return (await send(address.href, one.bytes)).body.code;
  };
  expect(await refused((address) => address.searchParams.delete('token'))).toBe('UPLOAD_URL_INVALID');
  expect(await refused((address) => address.searchParams.set('expires', '9999999999'))).toBe('UPLOAD_URL_INVALID');
  expect(
    await refused((address) => {
      address.pathname = address.pathname.replace(/1$/, '2');
    }),
  ).toBe('UPLOAD_URL_INVALID');
  const elsewhere = await theirs.plan([named(some(100))]);
  const [, theirUpload] = /uploads\/([^/]+)/.exec(elsewhere.body.missing[0].parts[0].url)!;
  expect(
    await refused((address) => {
      address.pathname = address.pathname.replace(/upl_[^/]+/, theirUpload!);
    }),
  ).toBe('UPLOAD_URL_INVALID');
});

test('plans are for their own project, and end', async () => {
  const one = some(10);
  const planned = await mine.plan([named(one)]);
  expect((await theirs.commit(planned.body.plan_id)).body).toMatchObject({ code: 'PLAN_NOT_FOUND' });
  expect((await theirs.commit(planned.body.plan_id, { project_id: home.projectId })).body).toMatchObject({
    code: 'FORBIDDEN',
  });
  expect((await mine.commit('cplan_none')).body).toMatchObject({ code: 'PLAN_NOT_FOUND' });
  await control.sql('update content_plans set expires_at = now() where id = $1', [planned.body.plan_id]);
  expect(await mine.commit(planned.body.plan_id)).toMatchObject({ status: 410, body: { code: 'PLAN_EXPIRED' } });
});

test('the key of a project decides, whatever else a request brings', async () => {
  const one = [named(some(10))];
  const { authorization } = (await (await actors.session({ principalId: other.principalId })).headers('/')) as Record<
    string,
    string
  >;
  const both = { apikey: home.anonKey, authorization: authorization! };
  const planned = await service.call<{ plan_id: string }>(actors.nobody, 'POST', '/content/v1/plans', {
    body: { content: one },
    headers: both,
  });
  expect(planned.status).toBe(200);
  const [row] = await control.sql<{ project_id: string }>('select project_id from content_plans where id = $1', [
    planned.body.plan_id,
  ]);
  expect(row!.project_id).toBe(home.projectId);
  // Who has no key, and a right on more than one project, names the project.
  const asked = (body: object) => service.call<{ code?: string }>(home.wallet, 'POST', '/content/v1/plans', { body });
  expect((await asked({ content: one })).body.code).toBe('VALIDATION_FAILED');
  expect((await asked({ content: one, project_id: home.projectId })).status).toBe(200);
  expect((await asked({ content: one, project_id: other.projectId })).body.code).toBe('NOT_AUTHORIZED');
});

test('storage of the tier and the share of the anon key hold, for what is staged, too', async () => {
  const limited = await service.project();
  const owner = uploading(service, keyHolder(limited.serviceKey));
  const anyone = uploading(service, keyHolder(limited.anonKey));
  const mebibyte = 1024 * 1024;
  const huge = (size: number) => [{ sha256: sha256Of(randomBytes(8)), size }];
  expect((await anyone.plan(huge(60 * mebibyte))).status).toBe(200);
  expect((await anyone.plan(huge(60 * mebibyte))).body).toMatchObject({
    code: 'QUOTA_EXCEEDED',
    details: { scope: 'project', metric: 'staged_bytes' },
  });
  expect((await owner.plan(huge(150 * mebibyte))).status).toBe(200);
  expect((await owner.plan(huge(60 * mebibyte))).body).toMatchObject({
    code: 'QUOTA_EXCEEDED',
    details: { scope: 'organization', metric: 'storage_bytes', limit: 250 * mebibyte },
  });
  expect((await owner.plan(huge(5 * 1024 ** 4 + 1))).body).toMatchObject({ code: 'VALIDATION_FAILED' });
});

test('malformed plans are refused by field', async () => {
  for (const [content, field] of [
    [[], 'content'],
    [[{ sha256: 'A'.repeat(64), size: 1 }], 'content.0.sha256'],
    [[{ sha256: 'a'.repeat(64), size: -1 }], 'content.0.size'],
    [[{ sha256: 'a'.repeat(64), size: 0.5 }], 'content.0.size'],
  ] as const)
    expect((await mine.plan(content as never)).body).toMatchObject({ code: 'VALIDATION_FAILED', details: { field } });
});

test('what a project stores counts its content, wherever that is shown', async () => {
  const stored = async () => {
    const key = actors.bearer(other.serviceKey);
    const id = other.projectId;
    const usage = await service.call<{ storage_bytes: number }>(key, 'GET', `/projects/v1/admin/${id}/usage`);
    const chart = await service.call<{ points: { storage_bytes: number }[] }>(
      other.wallet,
      'GET',
      `/projects/v1/${id}/metrics?range=hour`,
    );
    const tier = await service.call<{ pool_usage: { total_storage_bytes: number } }>(
      other.wallet,
      'GET',
      '/tiers/v1/status',
    );
    return [
      usage.body.storage_bytes,
      chart.body.points.at(-1)!.storage_bytes,
      tier.body.pool_usage.total_storage_bytes,
    ];
  };
  const before = await stored();
  const one = some(4_000_000);
  const planned = await theirs.plan([named(one)]);
  await send(planned.body.missing[0].parts[0].url, one.bytes);
  await theirs.commit(planned.body.plan_id);
  const after = await stored();
  for (const [at, bytes] of after.entries()) expect(bytes).toBeGreaterThanOrEqual(before[at]! + one.size);
});
