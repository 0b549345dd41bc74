import pg from 'pg';
import { ServiceError } from '../../../core/errors.ts';
import { isConnectionLoss } from '../../../db/pool.ts';
import { migrationSeconds, schemaLockKey } from '../../../db/project-databases.ts';
import type { BatchRows, BatchStatement } from '../../../db/wire/batch.ts';
import type { Manifest } from '../../../engines/expose/manifest-shape.ts';
import type { SpecMigration } from '../../../engines/release/spec/release-spec.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { applyManifest, readManifest, schemaLock } from '../../project-data/shared/apply-manifest.ts';
import {
  asOwner,
  asOwnReader,
  databaseOf,
  inProject,
  once,
  ownerRole,
  tenantSchema,
} from '../../project-data/shared/in-project.ts';
import { readingSql } from '../../project-data/shared/reading-sql.ts';
import { readText } from '../given-spec.ts';
import type { Deploying } from './deploying.ts';

type Run = (statements: readonly BatchStatement[]) => Promise<BatchRows>;

/** What of a specification changes the schema of a project. */
export interface SchemaChange {
  readonly migrations: readonly SpecMigration[];
  readonly expose: Readonly<Record<string, unknown>> | undefined;
}

/** A migration with its statements. */
interface Readied {
  readonly migration: SpecMigration;
  readonly statements: readonly { readonly text: string }[];
}

/** Some other deploy, or the one that was here before, has begun a migration outside of a transaction and did not end it. */
export class HalfDoneError extends Error {
  override readonly name = 'HalfDoneError';
  readonly refusal: ServiceError;

  constructor(refusal: ServiceError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

const options = { mostMs: migrationSeconds * 1000 };

/**
 * Runs migrations in their order, and applies the manifest with the last of them. Those inside a transaction share one with
 * their neighbours: all of them are done, or none. What is in the registry is not run again, so that this may be repeated.
 *
 * @returns ids of those that were run
 * @throws MIGRATION_FAILED, and {@link HalfDoneError} for one outside of a transaction
 */
export async function runMigrations(deploying: Deploying, { migrations, expose }: SchemaChange): Promise<string[]> {
  const { ctx, scope, operation } = deploying;
  const { services } = ctx;
  const projectId = scope.project.id;
  const manifest = expose === undefined ? undefined : await readManifest(services, projectId, expose);
  const readied = await inOrder(migrations, (one) => readyOf(services, projectId, one));
  const groups = grouped(readied);
  const done: string[] = [];
  for (const [at, group] of groups.entries()) {
    const isLast = at === groups.length - 1;
    if (group[0]?.migration.transaction === 'none') done.push(...(await runAlone(deploying, group[0])));
    else done.push(...(await runTogether(deploying, group, isLast ? manifest : undefined)));
  }
  // A manifest that has no transaction to go with.
  const last = groups.at(-1);
  if (manifest !== undefined && (last === undefined || last[0]?.migration.transaction === 'none'))
    await runTogether(deploying, [], manifest);
  services.schemaCaches.changed(databaseOf(scope), { manifest: manifest !== undefined });
  services.live.changed(databaseOf(scope));
  ctx.services.log.debug({ operation_id: operation.id, migrations: done.length }, 'migrations were run');
  return done;
}

async function inOrder<From, To>(list: readonly From[], make: (one: From) => Promise<To>): Promise<To[]> {
  const made: To[] = [];
  for (const one of list) made.push(await make(one));
  return made;
}

/** Neighbours inside a transaction together, each one outside of it by itself. */
function grouped(readied: readonly Readied[]): Readied[][] {
  const groups: Readied[][] = [];
  for (const one of readied) {
    const group = groups.at(-1);
    if (
      group !== undefined &&
      one.migration.transaction === 'required' &&
      group[0]!.migration.transaction === 'required'
    )
      group.push(one);
    else groups.push([one]);
  }
  return groups;
}

/** @throws MIGRATION_FAILED for SQL that cannot be read, or that no project may run */
async function readyOf(services: Services, projectId: string, migration: SpecMigration): Promise<Readied> {
  const sql = typeof migration.sql === 'string' ? migration.sql : await readText(services, migration.sql.sha256);
  try {
    const { statements, blocked } = await readingSql(() => services.sqlReader.read(projectId, 'readScript', sql));
    if (blocked !== undefined)
      throw failed(
        migration.id,
        { message: `${blocked.construct}: not in a project’s SQL.`, hint: blocked.hint ?? null },
        { state: 'none' },
      );
    return { migration, statements };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'SQL_ERROR')
      throw failed(migration.id, error.details, { state: 'none', cause: error });
    throw error;
  }
}

/**
 * The refusal of a migration.
 *
 * @param details of PostgreSQL's own words
 * @param state `none` where its SQL could not even be read: no migration of the deploy was tried then
 */
function failed(
  id: string,
  details: Readonly<Record<string, unknown>>,
  { state, cause }: { readonly state: 'none' | 'rolled_back' | 'partial'; readonly cause?: unknown },
): ServiceError {
  const message = typeof details.message === 'string' ? details.message : 'The migration failed.';
  return new ServiceError('MIGRATION_FAILED', {
    message: `The migration ${id} failed: ${message}`,
    details: { migration_id: id, ...details },
    extras: {
      phase: 'migrate',
      resource: `database.migrations.${id}`,
      logs: [message],
      rolled_back: state !== 'partial',
    },
    mutationState: state,
    cause,
  });
}

const registered = once('select id, checksum, state, operation_id from _svc.migrations');

/** The ids that need not be run, of those that are wanted. @throws MIGRATION_CHECKSUM_MISMATCH */
function alreadyRun(rows: BatchRows[number] | undefined, wanted: readonly Readied[]): ReadonlySet<string> {
  const known = new Map(rows!.map(([id, checksum, state]) => [id!, { checksum, state }]));
  const done = new Set<string>();
  for (const { migration } of wanted) {
    const found = known.get(migration.id);
    if (found?.state !== 'applied') continue;
    if (found.checksum !== migration.checksum)
      throw new ServiceError('MIGRATION_CHECKSUM_MISMATCH', {
        details: {
          migration_id: migration.id,
          registered_checksum: found.checksum,
          submitted_checksum: migration.checksum,
        },
      });
    done.add(migration.id);
  }
  return done;
}

const note = ({ id, checksum }: SpecMigration, state: 'started' | 'applied', operationId: string): BatchStatement =>
  once(
    `insert into _svc.migrations (id, checksum, state, operation_id) values ($1, $2, $3, $4)
      on conflict (id) do update set checksum = excluded.checksum, state = excluded.state,
        operation_id = excluded.operation_id, applied_at = now()`,
    [id, checksum, state, operationId],
  );

async function runTogether(
  { ctx, scope, operation }: Deploying,
  group: readonly Readied[],
  manifest: Manifest | undefined,
): Promise<string[]> {
  const { projectPools } = ctx.services;
  const database = databaseOf(scope);
  return inProject(() =>
    projectPools.transaction(
      database,
      async (run) => {
        // A statement of its own sees what the one before waited for.
        await run([asOwnReader, schemaLock]);
        const [rows] = await run([registered]);
        const done = alreadyRun(rows, group);
        const left = group.filter(({ migration }) => !done.has(migration.id));
        for (const { migration, statements } of left) {
          await explained(migration, () => run([asOwner(), ...statements.map(({ text }) => once(text))]));
          // What the tenant's SQL has set for itself is set back.
          await run([asOwner(), note(migration, 'applied', operation.id)]);
        }
        if (manifest !== undefined) await withManifest(ctx.services, scope.project.id, run, manifest);
        return left.map(({ migration }) => migration.id);
      },
      { ...options, signal: ctx.signal },
    ),
  );
}

const withManifest = async (services: Services, projectId: string, run: Run, manifest: Manifest): Promise<void> =>
  void (await applyManifest(services, projectId, run, manifest));

/** Says which migration PostgreSQL's refusal is of. A lost connection is no refusal. */
async function explained<Result>({ id }: SpecMigration, work: () => Promise<Result>): Promise<Result> {
  try {
    return await inProjectSql(work);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'SQL_ERROR')
      throw failed(id, error.details, { state: 'rolled_back', cause: error });
    throw error;
  }
}

