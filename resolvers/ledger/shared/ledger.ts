import { invalidField, ServiceError } from '../../../core/errors.ts';
import { type Column, sql } from '../../../db/drizzle.ts';
import { type LedgerEntry, ledgerEntries, orgBalances } from '../../../db/schema/orgs.ts';
import { allOf, insertInto, insertSelect, nameOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
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
  const [balance] = await work.rows(lockStatement.with({ orgId }));
  if (reference !== undefined) {
    const [entry] = await work.rows(
      findStatement.with({ orgId, referenceType: reference.type, referenceId: reference.id, kind }),
    );
    if (entry !== undefined) return { entry, replayed: true };
  }
  const { available } = balance!;
  if (direction === 'debit' && available < amount) throw insufficientFunds(amount, available);
  if (direction === 'credit' && available + amount > balanceMax) {
    const reason = 'the balance would be larger than can be shown exactly';
    throw invalidField('amount_usd_micros', reason);
  }
  const posted = {
    orgId,
    moved: direction === 'credit' ? amount : -amount,
    id: work.services.newId('led'),
    direction,
    kind,
    amount,
    referenceType: reference?.type ?? null,
    referenceId: reference?.id ?? null,
    metadata: JSON.stringify(metadata),
  };
  const [entry] = await work.rows(postStatement.with(posted));
  return { entry: entry!, replayed: false };
}

export const insufficientFunds = (required: bigint, available: bigint): ServiceError =>
  new ServiceError('INSUFFICIENT_FUNDS', {
    details: { required_usd_micros: Number(required), available_usd_micros: Number(available) },
  });

/** What the organization can spend, on the connection of a change. */
export async function availableOf(work: Work, orgId: string): Promise<bigint> {
  const [balance] = await work.rows(availableStatement.with({ orgId }));
  return balance?.available ?? 0n;
}

const lockStatement = statement(
  'ledger.lock',
  { params: pick(orgBalances, 'orgId'), row: pick(orgBalances, 'available') },
  (given, row) => sql`${insertInto(orgBalances, given)} on conflict (${nameOf(orgBalances.orgId)}) do update
    ${setOf(orgBalances, { orgId: sql`${orgBalances.orgId}` })} returning ${row}`,
);

const findStatement = statement(
  'ledger.find',
  { params: pick(ledgerEntries, 'orgId', 'referenceType', 'referenceId', 'kind'), row: allOf(ledgerEntries) },
  ({ orgId, referenceType, referenceId, kind }, row) => sql`select ${row} from ${ledgerEntries}
    where ${ledgerEntries.orgId} = ${orgId} and ${ledgerEntries.referenceType} = ${referenceType}
      and ${ledgerEntries.referenceId} = ${referenceId} and ${ledgerEntries.kind} = ${kind}`,
);

const postStatement = statement(
  'ledger.post',
  {
    params: {
      ...pick(ledgerEntries, 'orgId', 'id', 'direction', 'kind', 'amount', 'referenceType', 'referenceId', 'metadata'),
      moved: typed<bigint>('bigint'),
    },
    row: allOf(ledgerEntries),
  },
  ({ orgId, id, direction, kind, amount, referenceType, referenceId, metadata, moved }, row) => {
    const after = (column: Column) => sql`moved.${nameOf(column)}`;
    return sql`with moved as (
        update ${orgBalances} ${setOf(orgBalances, {
          available: sql`${orgBalances.available} + ${moved}::bigint`,
          entries: sql`${orgBalances.entries} + 1`,
        })} where ${orgBalances.orgId} = ${orgId}
        returning ${orgBalances.orgId}, ${orgBalances.entries}, ${orgBalances.available}, ${orgBalances.held}
      )
      ${insertSelect(
        ledgerEntries,
        {
          orgId: after(orgBalances.orgId),
          seq: after(orgBalances.entries),
          id,
          direction,
          kind,
          amount: sql`${amount}::bigint`,
          availableAfter: after(orgBalances.available),
          heldAfter: after(orgBalances.held),
          referenceType,
          referenceId,
          metadata: sql`${metadata}::jsonb`,
        },
        sql`from moved`,
      )} returning ${row}`;
  },
);

const availableStatement = statement(
  'ledger.available',
  { params: pick(orgBalances, 'orgId'), row: pick(orgBalances, 'available') },
  ({ orgId }, row) => sql`select ${row} from ${orgBalances} where ${orgBalances.orgId} = ${orgId}`,
);
