import { createHash } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import type { KeyRing } from '../../core/keys.ts';
import { sqlState } from '../../db/pool.ts';
import type { BatchOptions } from '../../db/project-pools.ts';
import { runDoneState } from '../../db/project-template/sql-runs.ts';
import type { BatchRows, BatchStatement } from '../../db/wire/batch.ts';
import { checkKey } from '../../kernel/durability/idempotency.ts';
import type { Context } from '../../kernel/run/context.ts';
import { once } from '../project-data/shared/in-project.ts';
import type { RowCaller } from './authenticate-rows.ts';

/** A change under an idempotency key. */
export interface KeyedChange {
  readonly key: string;
  /** Everything that makes it this change and no other: a key goes with one request. */
  readonly asked: readonly (string | Uint8Array | undefined)[];
}

/** Longest rows that are kept for a repetition, in bytes of JSON: of longer ones, only that the change was made. */
const keptMax = 256 * 1024;

/** What is kept, sealed: a project’s own SQL can read and write the table. */
interface Kept {
  readonly digest: string;
  /** Null for rows that were too large. */
  readonly rows: BatchRows | null;
}

/**
 * Runs the statements of a change in one transaction, once for each key: the rows that they answered are written in that
 * transaction, and a repetition is given them again. A change that fails leaves its key free. Whoever comes while the first
 * is still at work waits for its end.
 *
 * @throws IDEMPOTENCY_KEY_INVALID; IDEMPOTENCY_KEY_REUSED for another request, and for rows that nobody can open any more;
 * RESULT_TOO_LARGE for a repetition whose rows were not kept
 */
export async function runOncePerKey(
  { services }: Pick<Context, 'services'>,
  caller: RowCaller,
  statements: readonly BatchStatement[],
  { key, asked }: KeyedChange,
  { signal, caller: stranger }: Pick<BatchOptions, 'signal' | 'caller'>,
): Promise<BatchRows> {
  const { database, projectId } = caller.target;
  const { projectPools, keys } = services;
  const id = hash([projectId, caller.role, subjectOf(caller), checkKey(key)]);
  const digest = hash(asked);
  let isBegun = false;
  try {
    return await projectPools.transaction(
      database,
      async (run) => {
        await run([once('select _svc.begin_run($1)', [id])]);
        isBegun = true;
        const rows = await run(statements);
        // The role of the caller may not write here. What it has set ends with the transaction.
        await run([once('reset role'), once('select _svc.end_run($1, $2)', [id, sealed(keys, id, { digest, rows })])]);
        return rows;
      },
      { signal, caller: stranger },
    );
  } catch (error) {
    // SQL of the project may say the same word of its own accord.
    if (isBegun || sqlState(error) !== runDoneState) throw error;
    const [rows] = await projectPools.run(database, [once('select _svc.run_outcome($1)', [id])], { signal });
    return repeated(keys, id, digest, rows![0]![0]!);
  }
}

/** Of two users who send the same under the same key each makes a change. */
const subjectOf = ({ claims }: RowCaller): string | undefined =>
  typeof claims.sub === 'string' ? claims.sub : undefined;

/** Of parts that may be left out, each told apart from the next. */
function hash(parts: readonly (string | Uint8Array | undefined)[]): string {
  const made = createHash('sha256');
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    made.update(bytes === undefined ? '-' : `${bytes.length}:`);
    if (bytes !== undefined) made.update(bytes);
  }
  return made.digest('hex');
}

function sealed(keys: KeyRing, id: string, kept: Kept): string {
  const text = JSON.stringify(kept);
  const plain = Buffer.byteLength(text) > keptMax ? JSON.stringify({ ...kept, rows: null }) : text;
  return keys.seal('stored-outcomes', Buffer.from(plain), id).toString('base64');
}

function repeated(keys: KeyRing, id: string, digest: string, outcome: string | null): BatchRows {
  const kept = outcome === null ? undefined : opened(keys, id, outcome);
  if (kept !== undefined && kept.digest !== digest) throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
  if (kept?.rows == null)
    throw new ServiceError('RESULT_TOO_LARGE', {
      message: 'The change was made under this key before; what it answered was too large to be kept.',
      details: { reason: 'outcome_not_kept', limit_bytes: keptMax },
      nextActions: [],
      mutationState: 'committed',
      safeToRetry: false,
    });
  return kept.rows;
}

function opened(keys: KeyRing, id: string, outcome: string): Kept {
  try {
    return JSON.parse(keys.open('stored-outcomes', Buffer.from(outcome, 'base64'), id).toString()) as Kept;
  } catch {
    throw new ServiceError('IDEMPOTENCY_KEY_REUSED', {
      message: 'The change was made under this key before; what it answered cannot be opened any more.',
      details: { reason: 'outcome_sealed' },
      mutationState: 'committed',
    });
  }
}
