import { afterAll, describe, expect, test } from 'vitest';
import { withHeaders } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { deploying, refOf, siteOf } from './deploying.ts';

const service = await sharedService();
afterAll(() => service.stop());

/** A project of its own, with somebody who deploys to it and its rows. */
async function fresh() {
  const home = await service.project();
  const mine = deploying(service, home.wallet, home);
  const sql = async (text: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
    (await service.call<any>(home.wallet, 'POST', `/projects/v1/admin/${home.projectId}/sql`, { body: { sql: text } }))
      .body;
  const rows = (table: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    service.call<any>(withHeaders({ apikey: home.anonKey }), 'GET', `/rest/v1/${table}`);
  return { ...home, mine, sql, rows };
}

const database = (migrations: readonly object[], more: object = {}) => ({ database: { migrations, ...more } });
const one = (id: string, sql: string, more: object = {}) => ({ id, sql, ...more });
const notes = one('001', 'create table notes (id int primary key, body text)');
const shown = { version: 1, tables: [{ name: 'notes', expose: true, policy: 'public_read_authenticated_write' }] };

test('migrations, the manifest and the site go live together', async () => {
  const { mine, rows } = await fresh();
  const done = await mine.deploy(
    {
      ...database([notes, one('002', "insert into notes values (1, 'a')")], { expose: shown }),
      ...siteOf({ 'index.html': 'x' }),
    },
    ['x'],
  );
  expect(done).toMatchObject({ status: 'ready' });
  expect((await rows('notes')).body).toEqual([{ id: 1, body: 'a' }]);
  const active = await mine.read('/apply/v1/releases/active');
  expect(active.body.migrations_applied.map(({ migration_id: id }: { migration_id: string }) => id)).toEqual([
    '001',
    '002',
  ]);
  const { events } = (await mine.read(`/apply/v1/operations/${done.operation_id}/events`)).body;
  const phases = events
    .filter(({ type }: { type: string }) => type === 'commit.phase')
    .map(({ phase, status }: { phase: string; status: string }) => `${phase} ${status}`);
  expect(phases).toEqual([
    'validate started',
    'validate done',
    'stage started',
    'stage done',
    'migrate-gate started',
    'migrate-gate done',
    'migrate started',
    'migrate done',
    'schema-settle started',
    'schema-settle done',
    'activate started',
    'activate done',
    'ready done',
  ]);
});

test('a migration is run once, from the specification or from uploaded SQL', async () => {
  const { mine, sql } = await fresh();
  const counting = 'create table if not exists runs (n int); insert into runs values (1)';
  await mine.deploy(database([one('m', counting)]));
  const again = await mine.plan(database([one('m', counting)]));
  expect(again.body).toMatchObject({
    is_noop: true,
    summary: 'No changes (noop)',
    migrations: { new: [], noop: [{ id: 'm' }] },
  });
  const ref = refOf(counting);
  const uploaded = { id: 'm2', checksum: ref.sha256, sql_ref: { sha256: ref.sha256, size: ref.size } };
  expect((await mine.plan(database([uploaded]))).body.missing_content).toMatchObject([
    { sha256: ref.sha256, present: false },
  ]);
  const early = await mine.plan(database([uploaded]));
  expect((await mine.commit(early.body.plan_id)).body.code).toBe('MIGRATION_SQL_NOT_FOUND');
  await mine.deploy(database([one('m', counting), uploaded]), [counting]);
  expect((await sql('select count(*)::int as n from runs')).rows).toEqual([{ n: 2 }]);
});

test('a migration with other SQL under the same id is refused', async () => {
  const { mine } = await fresh();
  await mine.deploy(database([one('m', 'select 1')]));
  const { status, body } = await mine.plan(database([one('m', 'select 2')]));
  expect([status, body.code, body.details.migration_id, body.details.registered_checksum]).toEqual([
    409,
    'MIGRATION_CHECKSUM_MISMATCH',
    'm',
    refOf('select 1').sha256,
  ]);
});

describe('what fails', () => {
  test('takes back every migration of its deploy, and the live release stays', async () => {
    const { mine, sql } = await fresh();
    const before = await mine.deploySite({ 'index.html': 'before' });
    const failed = await mine.deploy(
      { ...database([notes, one('002', 'select * from nowhere')]), ...siteOf({ 'index.html': 'after' }) },
      ['after'],
    );
    expect(failed).toMatchObject({
      status: 'rolled_back',
      release_id: null,
      error: {
        code: 'MIGRATION_FAILED',
        phase: 'migrate',
        resource: 'database.migrations.002',
        rolled_back: true,
        mutation_state: 'rolled_back',
        details: { migration_id: '002', sqlstate: '42P01' },
        logs: [expect.stringContaining('nowhere')],
      },
    });
    expect((await mine.read('/apply/v1/releases/active')).body.release_id).toBe(before.release_id);
    expect((await sql("select to_regclass('notes') as found")).rows).toEqual([{ found: null }]);
    const release = await mine.read(`/apply/v1/releases/${failed.target_release_id}`);
    expect(release.body).toMatchObject({ status: 'failed', effective: false, state_kind: 'desired_manifest' });
    const mended = await mine.deploy(database([notes, one('002', 'select 1')]));
    expect(mended).toMatchObject({ status: 'ready' });
  });

  test('tells what a manifest names that is not there', async () => {
    const { mine, sql } = await fresh();
    const failed = await mine.deploy(database([one('m', 'create table other (id int)')], { expose: shown }));
    expect(failed).toMatchObject({ status: 'rolled_back' });
    expect((await sql("select to_regclass('other') as found")).rows).toEqual([{ found: null }]);
  });

  test('is no way past what SQL may not do', async () => {
    const { mine } = await fresh();
    const failed = await mine.deploy(database([one('m', 'grant all on schema public to anon')]));
    expect(failed).toMatchObject({ status: 'rolled_back', error: { code: 'MIGRATION_FAILED' } });
    const ends = await mine.deploy(database([one('m', 'create table a (id int); commit')]));
    expect(ends).toMatchObject({ status: 'rolled_back', error: { code: 'MIGRATION_FAILED' } });
  });

  test('outside of a transaction needs somebody to look', async () => {
    const { mine, sql } = await fresh();
    await mine.deploy(database([notes]));
    const index = (body: string) => one('002', body, { transaction: 'none' });
    const failed = await mine.deploy(
      database([notes, index('insert into notes values (1, null); select * from nowhere')]),
    );
    expect(failed).toMatchObject({
      status: 'needs_repair',
      error: { code: 'MIGRATION_FAILED', rolled_back: false, mutation_state: 'partial' },
    });
    // The first statement was a transaction of its own.
    expect((await sql('select id from notes')).rows).toEqual([{ id: 1 }]);
    const done = await mine.deploy(database([notes, index('create index concurrently notes_body on notes (body)')]));
    expect(done).toMatchObject({ status: 'ready' });
    expect((await sql("select to_regclass('notes_body')::text as found")).rows).toEqual([{ found: 'notes_body' }]);
  });
});

test('rows wait outside while migrations run, unless the deploy says that they need not', async () => {
  const { mine, rows, projectId, orgId } = await fresh();
  await mine.deploy(database([notes], { expose: shown }));
  expect((await rows('notes')).status).toBe(200);
  // As a deploy leaves it while its migrations run.
  await service.control.sql("update live_releases set gated_by = 'op_test' where org_id = $1 and project_id = $2", [
    orgId,
    projectId,
  ]);
  service.app.services.gates.changed();
  await expect.poll(async () => (await rows('notes')).status).toBe(503);
  const refused = await rows('notes');
  expect(refused.body).toMatchObject({ code: 'MIGRATE_GATE_ACTIVE', retryable: true });
  expect(refused.headers.get('retry-after')).toBe('1');
  await service.control.sql('update live_releases set gated_by = null where project_id = $1', [projectId]);
  service.app.services.gates.changed();
  await expect.poll(async () => (await rows('notes')).status).toBe(200);
  const open = await mine.deploy(database([notes, one('002', 'select 1')], { zero_downtime: true }));
  const { events } = (await mine.read(`/apply/v1/operations/${open.operation_id}/events`)).body;
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'commit.phase.detail', phase: 'migrate-gate', status: 'skipped' }),
  );
});
