import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { type ErrorCode, ServiceError, type ServiceErrorOptions } from '../../core/errors.ts';
import { ExactNumber } from '../../core/exact-json.ts';
import type { KeyRing } from '../../core/keys.ts';
import { alias, type Column, type SQL, sql } from '../../db/drizzle.ts';
import { type LastStatement, type Queries, sqlState } from '../../db/pool.ts';
import { idempotencyKeys } from '../../db/schema/platform.ts';
import { computed, excluded, insertSelect, namesOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import { rowsOn } from '../../db/transaction.ts';
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

/**
 * Claims a key, or finds the use that it already has. The claim is a row of its own, committed before the work begins.
 *
 * @throws IDEMPOTENCY_KEY_REUSED for another input, and for an outcome that another version of the server stored, or that
 * was sealed under a root secret that is gone;
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
    const [row] = await db.rows(
      claimStatement.with({ scope, operation, key, digest, leaseToken, leaseSeconds, keptHours }),
    );
    if (row !== undefined) {
      if (row.digest !== digest) throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
      if (row.outcome !== null) {
        return openOutcome(keys, row.outcome, contextOf({ scope, operation, key }));
      }
      if (row.leaseToken === leaseToken) return { scope, operation, key, leaseToken, stepId: row.stepId };
    }
    if (performance.now() > deadline || ctx.signal.aborted) {
      const retryAfter = Math.max(1, Math.ceil(row?.leaseSeconds ?? 0));
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
  const plain = Buffer.concat([Buffer.of(outcomeVersion), serialize(storable(outcome))]);
  const sealed = ctx.services.keys.seal('stored-outcomes', plain, contextOf(claim));
  return {
    ...storeStatement.with({ ...claim, outcome: sealed }),
    refused: (error) =>
      sqlState(error) === divisionByZero ? new ServiceError('IDEMPOTENCY_IN_PROGRESS', { retryAfter: 1 }) : error,
  };
}

/** Writes an outcome that belongs to no change of its own. */
export async function storeOutcome(ctx: Context, claim: IdempotencyLease, outcome: Outcome): Promise<void> {
  const { refused, ...stored } = outcomeRow(ctx, claim, outcome);
  await ctx.services.db.rows(stored).catch((error: unknown) => {
    throw refused!(error);
  });
}

function openOutcome(keys: KeyRing, sealed: Buffer, context: string): Outcome {
  let plain: Buffer;
  try {
    plain = keys.open('stored-outcomes', sealed, context);
  } catch {
    throw unreadable('outcome_sealed', 'was sealed under a root secret that the server no longer has');
  }
  if (plain[0] === outcomeVersion) return restored(deserialize(plain.subarray(1))) as Outcome;
  throw unreadable('outcome_format', 'was stored by another version of the server');
}

const unreadable = (reason: string, why: string) =>
  new ServiceError('IDEMPOTENCY_KEY_REUSED', {
    message: `The outcome of this key ${why} and cannot be given again.`,
    details: { reason },
    nextActions: [
      { type: 'edit_request', why: 'Look at what the first request made; use a new key for a new request.' },
    ],
  });

// A class is not stored, but a boxed text is, and nothing else comes in one.
const storable = (value: unknown): unknown =>
  changed(value, (one) => (one instanceof ExactNumber ? new String(one.text) : one));
const restored = (value: unknown): unknown =>
  changed(value, (one) => (one instanceof String ? new ExactNumber(one.toString()) : one));

/** A value whose parts are changed, however deep; what holds nothing that is changed stays as it is. */
function changed(value: unknown, change: (one: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((one) => changed(one, change));
    return items.some((one, at) => one !== value[at]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const own = change(value);
  if (own !== value || !isPlain(value)) return own;
  const members = Object.entries(value).map(([name, one]) => [name, changed(one, change)] as const);
  return members.some(([name, one]) => one !== value[name as keyof typeof value]) ? Object.fromEntries(members) : value;
}

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
};

/** Remembers which step operation or run the claim began, on the connection that begins it. */
export async function bindStep(client: Queries, claim: IdempotencyLease, stepId: string): Promise<void> {
  const bound = await rowsOn(client)(bindStatement.with({ ...claim, stepId }));
  if (bound.length !== 1) throw new ServiceError('IDEMPOTENCY_IN_PROGRESS', { retryAfter: 1 });
}

/** Gives a claim back, so that the next call may try at once: for failures that a repetition can heal. */
export async function releaseClaim(ctx: Context, claim: IdempotencyLease): Promise<void> {
  await ctx.services.db.rows(releaseStatement.with(claim));
}

/** Gives a stored outcome again. */
export function replay(outcome: Outcome): unknown {
  if ('output' in outcome) return outcome.output;
  const { code, options, traceId } = outcome.refusal;
  throw new ReplayedRefusal(code, options, traceId);
}

const contextOf = ({ scope, operation, key }: Pick<IdempotencyLease, 'scope' | 'operation' | 'key'>) =>
  JSON.stringify([scope, operation, key]);

const known = alias(idempotencyKeys, 'known');
const keyColumns = ['scope', 'operation', 'key'] as const;

type Keys = typeof idempotencyKeys | typeof known;

const expired = ({ expiresAt }: Keys): SQL => sql`${expiresAt} < now()`;

// A claim that is expired or was left behind by a crash is free to take; a living one, and an outcome, are not.
const free = (keys: Keys, digest: SQL): SQL =>
  sql`(${expired(keys)} or (${keys.outcome} is null and ${keys.leaseUntil} < now() and ${keys.digest} = ${digest}))`;

const shown = (keys: Keys): SQL => sql`${keys.digest}, ${keys.leaseToken}, ${keys.stepId}, ${keys.outcome},
  extract(epoch from ${keys.leaseUntil} - now())::float8 as lease_seconds`;

const found = (column: Column): SQL => sql`found.${sql.identifier(column.name)}`;

// What is not free is only read: a replay writes nothing, and no replay waits for the row of a change that is committing.
// No row at all means that another request claimed the key while we looked.
const claimStatement = statement(
  'idempotency.claim',
  {
    params: {
      ...pick(idempotencyKeys, ...keyColumns, 'digest', 'leaseToken'),
      leaseSeconds: typed<number>('double precision'),
      keptHours: typed<number>('integer'),
    },
    row: {
      digest: computed<string>('text', found(idempotencyKeys.digest)),
      leaseToken: computed<string>('text', found(idempotencyKeys.leaseToken)),
      stepId: computed<string | null>('text', found(idempotencyKeys.stepId)),
      outcome: computed<Buffer | null>('bytea', found(idempotencyKeys.outcome)),
      leaseSeconds: computed<number>('double precision', sql`found.lease_seconds`),
    },
  },
  ({ scope, operation, key, digest, leaseToken, leaseSeconds, keptHours }, row) => sql`with known as (
      select * from ${idempotencyKeys} where ${idempotencyKeys.scope} = ${scope}
        and ${idempotencyKeys.operation} = ${operation} and ${idempotencyKeys.key} = ${key}
    ), claimed as (
      ${insertSelect(
        idempotencyKeys,
        {
          scope,
          operation,
          key,
          digest,
          leaseToken,
          leaseUntil: sql`now() + make_interval(secs => ${leaseSeconds})`,
          expiresAt: sql`now() + make_interval(hours => ${keptHours})`,
        },
        sql`where not exists (select from known where not ${free(known, digest)})`,
      )}
      on conflict (${namesOf(idempotencyKeys.scope, idempotencyKeys.operation, idempotencyKeys.key)})
      do update ${setOf(idempotencyKeys, {
        digest: excluded(idempotencyKeys.digest),
        leaseToken: excluded(idempotencyKeys.leaseToken),
        leaseUntil: excluded(idempotencyKeys.leaseUntil),
        stepId: sql`case when ${expired(idempotencyKeys)} then null else ${idempotencyKeys.stepId} end`,
        outcome: sql`null`,
        expiresAt: sql`case when ${expired(idempotencyKeys)} then ${excluded(idempotencyKeys.expiresAt)}
          else ${idempotencyKeys.expiresAt} end`,
      })}
      where ${free(idempotencyKeys, digest)}
      returning ${shown(idempotencyKeys)}
    )
    select ${row} from (
      select * from claimed union all select ${shown(known)} from known where not ${free(known, digest)}
    ) found`,
);

const claimKeys = pick(idempotencyKeys, ...keyColumns, 'leaseToken');
type Claim = { readonly [Name in keyof typeof claimKeys]: SQL };

const isMine = ({ scope, operation, key, leaseToken }: Claim): SQL => sql`${idempotencyKeys.scope} = ${scope}
  and ${idempotencyKeys.operation} = ${operation} and ${idempotencyKeys.key} = ${key}
  and ${idempotencyKeys.leaseToken} = ${leaseToken}`;

// The answer is not looked at before the commit, so where there is no such claim it fails.
const storeStatement = statement(
  'idempotency.store',
  {
    params: { ...claimKeys, ...pick(idempotencyKeys, 'outcome') },
    row: { stored: computed<bigint>('bigint', sql`1 / count(*)`) },
  },
  ({ outcome, ...claim }, row) => sql`with stored as (
      update ${idempotencyKeys} ${setOf(idempotencyKeys, { outcome })} where ${isMine(claim)} returning 1
    ) select ${row} from stored`,
);
const divisionByZero = '22012';

const bindStatement = statement(
  'idempotency.bind',
  { params: { ...claimKeys, stepId: typed<string>('text') }, row: pick(idempotencyKeys, 'stepId') },
  ({ stepId, ...claim }, row) => sql`update ${idempotencyKeys} ${setOf(idempotencyKeys, { stepId })}
    where ${isMine(claim)} returning ${row}`,
);

const releaseStatement = statement(
  'idempotency.release',
  { params: claimKeys },
  (claim) => sql`update ${idempotencyKeys} ${setOf(idempotencyKeys, { leaseUntil: sql`now() - interval '1 second'` })}
    where ${isMine(claim)}`,
);
