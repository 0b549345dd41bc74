import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { assetStage } from '../assets/asset-door.ts';
import { environmentOf, startS3Server } from '../helpers/s3-server.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { filesOf, refOf, siteOf } from './deploying.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const s3 = await startS3Server();
const service = await startService({ env: environmentOf(s3) });
afterAll(async () => {
  await service.stop();
  await s3.stop();
});
const { control } = service;

const unavailable = { code: 'STORAGE_UNAVAILABLE', retryable: true, safe_to_retry: true };

/** The store is away while `during` runs. */
async function away<Result>(during: () => Promise<Result>): Promise<Result> {
  s3.cut();
  try {
    return await during();
  } finally {
    s3.mend();
  }
}

/** Jobs wait for seconds; a test need not. */
const hurry = () => control.sql('update graphile_worker._private_jobs set run_at = now() where locked_at is null');

test('while the object store is away, a site serves what it has at hand, and the rest is refused as what may be repeated', async () => {
  const { deploys, ask } = await assetStage(service);
  const large = 'x'.repeat(3 * 1024 * 1024);
  await deploys.deploySite({ 'seen.txt': 'seen', 'unseen.txt': 'unseen', 'large.txt': large });
  expect((await ask('/seen.txt')).text).toBe('seen');
  await away(async () => {
    expect(await ask('/seen.txt')).toMatchObject({ status: 200, text: 'seen' });
    for (const path of ['/unseen.txt', '/large.txt']) {
      const { status, text, headers } = await ask(path);
      expect([path, status, headers['retry-after']]).toEqual([path, 503, '1']);
      expect(JSON.parse(text)).toMatchObject(unavailable);
    }
  });
  expect((await ask('/unseen.txt')).text).toBe('unseen');
  expect((await ask('/large.txt')).text === large).toBe(true);
});

test('while the object store is away, assets are neither put nor read, and nothing is half put', async () => {
  const { put, read, list, deploys } = await assetStage(service);
  expect((await put('a.txt', 'a')).status).toBeLessThan(300);
  await away(async () => {
    expect(await put('b.txt', 'b')).toMatchObject({ status: 503, body: unavailable });
    const { status, text } = await read('a.txt');
    expect([status, JSON.parse(text)]).toEqual([503, expect.objectContaining(unavailable)]);
  });
  expect((await list()).body.blobs.map(({ key }: Any) => key)).toEqual(['a.txt']);
  expect((await read('a.txt')).text).toBe('a');
  expect((await put('b.txt', 'b')).status).toBeLessThan(300);
  expect((await read('b.txt')).text).toBe('b');
  // What was tried is not counted as missing or as there.
  await deploys.upload('c');
});

test('a deploy whose specification and SQL were uploaded is refused while the store is away, and goes through after', async () => {
  const { deploys, projectId, ask } = await assetStage(service);
  const sql = 'create table kept (n int)';
  const spec = JSON.stringify({
    project_id: projectId,
    database: { migrations: [{ id: 'm', checksum: refOf(sql).sha256, sql_ref: refOf(sql) }] },
    ...siteOf({ 'index.html': 'home' }),
  });
  await deploys.upload('home', sql, spec);
  const manifest = { manifest_ref: refOf(spec) };
  await away(async () => {
    expect(await deploys.plan({}, manifest)).toMatchObject({ status: 503, body: unavailable });
  });
  const planned = await deploys.plan({}, manifest);
  await away(async () => {
    expect(await deploys.commit(planned.body.plan_id)).toMatchObject({ status: 503, body: unavailable });
  });
  expect((await deploys.read(`/apply/v1/operations/${planned.body.operation_id}`)).body.status).toBe('planning');
  const { body } = await deploys.commit(planned.body.plan_id);
  expect(await deploys.ended(body.operation_id)).toMatchObject({ status: 'ready' });
  expect((await ask('/')).text).toBe('home');
});

/** Keeps a deploy where it is until the store is away: what it waits for, and the state that it has then. */
const phases = [
  { table: 'releases', status: 'staging' },
  { table: 'live_releases', status: 'gating' },
  { table: 'subdomains', status: 'activating' },
] as const;

test.each(phases)(
  'a deploy goes on where it was when the store was away while it was $status',
  async ({ table, status }) => {
    const { deploys, projectId, ask, read } = await assetStage(service);
    const sql = 'create table counted (n int); insert into counted values (1)';
    const png = 'not a picture, and read for what it is';
    const spec = JSON.stringify({
      project_id: projectId,
      database: { migrations: [{ id: 'm', checksum: refOf(sql).sha256, sql_ref: refOf(sql) }] },
      site: { replace: filesOf({ 'index.html': `home ${status}` }) },
      assets: { put: [{ key: 'a.txt', sha256: refOf(png).sha256, size_bytes: refOf(png).size }] },
    });
    await deploys.upload(`home ${status}`, sql, png, spec);
    const planned = await deploys.plan({}, { manifest_ref: refOf(spec) });
    const lock = new pg.Client({ connectionString: control.url });
    await lock.connect();
    await lock.query('begin');
    await lock.query(`lock table ${table} in exclusive mode`);
    const { body } = await deploys.commit(planned.body.plan_id);
    const operation = async () => (await deploys.read(`/apply/v1/operations/${body.operation_id}`)).body;
    await until(async () => expect((await operation()).status).toBe(status));
    const before = service.logged().length;
    await away(async () => {
      await lock.end();
      // It has tried, or was past what it needs the store for.
      await until(async () => {
        const said = service.logged().slice(before);
        const isTold = said.some(({ msg }) => String(msg).startsWith('The object store could not be used'));
        expect(isTold || (await operation()).status === 'ready').toBe(true);
      });
      expect(['failed', 'rolled_back', 'needs_repair']).not.toContain((await operation()).status);
    });
    await until(async () => {
      await hurry();
      expect(await operation()).toMatchObject({ status: 'ready', error: null });
    });
    expect((await ask('/')).text).toBe(`home ${status}`);
    expect((await read('a.txt')).text).toBe(png);
    const { events } = (await deploys.read(`/apply/v1/operations/${body.operation_id}/events`)).body;
    expect(events.filter(({ type }: Any) => type === 'ready')).toHaveLength(1);
  },
);
