import { invalidField, ServiceError } from '../../../core/errors.ts';
import { type Column, sql } from '../../../db/drizzle.ts';
import { type LedgerEntry, ledgerEntries, orgBalances } from '../../../db/schema/orgs.ts';
import { allOf, insertInto, insertSelect, nameOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { keptRequestId } from '../../../kernel/run/request-id.ts';

/** What moves a balance; a closed set, so that a history can be read. Contract 04, section 1.5. */
export type LedgerKind =
  | 'x402_payment'
  | 'card_topup'
  | 'card_refund'
  | 'lightning_topup'
  | 'voucher'
  | 'tier_fee'
  | 'tier_refund'
  | 'email_pack'
  | 'signer_rental'
  | 'signer_sign_fee'
  | 'job'
  | 'image'
  | 'slug_claim'
  | 'app_fork'
  | 'app_sale'
  | 'debt'
  | 'hold'
  | 'release'
  | 'adjustment';

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
  /** The part of a credit that is promotional. A debit takes promotional credit first. @default 0n */
  readonly promotional?: bigint | undefined;
  readonly reference?: LedgerReference | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The request that it belongs to. @default the one that is answered */
  readonly requestId?: string | undefined;
  /** Of a credit: what is owed is left as it is, because the credit is to pay for something. See {@link payDebt}. */
  readonly keepsDebt?: true | undefined;
}

export interface Posted {
  readonly entry: LedgerEntry;
  /** Whether the entry was there already: nothing has moved. */
  readonly replayed: boolean;
}

