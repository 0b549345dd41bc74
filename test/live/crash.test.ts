import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../db/embedded/start.ts';
import { createWallet, startGateway, temporaryFolder } from '../helpers/gateway-process.ts';
import { until } from '../helpers/until.ts';
import { openStream } from './event-stream.ts';
import { notes } from './live-project.ts';

const folder = await temporaryFolder();
// What is not committed is written by and by: a crash takes it along, and the numbers of its transactions.
const settings = { fsync: 'off', wal_writer_delay: '10s' };
let postgres = await startEmbeddedPostgres({ dataDir: join(folder.path, 'server'), settings });
const gateway = await startGateway({ dataDir: folder.path, databaseUrl: postgres.url });
afterAll(async () => {
  await gateway.stop();
  await postgres.stop();
  await rm(postgres.dataDir, { recursive: true, force: true });
  await folder.remove();
});

async function crash(): Promise<void> {
  const [pid] = (await readFile(join(postgres.dataDir, 'data', 'postmaster.pid'), 'utf8')).split('\n');
  const { exited, port } = postgres;
  process.kill(Number(pid), 'SIGKILL');
  await exited;
  await postgres.stop();
  postgres = await startEmbeddedPostgres({ dataDir: join(folder.path, 'server'), settings, port });
}

test('what is committed after a crash of Postgres is told, or ordered to be fetched, however its numbers are used again', async () => {
  const wallet = gateway.as(createWallet());
  const { body: org } = await gateway.call(wallet, 'POST', '/orgs/v1', { body: {} });
  const { body: made } = await gateway.call<Record<string, string>>(wallet, 'POST', '/projects/v1', {
    body: { org_id: org.org_id },
  });
  const service = { headers: async () => ({ authorization: `Bearer ${made.service_key}` }) };
  const anyone = { headers: async () => ({ apikey: made.anon_key! }) };
  const admin = `/projects/v1/admin/${made.project_id}`;
  const run = (sql: string) =>
    gateway.call<{ rows: Record<string, string>[] }>(service, 'POST', `${admin}/sql`, { body: { sql } });
  const changes = async (cursor?: string) =>
    (
      await gateway.call<{ changes: object[]; resync: boolean; cursor: string }>(
        anyone,
        'GET',
        `/live/v1/changes?tables=notes${cursor === undefined ? '' : `&cursor=${cursor}`}`,
      )
    ).body;
  await run(`create table notes (id bigint generated always as identity primary key, body text);
    insert into notes (body) values ('one')`);
  expect(
    await gateway.call(service, 'POST', `${admin}/expose`, { body: { version: 1, tables: [notes] } }),
  ).toMatchObject({ status: 200 });
  /** Uses up numbers of transactions, for nothing. @returns the next one */
  const spend = async (): Promise<number> => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query('begin');
    await client.query(`do $$ begin
      for i in 1..500 loop
        begin lock table pg_class in access share mode; perform from pg_class limit 1 for update; raise exception 'no';
        exception when others then null; end;
      end loop;
    end $$`);
    await client.query('rollback');
    const { rows } = await client.query('select pg_snapshot_xmax(pg_current_snapshot())::text as n');
    await client.end();
    return Number(rows[0].n);
  };

  const headers = { apikey: made.anon_key! };
  const follower = await openStream(`${gateway.url}/live/v1?tables=notes`, headers);
  expect(await follower.next()).toMatchObject({ event: 'ready' });
  // What else is committed in that very moment may have written everything.
  for (let reused = false; !reused; ) {
    const spent = await spend();
    const { cursor } = await changes();
    await crash();
    await until(async () => expect(await changes()).toMatchObject({ changes: [] }));
    await run(`insert into notes (body) values ('two')`);
    const { rows } = (await run('select max(xmin::text::bigint)::text as n from notes')).body;
    // The follower, whose stream went on, has to be told as well.
    expect((await follower.next())!.event).toMatch(/^(change|resync)$/);
    reused = Number(rows[0]!.n) < spent;
    await spend();
    const { changes: told, resync } = await changes(cursor);
    expect({ told: told.length > 0, resync }).not.toEqual({ told: false, resync: false });
  }
  follower.close();
});