const inProjectSql = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code !== undefined && !isConnectionLoss(error))
      return inProject(() => Promise.reject(error));
    throw error;
  }
};

/** Each statement is a transaction of its own, so that it is noted before and behind. */
async function runAlone({ ctx, scope, operation }: Deploying, { migration, statements }: Readied): Promise<string[]> {
  const { projectPools } = ctx.services;
  let begun = false;
  try {
    return await inProject(() =>
      projectPools.session(
        databaseOf(scope),
        async (run) => {
          await run(
            once(`select set_config('role', $1, false), set_config('search_path', '${tenantSchema}', false)`, [
              ownerRole,
            ]),
          );
          await run(once(`select pg_advisory_lock(${schemaLockKey})`));
          const { rows } = await run(registered);
          const found = rows.find(({ id }) => id === migration.id);
          if (found?.state === 'applied') {
            alreadyRun([[found.id, found.checksum, found.state, found.operation_id]], [{ migration, statements }]);
            return [];
          }
          if (found?.state === 'started' && found.operation_id === operation.id)
            throw new HalfDoneError(
              failed(migration.id, { message: 'it was interrupted, and may be half done' }, { state: 'partial' }),
            );
          await run(note(migration, 'started', operation.id));
          begun = true;
          for (const { text } of statements) await run(once(text));
          await run(once(`select set_config('role', $1, false), set_config('search_path', '', false)`, [ownerRole]));
          await run(note(migration, 'applied', operation.id));
          return [migration.id];
        },
        { ...options, signal: ctx.signal },
      ),
    );
  } catch (error) {
    if (!begun || error instanceof HalfDoneError) throw error;
    const details = error instanceof ServiceError ? error.details : {};
    throw new HalfDoneError(
      failed(migration.id, { message: (error as Error).message, ...details }, { state: 'partial', cause: error }),
    );
  }
}
