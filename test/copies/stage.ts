import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { homeOf, runningServerUrl } from '../../db/embedded/running.ts';
import { startEmbeddedPostgres } from '../../db/embedded/start.ts';
import { type GatewayProcess, startGateway } from '../helpers/gateway-process.ts';
import { argumentsOf, programEnv } from '../helpers/programs.ts';
import { createWallet, type TestWallet } from '../helpers/wallet.ts';

export const secretKey = '5c'.repeat(16) + '3a'.repeat(16);
export const passphrase = 'a passphrase for tests';

/** How a program ended. */
export interface Ended {
  readonly code: number | null;
  readonly stderr: string;
  /** What it told of itself. */
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly lines: readonly any[];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly result: any;
}

export interface ProgramOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The step at which it is killed: its name, or a name and how often it came before. */
  readonly killAt?: string;
  readonly onStep?: (line: Record<string, unknown>) => void;
}

/** Runs `backup` or `restore` as a process of its own. */
export async function runProgram(
  program: 'backup' | 'restore',
  words: readonly string[],
  { dataDir, env = { SVC_SECRET_KEY: secretKey }, killAt, onStep }: ProgramOptions,
): Promise<Ended> {
  const child = spawn(process.execPath, [...argumentsOf(program), ...words], {
    env: { PATH: process.env.PATH, ...programEnv(), SVC_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const lines: any[] = [];
  const closed = once(child, 'close');
  createInterface(child.stdout).on('line', (line) => {
    const document = JSON.parse(line);
    lines.push(document);
    if (document.step === undefined) return;
    onStep?.(document);
    if (document.step === killAt) child.kill('SIGKILL');
  });
  const [code] = await closed;
  return { code, stderr, lines, result: lines.at(-1)?.result };
}

/** The server in a data folder, which is started when it does not run. */
export async function withServer<Result>(dataDir: string, run: (url: string) => Promise<Result>): Promise<Result> {
  const home = await homeOf(dataDir);
  const running = home === undefined ? undefined : await runningServerUrl(home);
  if (running !== undefined) return run(running);
  const server = await startEmbeddedPostgres({ dataDir });
  try {
    return await run(server.url);
  } finally {
    await server.stop();
  }
}

export async function query<Row extends pg.QueryResultRow>(
  url: string,
  database: string,
  text: string,
): Promise<Row[]> {
  const target = new URL(url);
  target.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: target.href });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const tablesText = `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' order by 1`;

/** Every row of every table of the installation's databases, and where sequences stand. */
export async function everyRow(dataDir: string): Promise<Record<string, readonly string[]>> {
  return withServer(dataDir, async (url) => {
    const found: Record<string, string[]> = {};
    const databases = await query<{ name: string }>(
      url,
      'postgres',
      "select datname as name from pg_database where datname = 'svc' or datname ~ '^p_' order by 1",
    );
    for (const { name } of databases) {
      for (const table of await query<{ name: string }>(url, name, tablesText)) {
        const rows = await query<{ row: string }>(url, name, `select t::text as row from ${table.name} t order by 1`);
        found[`${name} ${table.name}`] = rows.map(({ row }) => row);
      }
      const sequences = await query<{ row: string }>(
        url,
        name,
        `select format('%I.%I %s', schemaname, sequencename, last_value) as row from pg_sequences order by 1`,
      );
      found[`${name} sequences`] = sequences.map(({ row }) => row);
    }
    return found;
  });
}

const textsText = `select 'function ' || p.oid::regprocedure::text as name, p.prosrc as text from pg_proc p
    where p.pronamespace = 'public'::regnamespace
  union all select format('default %s %s', d.adrelid::regclass, d.adnum), pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d
  union all select format('comment %s %s', c.objoid::regclass, c.objsubid), c.description from pg_description c
    where c.classoid = 'pg_class'::regclass and c.objoid >= 16384
  union all select format('column %s %s', a.attrelid::regclass, a.attnum), concat_ws(' ', a.attname,
      array_to_string(array(select o from unnest(a.attoptions) o where o !~ 'pg_attver'), ' ')) from pg_attribute a
    where a.attrelid >= 16384 and a.attnum > 0 and not attisdropped and a.attrelid::regclass::text !~ '^pg_toast'
  order by 1, 2`;

/** Every text that tenants have written into their definitions. */
export async function everyText(dataDir: string): Promise<Record<string, readonly object[]>> {
  return withServer(dataDir, async (url) => {
    const found: Record<string, object[]> = {};
    const text = "select datname as name from pg_database where datname ~ '^p_' order by 1";
    for (const { name } of await query<{ name: string }>(url, 'postgres', text))
      found[name] = await query(url, name, textsText);
    return found;
  });
}

/** What a restore changes by design, and what a server writes for itself. */
const ownRows =
  /svc (public\.(platform_facts|orgs|idempotency_keys|usage_\w+|audit\w*)|graphile_worker\.\w+)|_svc\.(live_\w+|ddl_changes|ddl_version)$/;

/** Only what has to be the same. */
export const lasting = (rows: Record<string, readonly string[]>) =>
  Object.fromEntries(Object.entries(rows).filter(([name]) => !ownRows.test(name)));

export interface World {
  readonly gateway: GatewayProcess;
  readonly wallet: TestWallet;
  readonly orgId: string;
  readonly projectId: string;
  readonly anonKey: string;
  readonly serviceKey: string;
}

/** A gateway on a data folder of its own. */
export const serve = (dataDir: string) => startGateway({ dataDir, env: { SVC_SECRET_KEY: secretKey } });

/** One with an organization and a project. */
export async function startWorld(dataDir: string): Promise<World> {
  const gateway = await serve(dataDir);
  const wallet = createWallet();
  const org = await gateway.call<{ org_id: string }>(gateway.as(wallet), 'POST', '/orgs/v1', { body: {} });
  const orgId = org.body.org_id;
  const project = await gateway.call<Record<string, string>>(gateway.as(wallet), 'POST', '/projects/v1', {
    body: { org_id: orgId },
  });
  if (project.status >= 300) throw new Error(project.text);
  const { project_id, anon_key, service_key } = project.body;
  return { gateway, wallet, orgId, projectId: project_id!, anonKey: anon_key!, serviceKey: service_key! };
}

/** Runs SQL of a tenant by the way that tenants have. */
export async function sql({ gateway, wallet, projectId }: World, text: string) {
  const answer = await gateway.call(gateway.as(wallet), 'POST', `/projects/v1/admin/${projectId}/sql`, {
    body: { sql: text },
  });
  if (answer.status >= 300) throw new Error(`${text}: ${answer.text}`);
  return answer.body;
}

/**
 * A tenant that would use a backup or a restore to get more rights than its own: it tries wherever its code may be called, and
 * refuses its rows to a session that has more.
 */
export const hostileSql = `
  create function grab() returns void language plpgsql as $$ begin
    if current_setting('is_superuser') = 'on' or session_user !~ '^r_' then raise exception 'run with rights of %', session_user; end if;
    begin execute 'create ' || 'role svc_pwned_' || floor(random() * 1e9)::text || ' superuser'; exception when others then null; end;
    begin execute 'reset ' || 'role'; execute 'create ' || 'role svc_pwned superuser'; exception when others then null; end;
  end $$;
  create function evil(n int) returns int language plpgsql immutable as $$ begin perform public.grab(); return n; end $$;
  create function length(t text) returns int language plpgsql immutable as $$ begin perform public.grab(); return 1; end $$;
  create function now() returns timestamptz language plpgsql as $$ begin perform public.grab(); return '2020-01-01'; end $$;
  create function setval(regclass, bigint, boolean) returns bigint language plpgsql as $$ begin perform public.grab(); return 0; end $$;
  create domain wary as int check (public.evil(value) is not null);
  create table "we""ird
 name'; drop table notes; --" ("co""l'
 umn" int default public.evil(1) check (public.evil(1) = 1), g int generated always as (public.evil(2)) stored, w wary);
  insert into "we""ird
 name'; drop table notes; --" (w) values (1), (2);
  create index "in""dex
 '" on "we""ird
 name'; drop table notes; --" (public.evil("co""l'
 umn"));
  create materialized view evil_view as select public.evil(w) as n from "we""ird
 name'; drop table notes; --";
  create function evil_trigger() returns trigger language plpgsql as $$ begin perform public.grab(); return new; end $$;
  create table watched (n int);
  create trigger watch before insert on watched for each row execute function evil_trigger();
  alter table watched enable always trigger watch;
  create rule loud as on update to watched do also select public.grab();
  insert into watched values (1);
  comment on table watched is E'one\\n\\\\unrestrict x\\n; reset role; select public.grab()'`;
