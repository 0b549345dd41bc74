import { afterAll, expect, test } from 'vitest';
import { readTar } from '../../engines/archives/portable/tar-read.ts';
import { readArchive } from '../../engines/archives/portable/verify.ts';
import { deploying, siteOf } from '../deploys/deploying.ts';
import { withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { type Any, archiving, exporting, importing, shop } from './stage.ts';

const [service, other] = await Promise.all([sharedService(), startService()]);
afterAll(() => Promise.all([service.stop(), other.stop()]));

async function* chunksOf(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

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
  const { verification } = await readArchive(readTar(chunksOf(bytes)), 'tar');
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
