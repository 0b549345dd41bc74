import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { asProcess, terminal } from '../cli/command.ts';
import { type GatewayProcess, killGateways, temporaryFolder, tryGateway } from '../helpers/gateway-process.ts';
import {
  everyRow,
  everyText,
  hostileSql,
  lasting,
  passphrase,
  query,
  runProgram,
  secretKey,
  serve,
  sql,
  startWorld,
  withServer,
} from './stage.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

const folders: { remove: () => Promise<void> }[] = [];
async function folder(): Promise<string> {
  const made = await temporaryFolder();
  folders.push(made);
  return made.path;
}
afterAll(async () => {
  await killGateways();
  await operator.remove();
  for (const one of folders) await one.remove();
});

const source = join(await folder(), 'svc');
await mkdir(source);
const backups = join(await folder(), 'backups');
const withRoot = { SVC_SECRET_KEY: secretKey };
const withPassphrase = { SVC_BACKUP_PASSPHRASE: passphrase };
const operator = await terminal(undefined, asProcess());
const world = await startWorld(source);
const { gateway, wallet, projectId } = world;
const anyone = { headers: async () => ({ apikey: world.anonKey }) };

await sql(
  world,
  `create table notes (id bigint generated always as identity primary key, owner text, body text not null,
     words int generated always as (array_length(string_to_array(body, ' '), 1)) stored, at timestamptz default now(),
     price numeric, data bytea, f float8);
   insert into notes (owner, body, price, data, f)
     select n, E'line\\none\\ttab \\\\ ' || n, n / 3.0, decode(md5(n::text), 'hex'), n / 7.0 from generate_series(1, 2000) n;
   create table parts (k int, v text) partition by range (k);
   create table parts_a partition of parts for values from (0) to (100);
   insert into parts select n, 'v' || n from generate_series(0, 99) n;
   create materialized view totals as select count(*) as n from notes;
   create type mood as enum ('good', 'bad'); create domain short as text check (length(value) < 9);
   create table moods (m mood, s short default 'x'); insert into moods values ('good', 'abc');
   create unlogged table scratch (n int); insert into scratch values (1);
   create index notes_length on notes (length(body))`,
);
const exposed = await gateway.call(gateway.as(wallet), 'POST', `/projects/v1/admin/${projectId}/expose`, {
  body: {
    version: '1',
    tables: [{ name: 'notes', expose: true, policy: 'user_owns_rows', owner_column: 'owner', live: true }],
  },
});
if (exposed.status >= 300) throw new Error(exposed.text);
await sql(world, hostileSql);
// Lines that psql would take for commands.
const commandLines = 'first\n\\restrict abc\n\\UNRESTRICT abc\n\\unrestrict\nlast';
await sql(
  world,
  `create function commands() returns text language sql as $$ select '${commandLines}'::text $$;
   create table told (t text default '${commandLines}', "${commandLines}" int);
   comment on table told is '${commandLines}'; alter table notes alter column f set (n_distinct = 5)`,
);
// As PostgreSQL 15.20 of Debian keeps it.
await withServer(source, async (url) => {
  for (const { name } of await query<{ name: string }>(
    url,
    'postgres',
    "select datname as name from pg_database where datname = 'svc' or datname ~ '^p_'",
  ))
    await query(
      url,
      name,
      "update pg_attribute set attoptions = coalesce(attoptions, '{}') || array['pg_attver=20584240'] where attrelid in (select oid from pg_class where oid >= 16384 and relkind in ('r', 'p'))",
    );
});
const person = { email: 'ada@example.com', password: 'correct horse battery' };
const signUp = await gateway.call(anyone, 'POST', '/auth/v1/signup', { body: person });
if (signUp.status >= 300) throw new Error(signUp.text);

