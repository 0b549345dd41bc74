import { z } from 'zod';
import { oneLine } from '../../kernel/input/fields.ts';

/** Most promotional credit of one organization, ever, in micro-dollars. Contract 04, section 1.5. */
export const promotionalCeiling = 1_000_000n;

const micros = (max: number) => z.number().int('must be a whole number').min(1).max(max);

/** One voucher is never worth more than an organization may have. */
export const voucherAmount = micros(Number(promotionalCeiling));

/** What an issuer may do. */
export const issuerInput = {
  name: oneLine(100).min(1, 'at least 1 character').describe('Name of the issuer, 1 to 100 characters.'),
  voucher_max_usd_micros: voucherAmount.describe('Most that one voucher may be worth, in micro-dollars.'),
  outstanding_max_usd_micros: micros(1e12).describe('Most that all open vouchers may be worth, in micro-dollars.'),
  daily_max_usd_micros: micros(1e12).describe('Most that the vouchers of one day may be worth, in micro-dollars.'),
  public_amount_usd_micros: voucherAmount
    .nullish()
    .describe('What a voucher is worth that any client may have, in micro-dollars; none may when absent.'),
};
