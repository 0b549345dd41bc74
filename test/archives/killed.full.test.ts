import { createHash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { readTar } from '../../engines/archives/portable/tar-read.ts';
import { readArchive } from '../../engines/archives/portable/verify.ts';
import { startKillable } from '../deploys/killable.ts';
import type { Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { type Any, importing, piecesOf } from './stage.ts';

const world = await startKillable();
afterAll(() => world.stop());
const { mine, projectId, actor } = world;
const path = `/projects/v1/${projectId}/archives`;
const due = (table: string) => world.sql(`update ${table} set due_at = now() where due_at is not null`);
const at = `/projects/v1/admin/${projectId}/sql`;
await mine.deploySite({ 'index.html': '<h1>Here</h1>' });
await mine.call('POST', at, { sql: 'alter table ledger add primary key (entry); insert into ledger values (1), (2)' });

let gateway = world.first;

/** Kills the gateway once a transaction with this statement is carried out, of which it has not heard, and starts another. */
async function killedAfter(statement: RegExp, begin: () => Promise<unknown>, look?: () => Promise<void>) {
  const frozen = world.proxy.freezeCommit(statement);
  const asked = begin();
  await frozen.answered;
  await world.kill(gateway);
  frozen.thaw();
  await asked;
  gateway = await world.start();
  await look?.();
}

async function download(id: string) {
  const from = `${path}/${id}/download`;
  const answer = await fetch(world.address + from, { headers: await actor.headers(from) });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
}

let archive: Buffer;

test.each([
  ['has noted the bytes that it writes', /insert into "snapshot_objects"/, 'running'],
  ['has noted that it is ready', /"status" = 'ready'/, 'ready'],
] as const)(
  'an export whose node is killed when it %s is made whole by the next one',
  async (_when, moment, status) => {
    let id = '';
    await killedAfter(
      moment,
      async () => {
        id = (await mine.call('POST', path, {})).body.archive_id;
      },
      async () => {
        const found = (await mine.call('GET', `${path}/${id}`)).body;
        if (status === 'ready' || found.status === 'ready') return;
        // No half of it is had.
        const refused = await download(id);
        if (refused.status !== 200)
          expect(JSON.parse(refused.bytes.toString())).toMatchObject({ code: 'ARCHIVE_NOT_READY' });
      },
    );
    await due('project_archives');
    const ready = await until(async () => {
      const { body } = await mine.call('GET', `${path}/${id}`);
      expect(body).toMatchObject({ status: 'ready', error: null });
      return body as Any;
    });
    const { bytes } = await download(id);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(ready.sha256);
    const { verification } = await readArchive(readTar(piecesOf(bytes)), 'tar');
    expect(verification).toMatchObject({ ok: true, archive_digest: ready.archive_digest });
    // Of the attempt that was cut short nothing is held.
    const held = await world.sql('select sha256 from snapshot_objects where snapshot_id = $1', [id]);
    expect(held).toEqual([{ sha256: ready.sha256 }]);
    archive = bytes;
  },
);

test.each([
  ['is begun', /insert into "archive_imports"/],
  ['has its content', /insert into "content_objects"/],
  ['is opened', /"status" = 'imported'/],
] as const)('an import whose node is killed when it %s is brought to its end once', async (when, moment) => {
  const name = `It ${when}`;
  const service = {
    call: (_as: unknown, method: string, to: string, { body }: { readonly body?: object } = {}) =>
      mine.call(method, to, body),
  } as unknown as Service;
  const there = importing(service, actor);
  const archive_sha256 = await there.upload(archive);
  const body = { archive_sha256, name };
  await killedAfter(moment, () => world.once('POST', '/archives/v1/import', body).catch(() => undefined));
  await due('archive_imports');
  const stands = 'select status, project_id, release_id from archive_imports where project_name = $1';
  const made = await until(async () => {
    const rows = await world.sql<{ status: string; project_id: string }>(stands, [name]);
    expect(rows).toMatchObject([{ status: 'imported' }]);
    return rows[0]!;
  });
  const rows = await mine.call('POST', `/projects/v1/admin/${made.project_id}/sql`, {
    sql: 'select entry from ledger order by entry',
  });
  expect(rows.body.rows).toEqual([{ entry: 1 }, { entry: 2 }]);
  // Asked again, nothing is made a second time.
  expect(await there.post('/archives/v1/import', body)).toMatchObject({
    status: 409,
    body: { code: 'PROJECT_ALREADY_EXISTS' },
  });
  expect(await world.sql('select id from projects where name = $1', [name])).toEqual([{ id: made.project_id }]);
  const [own] = await world.sql<{ database_name: string }>('select database_name from projects where id = $1', [
    made.project_id,
  ]);
  await until(async () => {
    const { rows: databases } = await world.postgres.admin.query<{ datname: string }>(
      'select datname from pg_database where datname like $1',
      [`%${own!.database_name}`],
    );
    expect(databases).toEqual([{ datname: own!.database_name }]);
  });
});
