import { createHash } from 'node:crypto';
import pg from 'pg';
import { bodyBytes } from '../../core/byte-pool.ts';
import { ServiceError } from '../../core/errors.ts';
import { Lru } from '../../core/lru.ts';
import { isConnectionLoss } from '../../db/pool.ts';
import { ProjectPoolBusyError } from '../../db/project-pools.ts';
import { ProjectUnreachableError } from '../../db/project-session.ts';
import { ArrivingTooLargeError } from '../../db/wire/arriving.ts';
import type { BatchRows, BatchStatement } from '../../db/wire/batch.ts';
import { databaseError } from '../../engines/rows/answer/database-error.ts';
import type { RowAnswer, RowPlan } from '../../engines/rows/answer/row-plan.ts';
import { veiled } from '../../engines/rows/answer/veil.ts';
import { bodyBytesMax } from '../../engines/rows/compile/bounds.ts';
import { RowError, refusals } from '../../engines/rows/errors.ts';
import { MissingRightError, noRightState } from '../../engines/rows/plan/require-right.ts';
import { rememberedPlan } from '../../engines/rows/remembered-plans.ts';
import { isReading, type RowRequest } from '../../engines/rows/request/row-request.ts';
import { SchemaTooLargeError } from '../../engines/rows/schema/too-large.ts';
import type { SchemaCache } from '../../engines/rows/schema/types.ts';
import { outdatedStates } from '../../engines/rows/schema-caches.ts';
import type { Rendered } from '../../engines/rows/sql/sql.ts';
import { refuseWhileGated } from '../../kernel/access/gates.ts';
import { refuseWhileClosed } from '../../kernel/access/lifecycle.ts';
import type { Context } from '../../kernel/run/context.ts';
import { connectionLost, saidTooMuch } from '../project-data/shared/in-project.ts';
import { type RowCaller, strangerOf } from './authenticate-rows.ts';
import { explainDenial, hasRight } from './explain-denial.ts';
import { type KeyedChange, runOncePerKey } from './once-per-key.ts';

/** What SQL inside the project may see of a request. */
export interface RequestSettings {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Answers a request for rows.
 *
 * @throws RowError in the dialect of row routes; ServiceError for what the platform refuses
 */
export async function runRows(
  ctx: Context,
  caller: RowCaller,
  request: RowRequest,
  settings: RequestSettings,
): Promise<RowAnswer> {
  const { projectId } = caller.target;
  ctx.onOwnerResolved?.(projectId);
  refuseWhileGated(ctx.services.gates, projectId);
  if (!isReading(request.method)) {
    if (caller.target.lifecycleState === 'dormant') refuseWhileClosed(caller.target);
    if (mayAnswerMuch(request)) ctx.services.responseBackpressure.refuseWhileFull(projectId);
  }
  const bounded = { ...request, maxAffected: caller.target.maxAffected ?? undefined };
  const { plan, rows, isFirstTry } = await ran(ctx, caller, bounded, settings);
  // The database has read them all: it has answered. A try that failed may still be on its way.
  if (isFirstTry)
    for (const value of [request.body, ...plan.statement.values]) if (Buffer.isBuffer(value)) bodyBytes.giveBack(value);
  const estimated = plan.estimate === undefined ? undefined : plannedRows(rows[2]?.[0]?.[0]);
  return plan.toAnswer(rows[1]?.[0] ?? [], estimated);
}

/** A call, or a change whose rows are asked for: neither can be refused any more once it is done. */
const mayAnswerMuch = ({ target, header }: RowRequest) =>
  target.kind === 'function' || /representation/i.test(header('prefer') ?? '');

/** Plans and runs a request; once more by a newer schema when it fails over what the known one may have wrong. */
async function ran(
  ctx: Context,
  caller: RowCaller,
  request: RowRequest,
  settings: RequestSettings,
): Promise<{ plan: RowPlan; rows: BatchRows; isFirstTry: boolean }> {
  const { plan, cache } = await planned(ctx, caller, request);
  try {
    return { plan, rows: await run(ctx, caller, request, settings, plan, cache), isFirstTry: true };
  } catch (error) {
    if (!(error instanceof RowError) || !outdatedStates.has(error.code)) throw error;
    const newer = await reached(() => ctx.services.schemaCaches.renew(caller.target.database, cache));
    if (newer === cache) throw error;
    const again = rememberedPlan(request, newer, caller.role);
    return { plan: again, rows: await run(ctx, caller, request, settings, again, newer), isFirstTry: false };
  }
}

/** Refusals that a newer schema may know better than to give. */
const misses = new Set(['PGRST200', 'PGRST201', 'PGRST202', 'PGRST203', 'PGRST204', 'PGRST205']);

async function planned(
  ctx: Context,
  caller: RowCaller,
  request: RowRequest,
): Promise<{ plan: RowPlan; cache: SchemaCache }> {
  const { target, role } = caller;
  const { schemaCaches } = ctx.services;
  const cache = await reached(() => schemaCaches.get(target.database));
  let newer: SchemaCache;
  try {
    return { plan: rememberedPlan(request, cache, role), cache };
  } catch (error) {
    if (error instanceof MissingRightError) {
      if (!(await reached(() => hasRight(ctx, caller, error)))) await explainDenial(ctx, caller, request, cache);
      else if ((newer = await reached(() => schemaCaches.reload(target.database))) !== cache)
        return { plan: rememberedPlan(request, newer, role), cache: newer };
      throw error;
    }
    if (!(error instanceof RowError) || !misses.has(error.code)) throw error;
    newer = await reached(() => schemaCaches.renew(target.database, cache));
    if (newer === cache) throw error;
    return { plan: rememberedPlan(request, newer, role), cache: newer };
  }
}

/** What a request with an idempotency key asks for; undefined without one. */
function keyedChange({ method, target, search, header, body }: RowRequest): KeyedChange | undefined {
  const key = header('idempotency-key');
  if (key === undefined) return undefined;
  const heads = ['content-type', 'accept', 'prefer', 'range', 'content-profile'].map(header);
  return { key, asked: [method, target.kind, target.name, search, ...heads, body] };
}

async function run(
  ctx: Context,
  caller: RowCaller,
  request: RowRequest,
  settings: RequestSettings,
  plan: RowPlan,
  cache: SchemaCache,
): Promise<BatchRows> {
  const { database } = caller.target;
  const statements = [prelude(caller, request, settings, plan), named(plan.statement)];
  if (plan.estimate !== undefined) statements.push({ ...plan.estimate, name: undefined });
  const options = {
    signal: ctx.signal,
    caller: strangerOf(caller),
    discard: plan.runsProjectCode,
    shared: plan.readOnly && !plan.runsProjectCode,
  };
  try {
    const change = plan.readOnly ? undefined : keyedChange(request);
    const rows = await reached(
      () =>
        change === undefined
          ? ctx.services.projectPools.run(database, statements, options)
          : runOncePerKey(ctx, caller, statements, change, options),
      plan.readOnly,
      change !== undefined,
    );
    if (!plan.readOnly) ctx.services.live.changed(database);
    return rows;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code === undefined) throw error;
    const own = plan.refusalOf(error);
    if (own !== undefined) throw own;
    if (error.code === noRightState) await explainDenial(ctx, caller, request, cache);
    throw databaseError(veiled(wordsOf(error, error.code), cache, caller.role), caller.role === 'anon');
  }
}

