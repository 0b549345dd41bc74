import type pg from 'pg';
import type { ProjectDatabase, ProjectDatabases } from '../../db/project-databases.ts';
import type { commonRoles } from '../../db/project-template.ts';
import type { SavedDatabase } from './archive.ts';
import { tenantStatements } from './definitions.ts';
import { fillViews, loadRows, loadSequences, verifyContents } from './load-rows.ts';
import { quoted, quotedTable } from './names.ts';
import type { PartReader } from './parts.ts';
import type { SavedTemplate } from './save-project.ts';
import { plainClient } from './snapshot.ts';

/** The role that owns what tenants make. */
const ownerRole: (typeof commonRoles)[number] = 'service_role';

/** SQLSTATE of a statement that has reached its limit. */
const queryCanceled = '57014';

/** Longest that one statement of a tenant's definitions may take, in milliseconds: it may call a function that never ends. */
const statementMs = 3_600_000;

/** SQLSTATEs of a name that was not found: a function that names a table without its schema, say. */
const nameNotFound = new Set(['42P01', '42883', '42704', '3F000']);

export interface RestoreProjectOptions {
  readonly databases: ProjectDatabases;
  readonly project: ProjectDatabase & SavedTemplate & { readonly saved: SavedDatabase };
  /** The name under which it is filled, until it takes its place. */
  readonly draft: string;
  readonly store: PartReader;
  /** Told of bytes as they are read. */
  readonly onBytes: (bytes: number) => void;
  /** Told when all of the tenant's is there. */
  readonly onLoaded?: () => void;
  /** Longest that all statements of the tenant's may take together, in milliseconds. */
  readonly projectMs: number;
  /** Tables of the platform's whose rows come back, too. @default all */
  readonly platformRows?: (relation: { readonly schema: string; readonly name: string }) => boolean;
}

/**
 * Fills a database for a project. The platform's own tables are made by the platform's own statements and filled by the
 * administrator; everything of the tenant's is run in a session that logs in as the project's own role: definitions,
 * generated columns, checks and indexes call functions of the tenant's, which can do there what they can do on any day.
 *
 * @returns what could not be brought back, in sentences
 */
export async function restoreProject(options: RestoreProjectOptions): Promise<string[]> {
  const { databases, project, draft, store, onBytes, platformRows = () => true } = options;
  const { saved } = project;
  const limit = limitUntil(options.projectMs);
  await databases.makeDraft(project, draft, project.templateVersion);
  const tenantTables = saved.tables.filter(({ schema }) => schema === 'public');
  const platformTables = saved.tables.filter(({ schema }) => schema !== 'public');
  const restored = platformTables.filter(platformRows);

  const admin = await plainClient(databases.adminUrl(project.server, draft), { tablesAlone: true });
  try {
    for (const { schema, name, version } of saved.extensions)
      await admin.query(
        `create extension if not exists ${quoted(name)} with schema ${quoted(schema)} version ${quoted(version)}`,
      );
    // As pg_dump takes them to be: it tells the difference to what PostgreSQL grants by itself.
    await admin.query(`alter default privileges for role ${ownerRole} grant execute on functions to public`);
    const [before, after] = [
      tenantStatements(await store.readText(saved.before)),
      tenantStatements(await store.readText(saved.after)),
    ];
    const load = (early: ReadonlySet<string>) =>
      asTenant(options, limit, async (tenant) => {
        await runEach(tenant, before, limit);
        await tenant.query("select set_config('search_path', 'pg_catalog, public', true)");
        await runEach(tenant, [...early], limit);
        for (const table of tenantTables) {
          await limit(tenant);
          await loadRows(tenant, [table], store, onBytes);
        }
        await loadSequences(
          tenant,
          saved.sequences.filter(({ schema }) => schema === 'public'),
        );
        const late = after.filter((statement) => !early.has(statement));
        await runEach(tenant, late, limit, early.size === 0 ? isIndex : undefined);
        const unfilled = await fillViews(
          tenant,
          saved.filled.filter(({ schema }) => schema === 'public'),
          limit,
        );
        return unfilled.map((one) => `The materialized view ${one}`);
      });
    const notes = await load(new Set()).catch((error: unknown) => {
      if (error instanceof EarlyError) return load(new Set(error.statements));
      throw error;
    });
    if (project.templateVersion >= 2)
      await admin.query(`alter default privileges for role ${ownerRole} revoke execute on functions from public`);
    options.onLoaded?.();
    await admin.query('begin');
    if (platformTables.length > 0)
      await admin.query(`truncate ${platformTables.map((table) => quotedTable(table)).join(', ')}`);
    await loadRows(admin, restored, store, onBytes);
    await loadSequences(
      admin,
      saved.sequences.filter(({ schema }) => schema !== 'public'),
    );
    await admin.query('commit');
    await verifyContents(admin, { ...saved, tables: [...tenantTables, ...restored] });
    // Calls nothing of the tenant's: the bodies of these triggers are written from catalogs.
    if (project.live.length > 0) await keepLive(options, limit);
    await databases.settleDraft(project, draft);
    return notes;
  } finally {
    await admin.end().catch(() => undefined);
  }
}

