import { invalidField, ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { contractCalls } from '../../../db/schema/signers.ts';
import { pick, type RowOf, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import { checkKey } from '../../../kernel/durability/idempotency.ts';
import { type ContractCall, callColumns } from './call-row.ts';

const keyedColumns = { ...callColumns, ...pick(contractCalls, 'intent', 'nonce', 'attempt') };

/** A call with what tells whether it can be begun again. */
export type KeyedCall = RowOf<typeof keyedColumns>;

/** What names a call to be made. */
export interface CallKey {
  readonly projectId: string;
  readonly kind: ContractCall['kind'];
  readonly idempotencyKey: string | null;
  /** SHA-256 of what is asked for. */
  readonly intent: string;
}

/** The key of an operation that takes one in two places. @throws VALIDATION_FAILED, IDEMPOTENCY_KEY_INVALID */
export function givenKey(given: string | undefined, header: string | undefined): string | null {
  if (given !== undefined && header !== undefined && given !== header)
    throw invalidField('idempotency_key', 'must be the same as the header Idempotency-Key');
  const key = given ?? header;
  return key === undefined ? null : checkKey(key);
}

/** Whether a call was never sent, and so may be begun again under its key. */
export const isUnsent = ({ status, nonce }: KeyedCall): boolean => status === 'failed' && nonce === null;

/**
 * The call that a key names already.
 *
 * @throws IDEMPOTENCY_KEY_REUSED when something else was asked for under it
 */
export async function callOfKey(rows: Rows, key: CallKey): Promise<KeyedCall | undefined> {
  const { projectId, kind, idempotencyKey, intent } = key;
  if (idempotencyKey === null) return undefined;
  const [found] = await rows(byKeyStatement.with({ projectId, kind, idempotencyKey }));
  if (found === undefined || found.intent === intent) return found;
  const { id, status, error, txHash } = found;
  throw new ServiceError('IDEMPOTENCY_KEY_REUSED', {
    details: { call_id: id },
    extras: { call_id: id, status, call_error: error, tx_hash: txHash },
    nextActions: [
      { type: 'new_idempotency_key', why: 'Use a new key for another call.' },
      { type: 'poll', method: 'GET', path: `/contracts/v1/calls/${id}`, why: 'See the call that has the key.' },
    ],
  });
}

const byKeyStatement = statement(
  'signers.call-by-key',
  { params: pick(contractCalls, 'projectId', 'kind', 'idempotencyKey'), row: keyedColumns },
  ({ projectId, kind, idempotencyKey }, row) => sql`select ${row} from ${contractCalls}
    where ${contractCalls.projectId} = ${projectId} and ${contractCalls.kind} = ${kind}
      and ${contractCalls.idempotencyKey} = ${idempotencyKey}`,
);