/** What a refusal says, of which table, and where it arose. */
export const wordsOf = (error: pg.DatabaseError, code: string) => {
  const { message, detail, hint, schema, table, where, routine } = error;
  return { code, message, detail, hint, schema, table, where, routine };
};

/**
 * @param readOnly whether nothing is lost when it is done twice
 * @throws PGRST003 when no connection came free, 54000 for a schema that is too large, UPSTREAM_UNAVAILABLE when there is none to be had
 */
export async function reached<Result>(work: () => Promise<Result>, readOnly = true, isKeyed = false): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProjectPoolBusyError)
      throw new RowError(504, 'PGRST003', 'Timed out acquiring connection from connection pool.');
    // No connection was made; when one breaks, what it was to change may be changed.
    if (error instanceof ProjectUnreachableError)
      throw new ServiceError('UPSTREAM_UNAVAILABLE', { cause: error, retryAfter: 1 });
    if (error instanceof ArrivingTooLargeError) throw readOnly ? refusals.tooLarge(bodyBytesMax) : saidTooMuch(error);
    if (isConnectionLoss(error)) throw connectionLost(error, readOnly, isKeyed);
    if (error instanceof SchemaTooLargeError) throw refusals.schemaTooLarge(error.message);
    throw error;
  }
}

const set = (name: string, value: string) => `pg_catalog.set_config('${name}', ${value}, true)`;
const settings = [
  set('role', '$1'),
  set('request.jwt.claims', '$2'),
  set('request.method', '$3'),
  set('request.path', '$4'),
  set('request.headers', '$5'),
  set('search_path', "'public'"),
];
const readOnly = set('transaction_read_only', "'on'");
const inZone = set('timezone', '$6');

/** One number comes back: nobody looks at what was set, and it would have to be sent and read. */
const preludeOf = (isRead: boolean, hasZone: boolean) =>
  `select pg_catalog.num_nulls(${[...settings, ...(isRead ? [readOnly] : []), ...(hasZone ? [inZone] : [])].join(', ')})`;
const preludes = [false, true].map((hasZone) => [false, true].map((isRead) => preludeOf(isRead, hasZone)));

/**
 * Everything that holds for this request alone, as settings of its transaction. The role comes first: what follows may
 * be set by anybody.
 */
export function prelude(
  caller: RowCaller,
  request: Pick<RowRequest, 'method'>,
  { path, headers }: RequestSettings,
  plan: Pick<RowPlan, 'timezone' | 'readOnly'>,
): BatchStatement {
  const values = [caller.role, JSON.stringify(caller.claims), request.method, path, JSON.stringify(headers)];
  if (plan.timezone !== undefined) values.push(plan.timezone);
  return named({ text: preludes[Number(plan.timezone !== undefined)]![Number(plan.readOnly)]!, values });
}

/** Texts of statements that were seen, with their names: what comes once is not worth preparing. */
const seen = new Lru<string>({ entries: 5_000, bytes: 32 * 1024 * 1024 });

/** Prepares a shape of request when it comes the second time. */
export function named({ text, values }: Rendered): BatchStatement {
  const known = seen.get(text);
  if (known !== undefined) return { name: known, text, values };
  const name = `rows_${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`;
  seen.set(text, name, text.length * 2);
  return { name: undefined, text, values };
}

/** The planner's number of rows out of its plan. */
function plannedRows(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined;
  const [{ Plan: plan }] = JSON.parse(text) as [{ Plan: { 'Plan Rows': number } }];
  return plan['Plan Rows'];
}
