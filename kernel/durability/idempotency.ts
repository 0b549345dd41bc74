import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { type ErrorCode, ServiceError, type ServiceErrorOptions } from '../../core/errors.ts';
import { type LastStatement, type Queries, type Statement, sqlState } from '../../db/pool.ts';
import type { Context } from '../run/context.ts';

/** How long the process that holds a claim is believed alive, in seconds. */
const leaseSeconds = 15;
/** How long a second caller waits for the first one's outcome, in milliseconds, without holding a connection. */
export const waitMs = 2_000;
export const waitStepMs = 50;
/** How long an outcome is kept, in hours. Contract 01, section 1.15: at least a day. */
const keptHours = 48;
/**
 * Version of what is stored. Raise it with any change to an operation's output that its `toWire` or the schema could
 * not make sense of: outcomes outlive an upgrade by two days.
 */
const outcomeVersion = 2;

/** The right to do the work of a key: exactly one process holds it at a time. */
export interface IdempotencyLease {
  readonly scope: string;
  readonly operation: string;
  readonly key: string;
  readonly leaseToken: string;
  /** The step operation that an earlier holder began, or the run inside a project's database. */
  readonly stepId: string | null;
}

/** The use that a key already has. */
export type Outcome =
  | { readonly output: unknown }
  | { readonly refusal: { readonly code: ErrorCode; readonly options: ServiceErrorOptions; readonly traceId: string } };

/** A refusal given again, under the trace id of the first time. */
export class ReplayedRefusal extends ServiceError {
  readonly traceId: string;

  constructor(code: ErrorCode, options: ServiceErrorOptions, traceId: string) {
    super(code, options);
    this.traceId = traceId;
  }
}

/** Whether a client may send this as a key. */
export const isKey = (key: string): boolean =>
  key.length >= 1 && key.length <= 256 && !key.includes('\0') && key.isWellFormed();

/** A key as a client may send it. @throws IDEMPOTENCY_KEY_INVALID */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new ServiceError('IDEMPOTENCY_KEY_INVALID');
  return key;
}