/** One transaction of the project's own login, as the owner of its tables. */
async function asTenant<Result>(
  { databases, project, draft }: RestoreProjectOptions,
  limit: Limit,
  run: (tenant: pg.Client) => Promise<Result>,
): Promise<Result> {
  const tenant = await plainClient(databases.loginUrl({ ...project, databaseName: draft }));
  try {
    await tenant.query(
      `set role ${ownerRole}; set statement_timeout = ${statementMs}; set maintenance_work_mem = '256MB'`,
    );
    await tenant.query('begin');
    const result = await run(tenant);
    await limit(tenant);
    await tenant.query('commit');
    return result;
  } catch (error) {
    // Which of the two bounds a statement was cancelled by.
    if ((error as pg.DatabaseError).code === queryCanceled) await limit(tenant);
    throw error;
  } finally {
    await tenant.end().catch(() => undefined);
  }
}

/** Indexes that can be made only while their table is empty. */
class EarlyError extends Error {
  override readonly name = 'EarlyError';
  readonly statements: readonly string[];

  constructor(statements: readonly string[]) {
    super('Some indexes have to be made before the rows are there.');
    this.statements = statements;
  }
}

const isIndex = (statement: string): boolean => /^\s*create (?:unique )?index\b/i.test(statement);

/**
 * @param mayBeEarly statements that may come before the rows instead: PostgreSQL makes an index of rows that are there with a
 * path of its own, whatever the session's is, and a function that names a table without its schema finds nothing then
 * @throws EarlyError when some have to
 */
async function runEach(
  tenant: pg.Client,
  statements: readonly string[],
  limit: Limit,
  mayBeEarly: (statement: string) => boolean = () => false,
): Promise<void> {
  const early: string[] = [];
  for (const statement of statements) {
    await limit(tenant);
    await tenant.query('savepoint statement');
    try {
      await tenant.query(statement);
    } catch (error) {
      if (!nameNotFound.has((error as pg.DatabaseError).code ?? '')) throw error;
      await tenant.query('rollback to savepoint statement');
      if (mayBeEarly(statement)) early.push(statement);
      else await runWithNames(tenant, statement, limit);
    }
    await tenant.query('release savepoint statement');
  }
  await limit(tenant);
  if (early.length > 0) throw new EarlyError(early);
}

/** Definitions come without a path to search. What calls a function that relies on one gets the path that it was made with. */
async function runWithNames(tenant: pg.Client, statement: string, limit: Limit): Promise<void> {
  const { rows } = await tenant.query<{ path: string }>("select current_setting('search_path') as path");
  await tenant.query("select pg_catalog.set_config('search_path', 'public', true)");
  await limit(tenant);
  await tenant.query(statement);
  await tenant.query("select pg_catalog.set_config('search_path', $1, true)", [rows[0]!.path]);
}

/** Bounds the next statement of a tenant's session. */
type Limit = (tenant: pg.Client) => Promise<void>;

/** A tenant's statements have taken too long together. */
class LateError extends Error {
  override readonly name = 'LateError';
}

/**
 * Asked before every statement: pg_dump sets the limit for its own, and a function of the tenant's that one calls may take
 * it away. Many statements that each end in time are bounded together.
 */
function limitUntil(projectMs: number): Limit {
  const endsAt = performance.now() + projectMs;
  return async (tenant) => {
    const left = Math.floor(endsAt - performance.now());
    if (left <= 0) throw new LateError(`It took longer than ${projectMs / 3_600_000} hours (--project-hours).`);
    await tenant.query(`set local statement_timeout = ${Math.min(statementMs, left)}`);
  };
}

function keepLive(options: RestoreProjectOptions, limit: Limit): Promise<void> {
  const wanted = options.project.live.map(({ table, owner }) => (owner === null ? { table } : { table, owner }));
  return asTenant(options, limit, async (tenant) => {
    await limit(tenant);
    await tenant.query('select _svc.keep_live($1)', [JSON.stringify(wanted)]);
  });
}
