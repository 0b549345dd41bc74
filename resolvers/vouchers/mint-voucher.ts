import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { vouchers } from '../../db/schema/vouchers.ts';
import { allOf, pick, statement } from '../../db/sql.ts';
import { oneLine } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { voucherAmount } from './issuer-input.ts';
import { byIssuer, lockIssuer } from './issuers.ts';
import { type MadeVoucher, makeVoucher } from './make-voucher.ts';
import { MintedVoucherWire, mintedToWire } from './wire.ts';

/** `POST /vouchers/v1`. Contract 04, section 1.7. */
export const mintVoucher = mutation({
  name: 'vouchers.mint',
  summary: 'Make a voucher; its code is shown once, and a repetition with the same key shows none.',
  access: byIssuer(),
  credentialBound: true,
  idempotency: 'own',
  input: z.object({
    amount_usd_micros: voucherAmount.describe('Worth of the voucher in micro-dollars, 1 to 1,000,000.'),
    idempotency_key: oneLine(128)
      .min(1, 'at least 1 character')
      .describe('Chosen by the issuer: the same key makes no second voucher; 1 to 128 characters.'),
    ref: oneLine(512).optional().describe('The issuer’s own word for the voucher; at most 512 characters.'),
    expires_in_days: z.int().min(1).max(90).default(30).describe('Days until it expires: 30 unless told, 1 to 90.'),
  }),
  async handler(work, { amount_usd_micros, idempotency_key, ref, expires_in_days }): Promise<MadeVoucher> {
    const issuer = (await lockIssuer(work, work.issuerId))!;
    const amount = BigInt(amount_usd_micros);
    const [before] = await work.rows(findStatement.with({ issuerId: issuer.id, idempotencyKey: idempotency_key }));
    if (before === undefined) {
      return makeVoucher(work, issuer, { amount, ref, idempotencyKey: idempotency_key, days: expires_in_days });
    }
    if (before.amount !== amount || before.ref !== (ref ?? null)) {
      throw new ServiceError('IDEMPOTENCY_KEY_REUSED', { details: { voucher_id: before.id } });
    }
    return { voucher: before, code: null };
  },
  audit: ({ voucher, code }) =>
    code === null
      ? undefined
      : {
          action: 'voucher.minted',
          object: { kind: 'voucher', id: voucher.id },
          details: { issuer_id: voucher.issuerId, amount_usd_micros: Number(voucher.amount) },
        },
  wire: MintedVoucherWire,
  toWire: mintedToWire,
});

const findStatement = statement(
  'vouchers.by-key',
  { params: pick(vouchers, 'issuerId', 'idempotencyKey'), row: allOf(vouchers) },
  ({ issuerId, idempotencyKey }, row) => sql`select ${row} from ${vouchers}
    where ${vouchers.issuerId} = ${issuerId} and ${vouchers.idempotencyKey} = ${idempotencyKey}`,
);
