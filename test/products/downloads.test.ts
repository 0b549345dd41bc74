import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { sha256Of } from '../../engines/bundles/bundle-file.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import { type Delivery, openDownload } from '../../resolvers/downloads/shared/open-download.ts';
import { housekeepingTask } from '../../server/housekeeping.ts';
import { jobContext } from '../../server/workers.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());

/** A sale of some bytes, without the payment. */
async function sold(bytes: Uint8Array): Promise<Delivery & { readonly path: string }> {
  const orderId = `ord_${randomBytes(8).toString('hex')}`;
  await service.control.sql(
    `insert into orders (id, tier, domain, price_usd, payment_id, network, tx_hash, payer)
     values ('${orderId}', 'pro', 'shop.example.com', 1, 'txp_${orderId}', 'base', '0x00', '0x00')`,
  );
  const ctx = jobContext(service.app.services, new AbortController().signal);
  const delivery = await unitOfWork(ctx, (work) => openDownload(work, { orderId, filename: 'pack.zip', bytes }));
  return { ...delivery, path: new URL(delivery.downloadUrl).pathname };
}

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(service.url + path, { method, headers });

test('a download is the archive that was sold, byte for byte, and can be checked', async () => {
  const bytes = randomBytes(300_000);
  const { path, sha256 } = await sold(bytes);
  const answer = await get(path);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/zip',
    'content-disposition': 'attachment; filename="pack.zip"',
    'content-length': '300000',
    'cache-control': 'private, no-store',
    'accept-ranges': 'bytes',
    etag: `"${sha256}"`,
    'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
  });
  expect(answer.headers.get('access-control-expose-headers')).toContain('repr-digest');
  expect(sha256Of(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256);
  expect(sha256Of(bytes)).toBe(sha256);
});

test('HEAD tells the same of it, and takes nothing of what may be downloaded', async () => {
  const { path, sha256 } = await sold(Buffer.from('small'));
  for (let times = 0; times < 25; times++) {
    const { status, headers } = await get(path, {}, 'HEAD');
    expect([status, headers.get('content-length'), headers.get('etag')]).toEqual([200, '5', `"${sha256}"`]);
  }
  expect((await get(path)).status).toBe(200);
});

test.each([
  ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
  ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
  ['bytes=-3', 206, '789', 'bytes 7-9/10'],
  ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
  ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
  ['bytes=10-', 416, '', 'bytes */10'],
  ['bytes=-0', 416, '', 'bytes */10'],
  ['bytes=5-2', 200, '0123456789', null],
  ['bytes=0-1,4-5', 200, '0123456789', null],
  ['lines=1-2', 200, '0123456789', null],
])('the range %s is answered with %i', async (range, status, text, contentRange) => {
  const { path } = await sold(Buffer.from('0123456789'));
  const answer = await get(path, { range });
  expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
    status,
    text,
    contentRange,
  ]);
});

test('a part is given only of the archive that the client has the rest of', async () => {
  const { path, sha256 } = await sold(Buffer.from('0123456789'));
  expect((await get(path, { range: 'bytes=5-', 'if-range': `"${sha256}"` })).status).toBe(206);
  expect((await get(path, { range: 'bytes=5-', 'if-range': '"another"' })).status).toBe(200);
  const same = await get(path, { 'if-none-match': `W/"x", "${sha256}"` });
  expect([same.status, await same.text()]).toEqual([304, '']);
});

test('twenty downloads are twenty, also all at once, and what is asked for in part counts in part', async () => {
  const { path } = await sold(Buffer.from('0123456789'));
  const statuses = await Promise.all(Array.from({ length: 25 }, async () => (await get(path)).status));
  expect(statuses.toSorted()).toEqual([...Array<number>(20).fill(200), ...Array<number>(5).fill(404)]);
  const other = await sold(Buffer.from('0123456789'));
  for (let times = 0; times < 19; times++) expect((await get(other.path)).status).toBe(200);
  expect((await get(other.path, { range: 'bytes=0-4' })).status).toBe(206);
  expect((await get(other.path)).status).toBe(404);
  expect((await get(other.path, { range: 'bytes=5-9' })).status).toBe(206);
  expect((await get(other.path, { range: 'bytes=0-0' })).status).toBe(404);
});

test('unknown, malformed and expired tokens are the same 404, and the token itself is kept nowhere', async () => {
  const { path } = await sold(Buffer.from('expiring'));
  const token = path.split('/').at(-1)!;
  expect(token).toMatch(/^[\w-]{43}$/);
  const [{ kept }] = (await service.control.sql<{ kept: number }>(
    `select count(*)::int as kept from downloads d where d::text like '%${token}%'`,
  )) as [{ kept: number }];
  expect(kept).toBe(0);
  await service.control.sql(`update downloads set expires_at = now() where filename = 'pack.zip'`);
  const bodies = [];
  for (const one of [
    path,
    `/api/downloads/${'A'.repeat(43)}`,
    '/api/downloads/x',
    `/api/downloads/${'A'.repeat(500)}`,
  ]) {
    const answer = await get(one);
    expect([one, answer.status]).toEqual([one, 404]);
    const { instance, trace_id, ...rest } = (await answer.json()) as Record<string, unknown>;
    bodies.push(JSON.stringify(rest));
  }
  expect(new Set(bodies).size).toBe(1);
  expect(JSON.stringify(service.logged())).not.toContain(token);
});

test('an archive that many bought is kept once, and forgotten once nobody may have it any more', async () => {
  const bytes = randomBytes(1_000);
  const first = await sold(bytes);
  const second = await sold(bytes);
  const kept = async () =>
    service.control.sql(`select 1 from bundles where sha256 = '${first.sha256}'`).then((rows) => rows.length);
  const clean = () => service.control.sql(`select graphile_worker.add_job('${housekeepingTask}')`);
  await service.control.sql(`update bundles set sold_at = now() - interval '2 days' where sha256 = '${first.sha256}'`);
  await service.control.sql(`update downloads set expires_at = now() where token_hash = '${hashOf(first.path)}'`);
  await clean();
  await expect
    .poll(() => service.control.sql(`select 1 from downloads where token_hash = '${hashOf(first.path)}'`))
    .toEqual([]);
  expect((await get(second.path)).status).toBe(200);
  expect(await kept()).toBe(1);
  await service.control.sql(`update downloads set expires_at = now() where sha256 = '${first.sha256}'`);
  await clean();
  await expect.poll(kept).toBe(0);
});

const hashOf = (path: string) => sha256Of(Buffer.from(path.split('/').at(-1)!));
