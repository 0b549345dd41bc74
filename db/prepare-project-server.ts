import type pg from 'pg';
import type { AuthLogin } from './auth-login.ts';
import { sqlState } from './pool.ts';
import { liveWriter } from './project-template/live.ts';
import { commonRoles, statementsSince, templateName } from './project-template.ts';
import { withClient } from './with-client.ts';

/** Session lock under which a server is prepared. */
const bootstrapLock = 7_306_002;

type Warn = (message: string, facts: Record<string, unknown>) => void;

interface ProjectServerOptions {
  readonly name: string;
  readonly url: string;
  readonly authLogin: AuthLogin;
  readonly warn: Warn;
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Makes a server ready for projects: common roles, the template, no way in for PUBLIC. Safe on many nodes at once. */
export async function prepareProjectServer({ name, url, authLogin, warn }: ProjectServerOptions): Promise<void> {
  await withBootstrapClient(url, async (client) => {
    await client.query('select pg_advisory_lock($1)', [bootstrapLock]);
    const roles = new Set(
      (await client.query<{ rolname: string }>('select rolname from pg_roles')).rows.map((r) => r.rolname),
    );
    for (const role of commonRoles.filter((one) => !roles.has(one))) {
      const bypass = role === 'service_role' ? 'bypassrls' : 'nobypassrls';
      await client.query(`create role ${role} nologin noinherit ${bypass}`);
    }
    await authLogin.prepare(client, roles);
    if (!roles.has(liveWriter)) await client.query(`create role ${liveWriter} nologin noinherit`);
    await makeTemplate(client, url);
    await closeToPublic(client, name, warn);
  });
}

async function makeTemplate(client: pg.Client, url: string): Promise<void> {
  const found = await client.query('select 1 from pg_database where datname = $1', [templateName]);
  if (found.rowCount !== 0) return;
  // Made under another name and renamed when whole: a crash leaves a draft, never half a template.
  const draft = `${templateName}_draft`;
  await client.query(`drop database if exists ${draft} with (force)`);
  await client.query(`create database ${draft} template template0`);
  await client.query(`revoke connect, temporary on database ${draft} from public`);
  const target = new URL(url);
  target.pathname = `/${draft}`;
  await withClient(target.href, async (inside) => {
    for (const statement of statementsSince(0)) await inside.query(statement);
  });
  await client.query(`alter database ${draft} with is_template true allow_connections false`);
  await client.query(`alter database ${draft} rename to ${templateName}`);
}

/** A tenant's role must not enter any database but its own, so PUBLIC loses its default right on all of them. */
async function closeToPublic(client: pg.Client, server: string, warn: Warn): Promise<void> {
  const open = `select datname from pg_database d
    where exists (select from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
      where a.grantee = 0 and a.privilege_type in ('CONNECT', 'TEMPORARY'))`;
  for (const { datname } of (await client.query<{ datname: string }>(open)).rows) {
    await client.query(`revoke connect, temporary on database ${quote(datname)} from public`).catch(() => undefined);
  }
  const left = (await client.query<{ datname: string }>(open)).rows.map((row) => row.datname);
  if (left.length > 0) {
    warn('Databases on a project server stay open to every login role.', { server, databases: left });
  }
}

/**
 * Advisory locks are each database's own, roles and databases are the server's: all who prepare a server meet in the
 * database that every server has, or in its own where that one is closed.
 */
async function withBootstrapClient(url: string, run: (client: pg.Client) => Promise<void>): Promise<void> {
  const shared = new URL(url);
  shared.pathname = '/postgres';
  let entered = false;
  const prepare = (client: pg.Client) => {
    entered = true;
    return run(client);
  };
  try {
    await withClient(shared.href, prepare, { name: 'bootstrap' });
  } catch (error) {
    // No such database, or no way in.
    if (entered || !['3D000', '42501', '28000'].includes(sqlState(error) ?? '')) throw error;
    await withClient(url, run, { name: 'bootstrap' });
  }
}
