import { afterAll, expect, test } from 'vitest';
import { readTar } from '../../engines/archives/portable/tar-read.ts';
import { readArchive } from '../../engines/archives/portable/verify.ts';
import { deploying, siteOf } from '../deploys/deploying.ts';
import { withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';
import { type Any, archiving, exporting, importing, piecesOf, rewritten, shop } from './stage.ts';

const [service, other] = await Promise.all([sharedService(), startService()]);
afterAll(() => Promise.all([service.stop(), other.stop()]));

test('a project is carried from one gateway to another, deploys there, and is the same archive again', async () => {
  const one = await exporting(service);
  const taken = await one.take();
  expect(taken).toMatchObject({
    project_id: one.projectId,
    active_release_id: one.deployed.release_id,
    content_type: 'application/x-tar',
    export_report: { counts: { tables: 1, rows: 300, auth_subjects: 1, storage_objects: 1, functions: 1 } },
  });
  const bytes = await one.bytesOf(taken.archive_id);
  // Nothing that lets anybody in is part of it.
  for (const secret of ['canary-of-the-shop', one.user.email, 'argon2', one.serviceKey, one.projectId])
    expect(bytes.includes(secret), secret).toBe(false);
  const { verification } = await readArchive(readTar(piecesOf(bytes)), 'tar');
  expect(verification.diagnostics.filter(({ severity }) => severity === 'blocking')).toEqual([]);
  expect(verification).toMatchObject({ ok: true, archive_digest: taken.archive_digest, auth_subject_stub_count: 1 });
  // Another export of the same state is the same bytes but for what its reports tell.
  const again = await one.take();
  expect(again.archive_digest).toBe(taken.archive_digest);

  const there = importing(other);
  const planned = await there.bring(bytes, { dry_run: true });
  expect(planned.body, planned.text).toMatchObject({
    status: 'dry_run',
    project_id: null,
    archive_digest: taken.archive_digest,
  });
  expect(planned.status).toBe(200);
  expect((await there.bring(bytes, { require_runnable: true })).body).toMatchObject({
    status: 'blocked',
    next_action: { type: 'set_secret', env_var: 'SHOP_KEY' },
  });
  const made = await there.bring(bytes, { name: 'The copy', secret_values: { SHOP_KEY: 'of the copy' } });
  expect(made.body, made.text).toMatchObject({
    status: 'imported',
    project_name: 'The copy',
    release_id: expect.stringMatching(/^rel_/),
    required_secrets: [],
  });
  expect(made.status).toBe(201);
  const projectId: string = made.body.project_id;
  const { body: keys } = await other.call<Any>(there.wallet, 'GET', `/projects/v1/${projectId}/keys`);
  const rows = await other.call<Any>(withHeaders({ apikey: keys.anon_key }), 'GET', '/rest/v1/notes?id=eq.7');
  expect(rows.body).toEqual([{ id: 7, body: expect.stringMatching(/^row /), mood: 'good' }]);
  const copied = archiving(other, there.wallet, projectId);
  expect((await copied.take()).archive_digest).toBe(taken.archive_digest);

  // It deploys there, from the release that came along.
  const mine = deploying(other, there.wallet, {
    projectId,
    anonKey: keys.anon_key,
    serviceKey: keys.service_key,
  } as never);
  const next = '<h1>The copy</h1>';
  const sqlText = 'alter table notes add column done boolean';
  const deployed = await mine.deploy(
    {
      ...siteOf({ 'index.html': next }),
      database: { migrations: [...shop.database.migrations, { id: '002', sql: sqlText }] },
    },
    [next],
  );
  expect(deployed).toMatchObject({ status: 'ready' });
  // A name is never merged into.
  expect(await there.bring(bytes, { name: 'The copy' })).toMatchObject({
    status: 409,
    body: { code: 'PROJECT_ALREADY_EXISTS' },
  });
});

const codesOf = (found: readonly Any[]) => found.map(({ code, severity }) => `${code} ${severity}`);

test('what stays behind is told by whoever exports, and what is missing by whoever imports', async () => {
  const one = await exporting(service);
  const mailbox = await service.call<Any>(one.key, 'POST', '/mailboxes/v1', { body: { slug: 'shop' } });
  expect(mailbox.status, mailbox.text).toBe(201);
  const taken = await one.take();
  expect(codesOf(taken.portability_report.entries)).toEqual(
    expect.arrayContaining(['AUTH_CREDENTIALS_NOT_EXPORTED info', 'CLOUD_ONLY_FEATURE_EXCLUDED warning']),
  );
  const bytes = await one.bytesOf(taken.archive_id);
  const there = importing(other);
  expect(codesOf((await there.bring(bytes, { dry_run: true })).body.diagnostics)).toEqual(
    expect.arrayContaining(['AUTH_SUBJECT_STUBS_IMPORTED info', 'SECRET_VALUES_REQUIRED warning']),
  );

  // A column that pads what it is given: the rows are not those of the archive.
  const padded = await rewritten(bytes, 'database/pre-data.sql', (sql) =>
    sql.replace('body text', 'body character(99)'),
  );
  const begun = await there.bring(padded, { name: 'Padded' });
  expect(begun.body, begun.text).toMatchObject({ status: 'failed' });
  expect(codesOf(begun.body.diagnostics)).toContain('IMPORT_VERIFY_FAILED blocking');
  const { body: listed } = await other.call<Any>(there.wallet, 'GET', '/projects/v1');
  expect(listed.projects.map(({ name }: Any) => name)).not.toContain('Padded');

  const runtime = (text: string) => text.replaceAll('"name": "api"', '"name": "elsewhere"');
  const foreign = await there.bring(await rewritten(bytes, 'runtime/index.json', runtime), { dry_run: true });
  expect(codesOf(foreign.body.diagnostics)).toContain('IMPORT_CONFORMANCE_FAILED blocking');
});

test('what a function was built from is worked out anew, and never believed', async () => {
  const one = await exporting(service);
  const bytes = await one.bytesOf((await one.take()).archive_id);
  const there = importing(other);
  for (const member of ['code_hash', 'fingerprint']) {
    const told = (text: string) =>
      text.replace(new RegExp(`"${member}": ?"[0-9a-f]{64}"`), `"${member}": "${'a'.repeat(64)}"`);
    const changed = await rewritten(bytes, 'runtime/index.json', told);
    expect(changed.equals(bytes)).toBe(false);
    const found = (await there.bring(changed, { dry_run: true })).body;
    expect([member, found.status]).toEqual([member, 'blocked']);
    expect(codesOf(found.diagnostics)).toContain('IMPORT_CONFORMANCE_FAILED blocking');
  }
});

test('of two imports of one name at once exactly one is made', async () => {
  const home = await service.project();
  const { take, bytesOf } = archiving(service, home.wallet, home.projectId);
  const bytes = await bytesOf((await take()).archive_id);
  const there = importing(other);
  const archive_sha256 = await there.upload(bytes);
  const asked = { archive_sha256, name: 'At once' };
  const both = await Promise.all([there.post('/archives/v1/import', asked), there.post('/archives/v1/import', asked)]);
  const [made, refused] = both.toSorted((a, b) => a.status - b.status);
  expect(made, made!.text).toMatchObject({ status: 201, body: { status: 'imported' } });
  expect(refused, refused!.text).toMatchObject({ status: 409, body: { code: 'PROJECT_ALREADY_EXISTS' } });
  const { body: listed } = await other.call<Any>(there.wallet, 'GET', '/projects/v1');
  expect(listed.projects.filter(({ name }: Any) => name === 'At once')).toHaveLength(1);
});

const heldBy = (id: string) => service.control.sql('select sha256 from snapshot_objects where snapshot_id = $1', [id]);

test('the bytes of an archive go when its time is over, and with its project', async () => {
  const home = await service.project();
  const { archives, take } = archiving(service, home.wallet, home.projectId);
  const [old, young] = [await take(), await take({ auth: 'none' })];
  await service.control.sql(`update project_archives set expires_at = now() - interval '1 minute' where id = $1`, [
    old.archive_id,
  ]);
  await service.control.sql(`select graphile_worker.add_job('housekeeping')`);
  await until(async () =>
    expect((await archives('GET', `/${old.archive_id}`)).body).toMatchObject({ status: 'expired' }),
  );
  expect(await archives('GET', `/${old.archive_id}/download`)).toMatchObject({
    status: 410,
    body: { code: 'ARCHIVE_EXPIRED' },
  });
  expect(await heldBy(old.archive_id)).toEqual([]);
  expect(await heldBy(young.archive_id)).toHaveLength(1);
  const removed = await service.call<Any>(home.wallet, 'DELETE', `/projects/v1/${home.projectId}`);
  expect(removed.status, removed.text).toBeLessThan(300);
  await until(async () => expect(await heldBy(young.archive_id)).toEqual([]));
  expect((await archives('GET', `/${young.archive_id}/download`)).status).toBeGreaterThanOrEqual(403);
});

test('archives, uploads and imports of others are as absent as those that never were', async () => {
  const home = await service.project();
  const mine = archiving(service, home.wallet, home.projectId);
  const { archive_id: id } = await mine.take();
  const eve = await service.project();
  const hers = archiving(service, eve.wallet, eve.projectId);
  for (const [method, at] of [
    ['GET', ''],
    ['POST', ''],
    ['GET', `/${id}`],
    ['GET', `/${id}/download`],
  ] as const) {
    expect([method, at, await mine.archives(method, at, undefined, eve.wallet)]).toMatchObject([
      method,
      at,
      { status: 403, body: { code: 'NOT_AUTHORIZED' } },
    ]);
    // By a project of her own neither.
    if (at !== '')
      expect([at, await hers.archives(method, at)]).toMatchObject([
        at,
        { status: 404, body: { code: 'PROJECT_ARCHIVE_NOT_FOUND' } },
      ]);
  }
  const bytes = await mine.bytesOf(id);
  const there = importing(other);
  const archive_sha256 = await there.upload(bytes);
  const mallory = importing(other);
  await mallory.upload(Buffer.from('something of her own'));
  expect(await mallory.post('/archives/v1/import', { archive_sha256 })).toMatchObject({
    status: 404,
    body: { code: 'ARCHIVE_UPLOAD_NOT_FOUND' },
  });
  const made = (await there.post('/archives/v1/import', { archive_sha256, name: 'Mine' })).body;
  expect(await other.call<Any>(mallory.wallet, 'GET', `/archives/v1/imports/${made.import_id}`)).toMatchObject({
    status: 404,
    body: { code: 'ARCHIVE_IMPORT_NOT_FOUND' },
  });
});

test('an archive that would not fit into what the organization may store is refused before it is sent', async () => {
  const there = importing(other);
  const planned = { sha256: 'b'.repeat(64), size: 300 * 1024 * 1024 };
  // Several that would each fit, and do not together.
  const half = { size: 150 * 1024 * 1024 };
  expect(await there.post('/archives/v1/uploads', { ...half, sha256: 'c'.repeat(64) })).toMatchObject({ status: 201 });
  expect(await there.post('/archives/v1/uploads', { ...half, sha256: 'd'.repeat(64) })).toMatchObject({
    status: 403,
    body: { code: 'QUOTA_EXCEEDED' },
  });
  // Planned once more it is the same.
  expect(await there.post('/archives/v1/uploads', { ...half, sha256: 'c'.repeat(64) })).toMatchObject({ status: 201 });
  expect(await there.post('/archives/v1/uploads', planned)).toMatchObject({
    status: 403,
    body: { code: 'QUOTA_EXCEEDED' },
  });
});
