import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type Voucher, vouchers } from '../../db/schema/vouchers.ts';
import { allOf, computed, insertInto, pick, statement, typed } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { newVoucherCode, voucherCodeHash } from './code.ts';
import type { ShownIssuer } from './wire.ts';

export interface MadeVoucher {
  readonly voucher: Voucher;
  /** Shown once; null when the voucher was there already. */
  readonly code: string | null;
}

interface VoucherOrder {
  readonly amount: bigint;
  readonly days: number;
  readonly ref?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly context?: object | undefined;
}

/** Makes a voucher within the amounts of its issuer, whose lock the caller holds. @throws ISSUER_DISABLED and the caps */
export async function makeVoucher(work: Work, issuer: ShownIssuer, order: VoucherOrder): Promise<MadeVoucher> {
  const { amount } = order;
  if (issuer.disabledAt !== null) throw new ServiceError('ISSUER_DISABLED');
  refuseAbove('VOUCHER_AMOUNT_EXCEEDS_CAP', amount, 0n, issuer.voucherMax);
  const [made] = await work.rows(sumsStatement.with({ issuerId: issuer.id }));
  refuseAbove('ISSUER_OUTSTANDING_CAP_REACHED', amount, made!.open, issuer.outstandingMax);
  refuseAbove('ISSUER_DAILY_MINT_CAP_REACHED', amount, made!.today, issuer.dailyMax);
  const code = newVoucherCode();
  const inserted = insertStatement.with({
    id: randomUUID(),
    issuerId: issuer.id,
    codeHash: voucherCodeHash(code)!,
    amount,
    ref: order.ref ?? null,
    idempotencyKey: order.idempotencyKey ?? null,
    context: order.context === undefined ? null : JSON.stringify(order.context),
    days: order.days,
  });
  return { voucher: (await work.rows(inserted))[0]!, code };
}

function refuseAbove(code: CapCode, amount: bigint, used: bigint, limit: bigint): void {
  if (used + amount <= limit) return;
  const details = { amount_usd_micros: Number(amount), used: Number(used), limit: Number(limit) };
  throw new ServiceError(code, { details });
}

type CapCode = 'VOUCHER_AMOUNT_EXCEEDS_CAP' | 'ISSUER_OUTSTANDING_CAP_REACHED' | 'ISSUER_DAILY_MINT_CAP_REACHED';

const sumsStatement = statement(
  'vouchers.sums',
  {
    params: pick(vouchers, 'issuerId'),
    row: {
      open: computed<bigint>('bigint', sql`open.sum`),
      today: computed<bigint>('bigint', sql`today.sum`),
    },
  },
  ({ issuerId }, row) => sql`select ${row} from
    (select coalesce(sum(${vouchers.amount}), 0)::bigint as sum from ${vouchers}
      where ${vouchers.issuerId} = ${issuerId} and ${vouchers.redeemedAt} is null and ${vouchers.expiresAt} > now()) open,
    (select coalesce(sum(${vouchers.amount}), 0)::bigint as sum from ${vouchers}
      where ${vouchers.issuerId} = ${issuerId}
        and ${vouchers.createdAt} >= date_trunc('day', now(), 'UTC')) today`,
);

const insertStatement = statement(
  'vouchers.insert',
  {
    params: {
      ...pick(vouchers, 'id', 'issuerId', 'codeHash', 'amount', 'ref', 'idempotencyKey'),
      context: typed<string | null>('jsonb'),
      days: typed<number>('integer'),
    },
    row: allOf(vouchers),
  },
  ({ days, context, ...given }, row) =>
    sql`${insertInto(vouchers, {
      ...given,
      context,
      expiresAt: sql`now() + make_interval(days => ${days})`,
    })} returning ${row}`,
);
