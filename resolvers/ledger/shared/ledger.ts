import { invalidField, ServiceError } from '../../../core/errors.ts';
import { columnsOf } from '../../../db/columns-of.ts';
import type { Statement } from '../../../db/pool.ts';
import { type LedgerEntry, ledgerEntries } from '../../../db/schema/orgs.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** What moves a balance; a closed set, so that a history can be read. Contract 04, section 1.5. */
export type LedgerKind = 'x402_payment' | 'tier_fee' | 'tier_refund' | 'slug_claim' | 'adjustment';

/** What an entry is for. With the kind it happens once in an organization, whatever is repeated. */
export interface LedgerReference {
  readonly type: string;
  readonly id: string;
}

export interface Posting {
  readonly orgId: string;
  readonly direction: 'credit' | 'debit';
  readonly kind: LedgerKind;
  /** Micro-dollars, above zero. */
  readonly amount: bigint;
  readonly reference?: LedgerReference | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface Posted {
  readonly entry: LedgerEntry;
  /** Whether the entry was there already: nothing has moved. */
  readonly replayed: boolean;
}

/** Balances beyond this could not be written into JSON exactly. */
const balanceMax = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Moves an organization's balance and writes why, in the transaction of the change that it is for. Whoever moves the
 * same balance waits until that is committed, so that each entry carries the exact balance after it.
 *
 * @throws INSUFFICIENT_FUNDS for a debit that the balance does not cover
 */
export async function post(work: Work, posting: Posting): Promise<Posted> {
  const { orgId, direction, kind, amount, reference, metadata = {} } = posting;
  // Locks the row, also when it is there already. What was posted before is looked for by a statement that begins later.
  const [balance] = await work.rows<{ available: bigint }>(lockStatement, [orgId]);
  if (reference !== undefined) {
    const [entry] = await work.rows<LedgerEntry>(findStatement, [orgId, reference.type, reference.id, kind]);
    if (entry !== undefined) return { entry, replayed: true };
  }
  const { available } = balance!;
  if (direction === 'debit' && available < amount) throw insufficientFunds(amount, available);
  if (direction === 'credit' && available + amount > balanceMax) {
    const reason = 'the balance would be larger than can be shown exactly';
    throw invalidField('amount_usd_micros', reason);
  }
  const [entry] = await work.rows<LedgerEntry>(postStatement, [
    orgId,
    direction === 'credit' ? amount : -amount,
    work.services.newId('led'),
    direction,
    kind,
    amount,
    reference?.type ?? null,
    reference?.id ?? null,
    JSON.stringify(metadata),
  ]);
  return { entry: entry!, replayed: false };
}

export const insufficientFunds = (required: bigint, available: bigint): ServiceError =>
  new ServiceError('INSUFFICIENT_FUNDS', {
    details: { required_usd_micros: Number(required), available_usd_micros: Number(available) },
  });

/** What the organization can spend, on the connection of a change. */
export async function availableOf(work: Work, orgId: string): Promise<bigint> {
  const [balance] = await work.rows<{ available: bigint }>(availableStatement, [orgId]);
  return balance?.available ?? 0n;
}

const lockStatement: Statement = {
  name: 'ledger.lock',
  text: `insert into org_balances as b (org_id) values ($1) on conflict (org_id) do update set org_id = b.org_id
    returning b.available_usd_micros as available`,
};

const findStatement: Statement = {
  name: 'ledger.find',
  text: `select ${columnsOf(ledgerEntries, 'e')} from ledger_entries e
    where e.org_id = $1 and e.reference_type = $2 and e.reference_id = $3 and e.kind = $4`,
};

const postStatement: Statement = {
  name: 'ledger.post',
  text: `with moved as (
      update org_balances set available_usd_micros = available_usd_micros + $2::bigint, entries = entries + 1
      where org_id = $1 returning *
    )
    insert into ledger_entries as e (org_id, seq, id, direction, kind, amount_usd_micros,
      balance_after_available, balance_after_held, reference_type, reference_id, metadata)
    select org_id, entries, $3, $4, $5, $6::bigint, available_usd_micros, held_usd_micros, $7, $8, $9::jsonb from moved
    returning ${columnsOf(ledgerEntries, 'e')}`,
};

const availableStatement: Statement = {
  name: 'ledger.available',
  text: 'select available_usd_micros as available from org_balances where org_id = $1',
};