const changes = async (from: GatewayProcess, cursor?: string) =>
  (
    await from.call<{ changes: object[]; resync: boolean; cursor: string }>(
      { headers: async () => ({ apikey: world.anonKey, authorization: `Bearer ${await tokenOf(from)}` }) },
      'GET',
      `/live/v1/changes?tables=notes${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    )
  ).body;

async function tokenOf(from: GatewayProcess): Promise<string> {
  const { body, text } = await from.call<{ access_token: string }>(
    anyone,
    'POST',
    '/auth/v1/token?grant_type=password',
    { body: person },
  );
  if (body.access_token === undefined) throw new Error(text);
  return body.access_token;
}
const { cursor } = await changes(gateway);

/** Adds entries to the feed of the project's events, and reads what comes after a cursor. */
async function happen(from: GatewayProcess, types: readonly string[], after?: string) {
  const path = `/projects/v1/${projectId}/events`;
  const service = { headers: async () => ({ apikey: world.serviceKey }) };
  for (const event_type of types)
    expect(await from.call(service, 'POST', path, { body: { event_type } })).toMatchObject({ status: 201 });
  const query = after === undefined ? '' : `?cursor=${after}`;
  const { body } = await from.call<{ events: { event_type: string }[]; reset: boolean; cursor: string }>(
    from.as(wallet),
    'GET',
    `${path}${query}`,
  );
  return { ...body, types: body.events.map((one) => one.event_type) };
}
/** Was handed out after the backup that is restored. */
let lostCursor: string;

let before: Awaited<ReturnType<typeof everyRow>>;
let texts: Awaited<ReturnType<typeof everyText>>;
let run: string;

test('an installation is saved while it serves and while tenants write', async () => {
  const writing = new AbortController();
  const writer = (async () => {
    // Each adds one row to both: a moment in which the counts differ was never committed.
    for (let n = 0; !writing.signal.aborted; n++)
      await sql(world, `insert into scratch values (${n}); insert into moods values ('bad', '${n}')`);
  })();
  const saved = await runProgram('backup', [backups], { dataDir: source, env: { ...withRoot, ...withPassphrase } });
  writing.abort();
  await writer;
  expect(saved.stderr).toBe('');
  expect(saved.result).toMatchObject({ databases: 2, missing: [], left_out: [] });
  expect(gateway.running()).toBe(true);
  expect((await stat(backups)).mode & 0o777).toBe(0o700);
  const kept = JSON.parse(await readFile(join(backups, 'runs', `${saved.result.run}.json`), 'utf8')).manifest;
  const rows = Object.fromEntries(
    kept.projects[0].saved.tables.map((one: { name: string; rows: number }) => [one.name, one.rows]),
  );
  expect(rows.scratch).toBe(rows.moods);
  expect(await readFile(join(backups, 'runs', `${saved.result.run}.json`), 'utf8')).not.toContain(secretKey);
});

test('objects in a bucket are in no backup, which says so', async () => {
  const env = {
    ...withRoot,
    ...withPassphrase,
    ...{
      S3_ENDPOINT: 'http://127.0.0.1:9',
      S3_BUCKET: 'acme-objects',
      S3_ACCESS_KEY_ID: 'a',
      S3_SECRET_ACCESS_KEY: 'b',
    },
  };
  const saved = await runProgram('backup', [`${backups}-beside`], { dataDir: source, env });
  expect(saved.result).toMatchObject({ missing: [], left_out: ['Objects: those of the bucket acme-objects'] });
  await rm(`${backups}-beside`, { recursive: true, force: true });
});

test('a second backup of what has not changed stores nothing, and one that is killed goes on where it was', async () => {
  await gateway.stop();
  const first = await runProgram('backup', [backups], { dataDir: source, env: { ...withRoot, ...withPassphrase } });
  expect(first.stderr).toBe('');
  const second = await runProgram('backup', [backups, '--keep', '1'], {
    dataDir: source,
    env: { ...withRoot, ...withPassphrase },
  });
  expect(second.result).toMatchObject({ stored_parts: 0, stored_bytes: 0, rows: first.result.rows });
  expect(second.result.pruned_runs).toHaveLength(2);
  run = second.result.run;
  before = await everyRow(source);
  texts = await everyText(source);
  const later = await serve(source);
  lostCursor = (await happen(later, ['lost_one', 'lost_two'])).cursor;
  await later.stop();

  const other = join(await folder(), 'backups');
  const options = { dataDir: source, env: { ...withRoot } };
  for (const killAt of ['control', 'control-saved', 'project-saved', 'files', 'manifest']) {
    const killed = await runProgram('backup', [other], { ...options, killAt });
    // The last steps are short: a run that was finished meanwhile is there as a whole.
    const names = (await readdir(join(other, 'runs'))).filter((name) => name.endsWith('.json'));
    if (killAt === 'control') expect(names).toEqual([]);
    for (const name of names)
      expect(JSON.parse(await readFile(join(other, 'runs', name), 'utf8')).mac).toHaveLength(64);
    expect(killed.stderr).toBe('');
  }
  const resumed = await runProgram('backup', [other], options);
  expect(resumed.stderr).toBe('');
  expect(resumed.result).toMatchObject({ databases: 2, stored_parts: 0 });

  // A part that was damaged on its disk is stored anew by the next run that needs it.
  const { manifest } = JSON.parse(await readFile(join(other, 'runs', `${resumed.result.run}.json`), 'utf8'));
  const { sha256 } = manifest.projects[0].saved.before;
  const path = join(other, 'objects', sha256.slice(0, 2), sha256);
  const bytes = await readFile(path);
  const damaged = Buffer.from(bytes);
  damaged[bytes.length >> 1]! ^= 4;
  await writeFile(path, damaged);
  expect((await runProgram('backup', [other], options)).result).toMatchObject({ stored_parts: 1 });
  expect(await readFile(path)).toEqual(bytes);
});

test('a flipped bit in any part, another passphrase, another root and a folder in use are refused, and nothing is made', async () => {
  const target = join(await folder(), 'svc');
  const refuse = async (env: Record<string, string>, dataDir = target) => {
    const { code, stderr } = await runProgram('restore', [backups], { dataDir, env });
    expect(code).toBe(1);
    return stderr;
  };
  expect(await refuse({})).toContain('give its passphrase as SVC_BACKUP_PASSPHRASE');
  expect(await refuse({ SVC_BACKUP_PASSPHRASE: 'some other passphrase' })).toContain('passphrase is not the one');
  expect(await refuse({ SVC_SECRET_KEY: '3a'.repeat(16) + '5c'.repeat(16) })).toContain('another root secret');
  expect(await refuse(withPassphrase, source)).toContain('is not empty');

  const { manifest } = JSON.parse(await readFile(join(backups, 'runs', `${run}.json`), 'utf8'));
  const notes = manifest.projects[0].saved.tables.find((one: { name: string }) => one.name === 'notes');
  const parts = [manifest.control.before, manifest.control.after, manifest.projects[0].saved.before, notes.parts[0]];
  for (const { sha256 } of parts) {
    const path = join(backups, 'objects', sha256.slice(0, 2), sha256);
    const bytes = await readFile(path);
    const damaged = Buffer.from(bytes);
    damaged[bytes.length >> 1]! ^= 4;
    await writeFile(path, damaged);
    expect(await refuse(withPassphrase)).toContain(`objects/${sha256.slice(0, 2)}/${sha256} is damaged`);
    await writeFile(path, bytes);
  }
  const path = join(backups, 'runs', `${run}.json`);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('"owner"', '"Owner"'));
  expect(await refuse(withPassphrase)).toContain(`runs/${run}.json is damaged`);
  await writeFile(path, text);
  // As a newer one it would be the latest.
  const renamed = join(backups, 'runs', '20991231T235959Z-ffffff.json');
  await writeFile(renamed, text);
  expect(await refuse(withPassphrase)).toContain(`is the one of the backup ${run}`);
  await rm(renamed);
  expect(await readdir(join(target, '..'))).toEqual([]);
});

test('a folder that holds anything but backups is refused, and left as it is', async () => {
  const home = await folder();
  await mkdir(join(home, 'tmp'));
  await mkdir(join(home, 'runs'));
  for (const path of ['tmp/letter.txt', 'diary.txt']) await writeFile(join(home, path), 'mine');
  await chmod(home, 0o755);
  // Its folders have the names of ours.
  const alike = await folder();
  for (const name of ['tmp', 'objects', 'runs']) await mkdir(join(alike, name));
  for (const path of ['tmp/letter.txt', 'objects/photo.jpg']) await writeFile(join(alike, path), 'mine');
  for (const path of [home, source, alike]) {
    const { code, stderr } = await runProgram('backup', [path, '--keep', '1'], { dataDir: source, env: withRoot });
    expect(code).toBe(1);
    expect(stderr).toContain('holds other things than backups');
  }
  expect((await stat(home)).mode & 0o777).toBe(0o755);
  expect((await readdir(home)).sort()).toEqual(['diary.txt', 'runs', 'tmp']);
  expect(await readFile(join(home, 'tmp', 'letter.txt'), 'utf8')).toBe('mine');
  for (const path of ['tmp/letter.txt', 'objects/photo.jpg'])
    expect(await readFile(join(alike, path), 'utf8')).toBe('mine');
});

test('a second backup into the same folder and a second restore of the same data folder are refused, and the first ends well', async () => {
  const [to, target] = [join(await folder(), 'backups'), join(await folder(), 'svc')];
  const both = async (program: 'backup' | 'restore', words: string[], dataDir: string, step: string) => {
    const options = { dataDir, env: { ...withRoot, ...withPassphrase } };
    let second: ReturnType<typeof runProgram> | undefined;
    const first = await runProgram(program, words, {
      ...options,
      onStep: (line) => {
        if (line.step === step) second ??= runProgram(program, words, options);
      },
    });
    return [first, await second!] as const;
  };
  const [saved, refused] = await both('backup', [to], source, 'control');
  expect(saved).toMatchObject({ code: 0, stderr: '', result: { databases: 2 } });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('is in use by process');
  const [restored, late] = await both('restore', [to], target, 'server');
  expect(restored).toMatchObject({ code: 0, stderr: '', result: { run: saved.result.run } });
  expect(late.code).toBe(1);
  expect(late.stderr).toMatch(/is under way|is not empty/);
});

test('a restore that is killed at each of its steps goes on, and ends with every row, the same keys, users and rules', async () => {
  const target = join(await folder(), 'svc');
  const steps = [
    'verify',
    'files',
    'server',
    'roles',
    'project',
    'project-loaded',
    'project-verified',
    'control-loaded',
    'publish',
    'commit',
    'finish',
    'move',
    'moved',
  ];
  for (const killAt of steps) {
    const killed = await runProgram('restore', [backups], { dataDir: target, env: withPassphrase, killAt });
    expect([killAt, killed.stderr]).toEqual([killAt, '']);
    if (killed.result !== undefined) break;
    if (killAt === 'project') {
      const refused = await tryGateway({ dataDir: target, env: withRoot });
      expect('stderr' in refused && refused.stderr).toContain('A restore into');
    }
  }
  // Killed as the last was moved, it may have been done.
  if ((await readdir(target)).includes('restoring')) {
    const ended = await runProgram('restore', [backups], { dataDir: target, env: withPassphrase });
    expect(ended.stderr).toBe('');
    expect(ended.result).toMatchObject({ run });
  }
  expect(await readdir(target)).toEqual(['postgres', 'secret.key']);
  expect((await stat(join(target, 'secret.key'))).mode & 0o777).toBe(0o600);
  expect(lasting(await everyRow(target))).toEqual(lasting(before));
  expect(await everyText(target)).toEqual(texts);
  await withServer(target, async (url) => {
    expect(await query(url, 'postgres', "select rolname from pg_roles where rolname like 'svc_pwned%'")).toEqual([]);
    const [login] = await query<{ options: unknown }>(
      url,
      'postgres',
      'select count(*)::int as options from pg_db_role_setting where setdatabase <> 0',
    );
    expect(login).toEqual({ options: 0 });
  });

  const again = await serve(target);
  const service = { headers: async () => ({ apikey: world.serviceKey }) };
  expect(await again.call(service, 'GET', '/admin/v1/rest/notes?select=words&id=eq.7')).toMatchObject({
    status: 200,
    body: [{ words: 3 }],
  });
  // The feed has come past the position that the cursor of the lost time has.
  const found = await happen(again, ['new_one', 'new_two', 'new_three'], lostCursor);
  expect(found.reset).toBe(true);
  expect(found.types).toEqual(expect.arrayContaining(['new_one', 'new_two', 'new_three']));
  expect(found.types).not.toContain('lost_one');
  // The policy of the manifest still tells users apart.
  expect(await again.call(anyone, 'GET', '/rest/v1/notes?select=id')).toMatchObject({ body: [] });
  // Cursors of before are of another server; what is written now is told.
  const first = await changes(again, cursor);
  expect(first.resync).toBe(true);
  const me = JSON.parse(Buffer.from((await tokenOf(again)).split('.')[1]!, 'base64url').toString()).sub;
  await sql({ ...world, gateway: again }, `insert into notes (owner, body) values ('${me}', 'after the restore')`);
  expect(await changes(again, first.cursor)).toMatchObject({ resync: false, changes: [{ table: 'notes' }] });
  await again.stop();
});

test('a tenant whose definitions refuse to come back is named, and can be left out', async () => {
  const again = await serve(source);
  const [database] = await withServer(source, (url) =>
    query<{ name: string }>(url, 'svc', 'select database_name as name from projects'),
  );
  await sql(
    { ...world, gateway: again },
    `create function sulky(n int) returns bool language plpgsql as $$ begin
       if current_setting('application_name') like '%backup%' then raise exception 'not today'; end if; return true; end $$;
     create table sulking (n int check (sulky(n))); insert into sulking values (1)`,
  );
  await again.stop();
  const other = join(await folder(), 'backups');
  // By the command, which starts the programs from their sources.
  const gatewayFolder = fileURLToPath(new URL('../..', import.meta.url));
  const svc = operator.with({ ...withRoot, SVC_GATEWAY_DIR: gatewayFolder });
  const saved = await svc('backup', other, '--data-dir', source);
  expect(saved).toMatchObject({ code: 0, json: { databases: 2, missing: [] } });
  expect((await svc('backup', 'list', other)).json).toMatchObject({
    runs: [{ run: saved.json.run, projects: 1, missing: 0, secrets: 'root' }],
  });
  const target = join(await folder(), 'svc');
  const refused = await svc('restore', other, '--data-dir', target);
  expect(refused).toMatchObject({ code: 1, error: { code: 'LOCAL_ERROR' } });
  expect(refused.error.message).toContain(`--leave-out ${database!.name}`);
  expect(refused.error.message).toContain('not today');
  const left = await runProgram('restore', [other, '--leave-out', database!.name], { dataDir: target, env: withRoot });
  expect(left.stderr).toBe('');
  const without = await serve(target);
  expect(
    await without.call({ headers: async () => ({ apikey: world.serviceKey }) }, 'GET', '/admin/v1/rest/notes'),
  ).toMatchObject({ status: 404 });
});
