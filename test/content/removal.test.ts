import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { TaskContext } from '../../kernel/run/task.ts';
import { keepHouse } from '../../server/housekeeping.ts';
import { jobContext } from '../../server/workers.ts';
import { startService } from '../helpers/service.ts';
import { keyHolder, send, sha256Of, uploading } from './upload.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const { control } = service;
const home = await service.project();
const other = await service.project();
const mine = uploading(service, keyHolder(home.serviceKey));
const theirs = uploading(service, keyHolder(other.serviceKey));
const { objects, log } = service.app.services;

const ctx = jobContext(service.app.services, new AbortController().signal);
const job = { ctx, log, mailer: { configured: false } } as unknown as TaskContext;
const housekeeping = () => keepHouse(job, {});

/** Uploads some bytes for whoever wants to hold them. */
async function hold(bytes: Buffer, ...holders: readonly (typeof mine)[]) {
  const content = [{ sha256: sha256Of(bytes), size: bytes.length }];
  for (const { plan, commit } of holders) {
    const { body } = await plan(content);
    for (const { parts } of body.missing) await send(parts[0].url, bytes);
    expect((await commit(body.plan_id)).status).toBe(200);
  }
  return content[0]!;
}

const age = (projectId: string, by: string) =>
  control.sql(`update content_objects set used_at = now() - $2::interval where project_id = $1`, [projectId, by]);

test('what no plan has named for a day and an hour goes, unless another project holds it', async () => {
  const alone = await hold(randomBytes(100), mine);
  const shared = await hold(randomBytes(200), mine, theirs);
  await age(home.projectId, '24 hours 50 minutes');
  await housekeeping();
  expect(await objects.size(alone.sha256)).toBe(100);
  await age(home.projectId, '25 hours 10 minutes');
  await housekeeping();
  expect(await objects.size(alone.sha256)).toBeUndefined();
  expect(await objects.size(shared.sha256)).toBe(200);
  const planned = await mine.plan([alone, shared]);
  expect(planned.body.entries).toMatchObject([{ missing: true }, { missing: true }]);
  await age(other.projectId, '26 hours');
  await housekeeping();
  // It is planned, and so about to be held again.
  expect(await objects.size(shared.sha256)).toBe(200);
  await control.sql(`update content_uploads set expires_at = now() - interval '1 second'`);
  await control.sql('insert into content_removals (sha256) values ($1) on conflict do nothing', [shared.sha256]);
  await housekeeping();
  expect(await objects.size(shared.sha256)).toBeUndefined();
});

test('a plan that names what is held keeps it for another day', async () => {
  const kept = await hold(randomBytes(100), mine);
  await age(home.projectId, '26 hours');
  expect((await mine.plan([kept])).body.missing).toEqual([]);
  await housekeeping();
  expect(await objects.size(kept.sha256)).toBe(100);
});

test('what was sent for a plan that expired is thrown away', async () => {
  const bytes = randomBytes(64);
  const { body } = await mine.plan([{ sha256: sha256Of(bytes), size: 64 }]);
  const [{ upload_id: id, parts }] = body.missing;
  await send(parts[0].url, bytes);
  const staging = join(service.dataDir, 'staging');
  expect(await readdir(staging)).toContain(id);
  await control.sql(`update content_uploads set expires_at = now() - interval '1 second' where id = $1`, [id]);
  expect((await send(parts[0].url, bytes)).body).toMatchObject({ code: 'UPLOAD_NOT_FOUND' });
  await housekeeping();
  expect(await readdir(staging)).not.toContain(id);
  expect(await control.sql('select 1 from content_parts where upload_id = $1', [id])).toEqual([]);
});

test('the content of a project ends with it, and with it alone', async () => {
  const gone = await service.project();
  const holder = uploading(service, keyHolder(gone.serviceKey));
  const own = await hold(randomBytes(90), holder);
  const shared = await hold(randomBytes(91), holder, mine);
  const deleted = await service.call(
    service.actors.bearer(gone.serviceKey),
    'DELETE',
    `/projects/v1/${gone.projectId}`,
  );
  expect(deleted.status).toBe(200);
  await housekeeping();
  expect(await objects.size(own.sha256)).toBeUndefined();
  expect(await objects.size(shared.sha256)).toBe(91);
  expect(await control.sql('select 1 from content_objects where project_id = $1', [gone.projectId])).toEqual([]);
});