/** What is set aside for work that is under way. */
export interface Hold {
  readonly orgId: string;
  /** Micro-dollars, above zero. */
  readonly amount: bigint;
  /** The work: it has one hold, which is settled once. */
  readonly reference: LedgerReference;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What became of a hold. */
export interface Settlement {
  readonly orgId: string;
  readonly reference: LedgerReference;
  /** What the captured part is booked as. */
  readonly kind: LedgerKind;
  /** Micro-dollars from 0 to the amount of the hold. What is not captured can be spent again. */
  readonly captured: bigint;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
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
  const { orgId, direction, kind, amount, reference } = posting;
  const balance = await lockBalance(work, orgId);
  if (reference !== undefined) {
    const entry = await find(work, { orgId, reference, kind });
    if (entry !== undefined) return { entry, replayed: true };
  }
  if (direction === 'debit') {
    if (balance.available < amount) throw insufficientFunds(amount, balance.available);
    const promotional = least(balance.promotional, amount);
    return write(work, posting, { available: -amount, held: 0n, promotional });
  }
  if (balance.available + balance.held + amount > balanceMax) {
    const reason = 'the balance would be larger than can be shown exactly';
    throw invalidField('amount_usd_micros', reason);
  }
  const credited = await write(work, posting, { available: amount, held: 0n, promotional: posting.promotional ?? 0n });
  if (posting.keepsDebt !== true && balance.owed > 0n) await payDebt(work, orgId);
  return credited;
}

/** What is taken back because it was returned to whoever had paid it. */
export interface TakenBack {
  readonly orgId: string;
  /** Micro-dollars, above zero. */
  readonly amount: bigint;
  readonly reference: LedgerReference;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Takes back what was credited before: paid credit first, then promotional credit. What the balance no longer covers is
 * owed, and the next credit pays it. Its caller sees to it that it happens once.
 *
 * @returns what is owed of it, in micro-dollars
 */
export async function takeBack(work: Work, { orgId, amount, reference, metadata }: TakenBack): Promise<bigint> {
  const balance = await lockBalance(work, orgId);
  const taken = least(balance.available, amount);
  const owed = amount - taken;
  if (taken > 0n) {
    const paid = balance.available - balance.promotional;
    const promotional = taken > paid ? taken - paid : 0n;
    await write(
      work,
      { orgId, direction: 'debit', kind: 'card_refund', amount: taken, reference, metadata },
      { available: -taken, held: 0n, promotional },
    );
  }
  if (owed > 0n) await work.rows(oweStatement.with({ orgId, by: owed }));
  return owed;
}

/** Pays what an organization owes out of what it can spend, as far as that goes. */
export async function payDebt(work: Work, orgId: string): Promise<void> {
  const { available, promotional, owed } = await lockBalance(work, orgId);
  const amount = least(available, owed);
  if (amount === 0n) return;
  await write(
    work,
    { orgId, direction: 'debit', kind: 'debt', amount },
    { available: -amount, held: 0n, promotional: least(promotional, amount) },
  );
  await work.rows(oweStatement.with({ orgId, by: -amount }));
}

/**
 * Sets an amount aside, so that nothing else can spend it. Its owner settles it, whatever becomes of the work.
 *
 * @throws INSUFFICIENT_FUNDS when the balance does not cover it
 */
export async function hold(work: Work, { orgId, amount, reference, metadata }: Hold): Promise<Posted> {
  const balance = await lockBalance(work, orgId);
  const entry = await find(work, { orgId, reference, kind: 'hold' });
  if (entry !== undefined) return { entry, replayed: true };
  if (balance.available < amount) throw insufficientFunds(amount, balance.available);
  return write(
    work,
    { orgId, direction: 'debit', kind: 'hold', amount, reference, metadata },
    { available: -amount, held: amount, promotional: least(balance.promotional, amount) },
  );
}

/**
 * Takes what the work has cost out of its hold and gives the rest back, once: a repetition moves nothing.
 *
 * @returns what was captured by the settlement that counts
 * @throws RangeError when nothing was held for the reference, or less than is captured
 */
export async function settleHold(work: Work, settlement: Settlement): Promise<bigint> {
  const { orgId, reference, kind, captured, metadata } = settlement;
  const { owed } = await lockBalance(work, orgId);
  const held = await find(work, { orgId, reference, kind: 'hold' });
  if (held === undefined) throw new RangeError(`Nothing is held for ${reference.type} ${reference.id}.`);
  const taken = await find(work, { orgId, reference, kind });
  if (taken !== undefined) return taken.amount;
  if ((await find(work, { orgId, reference, kind: 'release' })) !== undefined) return 0n;
  const rest = held.amount - captured;
  const requestId = held.requestId ?? undefined;
  if (captured < 0n || rest < 0n) throw new RangeError(`A hold of ${held.amount} cannot be captured by ${captured}.`);
  const promotional = least(held.promotional, captured);
  if (captured > 0n) {
    const posting: Posting = { orgId, direction: 'debit', kind, amount: captured, reference, metadata, requestId };
    await write(work, posting, { available: 0n, held: -captured, promotional });
  }
  if (rest > 0n) {
    const posting: Posting = {
      orgId,
      direction: 'credit',
      kind: 'release',
      amount: rest,
      reference,
      metadata,
      requestId,
    };
    await write(work, posting, { available: rest, held: -rest, promotional: held.promotional - promotional });
    if (owed > 0n) await payDebt(work, orgId);
  }
  return captured;
}

export const insufficientFunds = (required: bigint, available: bigint): ServiceError =>
  new ServiceError('INSUFFICIENT_FUNDS', {
    details: { required_usd_micros: Number(required), available_usd_micros: Number(available) },
  });

/** What the organization can spend, on the connection of a change. */
export const availableOf = async (work: Work, orgId: string): Promise<bigint> =>
  (await balanceOf(work, orgId)).available;

/** The balance as a change finds it. To decide by it, lock it: `lockBalance`. */
export async function balanceOf({ rows }: Pick<Work, 'rows'>, orgId: string): Promise<Balance> {
  const [balance] = await rows(balanceStatement.with({ orgId }));
  return balance ?? { available: 0n, held: 0n, promotional: 0n, owed: 0n };
}

/** What an organization has at one moment, in micro-dollars. */
export interface Balance {
  readonly available: bigint;
  readonly held: bigint;
  /** The part of what is available that is promotional. */
  readonly promotional: bigint;
  /** What was taken back and was spent already. */
  readonly owed: bigint;
}

/**
 * Locks the balance until the change is committed, also when there is no row yet. What was posted before is looked for by
 * a statement that begins later.
 */
export async function lockBalance(work: Work, orgId: string): Promise<Balance> {
  const [balance] = await work.rows(lockStatement.with({ orgId }));
  return balance!;
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

type Sought = Pick<Posting, 'orgId' | 'kind'> & { readonly reference: LedgerReference };

async function find(work: Work, { orgId, reference, kind }: Sought): Promise<LedgerEntry | undefined> {
  const sought = { orgId, referenceType: reference.type, referenceId: reference.id, kind };
  return (await work.rows(findStatement.with(sought)))[0];
}

/** How an entry moves the two balances, and how much of its amount is promotional. */
interface Move {
  readonly available: bigint;
  readonly held: bigint;
  readonly promotional: bigint;
}

/** Writes an entry and moves the balance by it. Its caller has locked the balance. */
async function write(work: Work, posting: Posting, move: Move): Promise<Posted> {
  const { orgId, direction, kind, amount, reference, metadata = {} } = posting;
  const posted = {
    orgId,
    id: work.services.newId('led'),
    direction,
    kind,
    amount,
    promotional: move.promotional,
    referenceType: reference?.type ?? null,
    referenceId: reference?.id ?? null,
    metadata: JSON.stringify(metadata),
    requestId: posting.requestId ?? keptRequestId(work.request),
    availableBy: move.available,
    heldBy: move.held,
    // What is captured left the promotional credit when it was held.
    promotionalBy: move.available < 0n ? -move.promotional : move.available > 0n ? move.promotional : 0n,
  };
  const [entry] = await work.rows(postStatement.with(posted));
  return { entry: entry!, replayed: false };
}

const balanceRow = pick(orgBalances, 'available', 'held', 'promotional', 'owed');

const lockStatement = statement(
  'ledger.lock',
  { params: pick(orgBalances, 'orgId'), row: balanceRow },
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

const entryParams = pick(
  ledgerEntries,
  'orgId',
  'id',
  'direction',
  'kind',
  'amount',
  'promotional',
  'referenceType',
  'referenceId',
  'metadata',
  'requestId',
);

const postStatement = statement(
  'ledger.post',
  {
    params: {
      ...entryParams,
      availableBy: typed<bigint>('bigint'),
      heldBy: typed<bigint>('bigint'),
      promotionalBy: typed<bigint>('bigint'),
    },
    row: allOf(ledgerEntries),
  },
  (given, row) => {
    const { orgId, id, direction, kind, amount, promotional, referenceType, referenceId, metadata, requestId } = given;
    const after = (column: Column) => sql`moved.${nameOf(column)}`;
    return sql`with moved as (
        update ${orgBalances} ${setOf(orgBalances, {
          available: sql`${orgBalances.available} + ${given.availableBy}::bigint`,
          held: sql`${orgBalances.held} + ${given.heldBy}::bigint`,
          promotional: sql`${orgBalances.promotional} + ${given.promotionalBy}::bigint`,
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
          promotional: sql`${promotional}::bigint`,
          referenceType,
          referenceId,
          metadata: sql`${metadata}::jsonb`,
          requestId,
        },
        sql`from moved`,
      )} returning ${row}`;
  },
);

const oweStatement = statement(
  'ledger.owe',
  { params: { ...pick(orgBalances, 'orgId'), by: typed<bigint>('bigint') } },
  ({ orgId, by }) => sql`update ${orgBalances} ${setOf(orgBalances, { owed: sql`${orgBalances.owed} + ${by}::bigint` })}
    where ${orgBalances.orgId} = ${orgId}`,
);

const balanceStatement = statement(
  'ledger.balance',
  { params: pick(orgBalances, 'orgId'), row: balanceRow },
  ({ orgId }, row) => sql`select ${row} from ${orgBalances} where ${orgBalances.orgId} = ${orgId}`,
);
