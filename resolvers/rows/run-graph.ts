import pg from 'pg';
import { openCursor, sealCursor } from '../../core/cursors.ts';
import { ServiceError, type ServiceErrorOptions } from '../../core/errors.ts';
import type { BatchRows } from '../../db/wire/batch.ts';
import { databaseError } from '../../engines/rows/answer/database-error.ts';
import { guardRefusal } from '../../engines/rows/answer/guards.ts';
import { veiled } from '../../engines/rows/answer/veil.ts';
import { RowError, refusals } from '../../engines/rows/errors.ts';
import type { RootPlan } from '../../engines/rows/graph/plan-root.ts';
import type { Cursors } from '../../engines/rows/graph/plan-state.ts';
import { rowsMax } from '../../engines/rows/request/range.ts';
import { refuseWhileGated } from '../../kernel/access/gates.ts';
import { refuseWhileClosed } from '../../kernel/access/lifecycle.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { type RowCaller, strangerOf } from './authenticate-rows.ts';
import { type KeyedChange, runOncePerKey } from './once-per-key.ts';
import { named, prelude, type RequestSettings, reached, wordsOf } from './run-rows.ts';

export interface GraphRun {
  readonly caller: RowCaller;
  readonly settings: RequestSettings;
  readonly plans: readonly RootPlan[];
  /** Nothing may be changed. */
  readonly readOnly: boolean;
  /** For a change under an idempotency key. */
  readonly change?: KeyedChange | undefined;
}

/**
 * Runs all of a request in one batch, and so in one round trip and one transaction.
 *
 * @returns what each plan comes to, in order
 * @throws RowError in the words of row routes; ServiceError for what the platform refuses
 */
export async function runGraph(
  ctx: Context,
  { caller, settings, plans, readOnly, change }: GraphRun,
): Promise<unknown[]> {
  if (!readOnly && caller.target.lifecycleState === 'dormant') refuseWhileClosed(caller.target);
  ctx.onOwnerResolved?.(caller.target.projectId);
  refuseWhileGated(ctx.services.gates, caller.target.projectId);
  ctx.services.responseBackpressure.refuseWhileFull(caller.target.projectId);
  const statements = [
    prelude(caller, { method: 'POST' }, settings, { timezone: undefined, readOnly }),
    ...plans.map(({ statement }) => named(statement)),
  ];
  const runsProjectCode = plans.some((plan) => plan.runsProjectCode);
  const options = {
    signal: ctx.signal,
    caller: strangerOf(caller),
    discard: runsProjectCode,
    shared: readOnly && !runsProjectCode,
  };
  let rows: BatchRows;
  try {
    rows = await reached(
      () =>
        change === undefined || readOnly
          ? ctx.services.projectPools.run(caller.target.database, statements, options)
          : runOncePerKey(ctx, caller, statements, change, options),
      readOnly,
      change !== undefined,
    );
    if (!readOnly) ctx.services.live.changed(caller.target.database);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code === undefined) throw error;
    const own = guardRefusal(error);
    if (own !== undefined) throw tooMany(own);
    const words = wordsOf(error, error.code);
    const cache = await reached(() => ctx.services.schemaCaches.get(caller.target.database));
    throw databaseError(veiled(words, cache, caller.role), caller.role === 'anon');
  }
  try {
    return plans.map((plan, index) => plan.read(rows[index + 1]?.[0] ?? []));
  } catch (error) {
    throw readOnly ? error : committed(ctx, error);
  }
}

/** A refusal to show what was done all the same. What is none is logged. */
export function committed({ services, request }: Context, error: unknown): ServiceError {
  const refused = asServiceError(error);
  const state = { mutationState: 'committed', safeToRetry: false, cause: error } as const;
  if (refused instanceof ServiceError) {
    const { code, message, details, extras } = refused;
    return new ServiceError(code, { message, details, extras, ...state });
  }
  services.log.error({ err: error, trace_id: request.traceId }, 'The answer to a change could not be shown.');
  const message = 'The change was made. Its answer cannot be shown: read the rows to see it.';
  return new ServiceError('SQL_ERROR', {
    message,
    details: { sqlstate: '0A000', message },
    extras: { sqlstate: '0A000' },
    nextActions: [],
    ...state,
  });
}

/** A guard of GraphQL's own is about rows that no page holds. */
const tooMany = (guarded: RowError): RowError | ServiceError =>
  guarded.code !== 'RESULT_TOO_LARGE'
    ? guarded
    : new ServiceError('RESULT_TOO_LARGE', {
        message: `At most ${rowsMax} rows are answered at once; nothing was changed.`,
        details: { limit_rows: rowsMax },
        mutationState: 'rolled_back',
      });

/** Longest cursor that is given out, in characters: it holds the values that rows are ordered by. */
const cursorMax = 16_384;

/** Cursors of one project's lists. */
export const graphCursors = ({ keys }: Services, projectId: string): Cursors => {
  const viewOf = (view: string) =>
    ({ prefix: '', kind: 'list', view: `rows:${projectId}:${view}`, lengthMax: cursorMax }) as const;
  return {
    seal(view, position) {
      const cursor = sealCursor(keys, viewOf(view), position);
      if (cursor.length > cursorMax)
        throw refusals.notOffered('A row is ordered by values that are too long for a cursor.');
      return cursor;
    },
    open: (view, cursor) => openCursor(keys, viewOf(view), cursor),
  };
};

const codes: Readonly<Record<number, string>> = {
  401: 'AUTH_REQUIRED',
  403: 'FORBIDDEN',
  503: 'UPSTREAM_UNAVAILABLE',
  504: 'UPSTREAM_UNAVAILABLE',
};

/** A refusal of rows with the platform's envelope around it: code, message and advice of the database go along. */
export function asServiceError(error: unknown): unknown {
  if (!(error instanceof RowError)) return error;
  const { status, code, message, details, hint } = error;
  const known = (codes[status] ?? (/^PGRST/.test(code) ? 'VALIDATION_FAILED' : 'SQL_ERROR')) as ServiceError['code'];
  return new ServiceError(known, {
    message,
    details: { sqlstate: code, status, message, detail: details, hint },
    extras: { sqlstate: code, ...(hint === null ? {} : { hint }) },
    mutationState: 'rolled_back',
    cause: error,
  } satisfies ServiceErrorOptions);
}
