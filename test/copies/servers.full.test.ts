import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { killGateways, startGateway, temporaryFolder } from '../helpers/gateway-process.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { until } from '../helpers/until.ts';
import { createWallet } from '../helpers/wallet.ts';
import { passphrase, query, runProgram, secretKey, sql, type World } from './stage.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

/** The root secret that replaces `secretKey`. */
const nextKey = '3a'.repeat(16) + '5c'.repeat(16);
const home = await temporaryFolder();
const servers = await Promise.all([startOwnPostgres(), startOwnPostgres(), startOwnPostgres(), startOwnPostgres()]);
afterAll(async () => {
  await killGateways();
  await Promise.all(servers.map((server) => server.stop()));
  await home.remove();
});

/** A control database, and two servers for projects. */
async function place(first: (typeof servers)[number], second: (typeof servers)[number]) {
  const [control, east] = [await first.database(), await second.database()];
  const env = { DATABASE_URL: control.url, PROJECT_DATABASE_URLS: `main=${control.url},east=${east.url}` };
  return { control, east, env };
}
const [old, fresh] = [await place(servers[0], servers[1]), await place(servers[2], servers[3])];
const backups = join(home.path, 'backups');
const target = join(home.path, 'restored');

const gateway = await startGateway({ dataDir: home.path, env: old.env });
const wallet = createWallet();
const org = await gateway.call<{ org_id: string }>(gateway.as(wallet), 'POST', '/orgs/v1', { body: {} });
const worlds: (World & { readonly database: string; readonly server: string })[] = [];
for (let n = 0; n < 4; n++) {
  const { body, text } = await gateway.call<Record<string, string>>(gateway.as(wallet), 'POST', '/projects/v1', {
    body: { org_id: org.body.org_id, name: `Project ${n}` },
  });
  const [row] = await query<{ database: string; server: string }>(
    old.control.url,
    old.control.name,
    `select database_name as database, server from projects where id = '${body.project_id}'`,
  );
  if (row === undefined) throw new Error(text);
  const { project_id, anon_key, service_key } = body;
  const world = {
    gateway,
    wallet,
    orgId: org.body.org_id,
    projectId: project_id!,
    anonKey: anon_key!,
    serviceKey: service_key!,
  };
  worlds.push({ ...world, ...row });
  await sql(world, `create table notes (n int); insert into notes select generate_series(1, ${n + 1})`);
}
// A check that never ends while the rows come back.
await sql(
  worlds[2]!,
  `create function slow(n int) returns bool language plpgsql as $$ begin
     if current_setting('application_name') like '%backup%' then perform pg_sleep(3600); end if; return true; end $$;
   alter table notes add check (slow(n))`,
);
await gateway.stop();

/** Rows of a project, by the key that the first root secret has made. A gateway that is busy is asked again, as clients do. */
const notesOf = (from: { call: typeof gateway.call }, { serviceKey }: World) =>
  until(async () => {
    const service = { headers: async () => ({ apikey: serviceKey }) };
    const { status, body } = await from.call<{ n: number }[]>(service, 'GET', '/admin/v1/rest/notes?select=n&order=n');
    expect(status).not.toBe(503);
    return status === 200 ? body.map(({ n }) => n) : status;
  });

test('projects of several servers are saved while a root secret is replaced', async () => {
  expect(worlds.map(({ server }) => server)).toEqual(['main', 'east', 'main', 'east']);
  const env = { ...old.env, SVC_SECRET_KEY: nextKey, SVC_SECRET_KEY_PREVIOUS: secretKey };
  const rotated = await startGateway({ dataDir: home.path, env });
  expect(await notesOf(rotated, worlds[3]!)).toEqual([1, 2, 3, 4]);
  const saved = await runProgram('backup', [backups], {
    dataDir: home.path,
    env: { ...env, SVC_BACKUP_PASSPHRASE: passphrase },
  });
  expect(saved.stderr).toBe('');
  expect(saved.result).toMatchObject({ databases: 5, missing: [] });
  await rotated.stop();
});

test('a project whose statements take longer than the bound together is named, and nothing takes its place', async () => {
  const refused = await runProgram('restore', [backups, '--project-hours', '0.002'], {
    dataDir: target,
    env: { ...fresh.env, SVC_BACKUP_PASSPHRASE: passphrase },
  });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`The database ${worlds[2]!.database} of the project`);
  expect(refused.stderr).toContain('took longer than 0.002 hours (--project-hours)');
  expect(refused.stderr).toContain(`--leave-out ${worlds[2]!.database}`);
});

test('a restore that goes on leaves out what an earlier one had finished, on its server, with both root secrets', async () => {
  const [first, second, third, last] = worlds;
  // As if it had been killed between giving databases their names and the commit that names them.
  await query(
    fresh.control.url,
    fresh.control.name,
    `alter database restoring_${first!.database} rename to ${first!.database}`,
  );
  const leftOut = [first!, second!, third!].flatMap(({ database }) => ['--leave-out', database]);
  const restored = await runProgram('restore', [backups, ...leftOut], {
    dataDir: target,
    env: { ...fresh.env, SVC_BACKUP_PASSPHRASE: passphrase },
  });
  expect(restored.stderr).toBe('');
  expect(restored.result.left_out).toEqual(
    [first!, second!, third!].map(({ database }) => `${database}: It is empty.`),
  );
  for (const { database, server } of worlds) {
    const of = server === 'main' ? fresh.control : fresh.east;
    const found = await query(of.url, of.name, `select datname from pg_database where datname ~ '${database}'`);
    expect(found).toEqual([{ datname: database }]);
  }
  expect((await readdir(target)).sort()).toEqual(['secret-previous.key', 'secret.key']);

  // No root secret comes by the environment.
  const again = await startGateway({ dataDir: target, env: { ...fresh.env, SVC_SECRET_KEY: '' } });
  expect(await Promise.all(worlds.map((world) => notesOf(again, world)))).toEqual([404, 404, 404, [1, 2, 3, 4]]);
  expect(await again.stop()).toBe(0);
  expect(last!.server).toBe('east');
});