/** A digest of an input that does not depend on the order in which its members were written. */
export function inputDigest(input: unknown): string {
  const canonical = JSON.stringify(input, (_key, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(canonical).digest('hex');
}

interface KeyRow {
  readonly digest: string;
  readonly lease_token: string;
  readonly lease_seconds: number;
  readonly step_id: string | null;
  readonly outcome: Buffer | null;
}

/**
 * Claims a key, or finds the use that it already has. The claim is a row of its own, committed before the work begins.
 *
 * @throws IDEMPOTENCY_KEY_REUSED for another input, and for an outcome that another version of the server stored;
 * IDEMPOTENCY_IN_PROGRESS while the first is still at work
 */
export async function claimKey(
  ctx: Context,
  { scope, operation, key, digest }: { scope: string; operation: string; key: string; digest: string },
): Promise<IdempotencyLease | Outcome> {
  const { db, keys } = ctx.services;
  const leaseToken = randomBytes(16).toString('hex');
  const deadline = performance.now() + waitMs;
  for (;;) {
    const [row] = await db.rows<KeyRow>(claimStatement, [
      scope,
      operation,
      key,
      digest,
      leaseToken,
      leaseSeconds,
      keptHours,
    ]);
    if (row !== undefined) {
      if (row.digest !== digest) throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
      if (row.outcome !== null) {
        return openOutcome(keys.open('stored-outcomes', row.outcome, contextOf({ scope, operation, key })));
      }
      if (row.lease_token === leaseToken) return { scope, operation, key, leaseToken, stepId: row.step_id };
    }
    if (performance.now() > deadline || ctx.signal.aborted) {
      const retryAfter = Math.max(1, Math.ceil(row?.lease_seconds ?? 0));
      throw new ServiceError('IDEMPOTENCY_IN_PROGRESS', { retryAfter });
    }
    await sleep(waitStepMs);
  }
}

/**
 * Writes the outcome, in the transaction of its change. Fails when the claim has been taken over, and with
 * it the change that was about to be made twice.
 */
export function outcomeRow(ctx: Context, claim: IdempotencyLease, outcome: Outcome): LastStatement {
  const plain = Buffer.concat([Buffer.of(outcomeVersion), serialize(outcome)]);
  const sealed = ctx.services.keys.seal('stored-outcomes', plain, contextOf(claim));
  return {
    statement: storeStatement,
    values: [claim.scope, claim.operation, claim.key, claim.leaseToken, sealed],
    refused: (error) =>
      sqlState(error) === divisionByZero ? new ServiceError('IDEMPOTENCY_IN_PROGRESS', { retryAfter: 1 }) : error,
  };
}

/** Writes an outcome that belongs to no change of its own. */
export async function storeOutcome(ctx: Context, claim: IdempotencyLease, outcome: Outcome): Promise<void> {
  const { statement, values, refused } = outcomeRow(ctx, claim, outcome);
  await ctx.services.db.rows(statement, values).catch((error: unknown) => {
    throw refused!(error);
  });
}

function openOutcome(plain: Buffer): Outcome {
  if (plain[0] === outcomeVersion) return deserialize(plain.subarray(1)) as Outcome;
  throw new ServiceError('IDEMPOTENCY_KEY_REUSED', {
    message: 'The outcome of this key was stored by another version of the server and cannot be given again.',
    details: { reason: 'outcome_format' },
    nextActions: [
      { type: 'edit_request', why: 'Look at what the first request made; use a new key for a new request.' },
    ],
  });
}

/** Remembers which step operation or run the claim began, on the connection that begins it. */
export async function bindStep(client: Queries, claim: IdempotencyLease, stepId: string): Promise<void> {
  const { rowCount } = await client.query({
    ...bindStatement,
    values: [claim.scope, claim.operation, claim.key, claim.leaseToken, stepId],
  });
  if (rowCount !== 1) throw new ServiceError('IDEMPOTENCY_IN_PROGRESS', { retryAfter: 1 });
}

/** Gives a claim back, so that the next call may try at once: for failures that a repetition can heal. */
export async function releaseClaim(
  ctx: Context,
  { scope, operation, key, leaseToken }: IdempotencyLease,
): Promise<void> {
  await ctx.services.db.rows(releaseStatement, [scope, operation, key, leaseToken]);
}

/** Gives a stored outcome again. */
export function replay(outcome: Outcome): unknown {
  if ('output' in outcome) return outcome.output;
  const { code, options, traceId } = outcome.refusal;
  throw new ReplayedRefusal(code, options, traceId);
}

const contextOf = ({ scope, operation, key }: Pick<IdempotencyLease, 'scope' | 'operation' | 'key'>) =>
  JSON.stringify([scope, operation, key]);

// A claim that is expired or was left behind by a crash is free to take; a living one, and an outcome, are not.
const free = (alias: string) =>
  `(${alias}.expires_at < now() or (${alias}.outcome is null and ${alias}.lease_until < now() and ${alias}.digest = $4))`;
const expired = 'k.expires_at < now()';
const shown = (alias: string) => `${alias}.digest, ${alias}.lease_token, ${alias}.step_id, ${alias}.outcome,
      extract(epoch from ${alias}.lease_until - now())::float8 as lease_seconds`;

// What is not free is only read: a replay writes nothing, and no replay waits for the row of a change that is committing.
// No row at all means that another request claimed the key while we looked.
const claimStatement: Statement = {
  name: 'idempotency.claim',
  text: `with known as (
      select * from idempotency_keys where scope = $1 and operation = $2 and key = $3
    ), claimed as (
      insert into idempotency_keys as k (scope, operation, key, digest, lease_token, lease_until, expires_at)
      select $1, $2, $3, $4, $5, now() + make_interval(secs => $6), now() + make_interval(hours => $7)
      where not exists (select from known where not ${free('known')})
      on conflict (scope, operation, key) do update set
        digest = excluded.digest, lease_token = excluded.lease_token, lease_until = excluded.lease_until,
        step_id = case when ${expired} then null else k.step_id end,
        outcome = null,
        expires_at = case when ${expired} then excluded.expires_at else k.expires_at end
      where ${free('k')}
      returning ${shown('k')}
    )
    select * from claimed
    union all
    select ${shown('known')} from known where not ${free('known')}`,
};

const mine = 'where scope = $1 and operation = $2 and key = $3 and lease_token = $4';

// The answer is not looked at before the commit, so where there is no such claim it fails.
const storeStatement: Statement = {
  name: 'idempotency.store',
  text: `with stored as (update idempotency_keys set outcome = $5 ${mine} returning 1) select 1 / count(*) from stored`,
};
const divisionByZero = '22012';
const bindStatement: Statement = { name: 'idempotency.bind', text: `update idempotency_keys set step_id = $5 ${mine}` };
const releaseStatement: Statement = {
  name: 'idempotency.release',
  text: `update idempotency_keys set lease_until = now() - interval '1 second' ${mine}`,
};
