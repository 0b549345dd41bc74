import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const voucherErrors = defineErrors({
  VOUCHER_NOT_FOUND: row(404, 'not_found', 'There is no such voucher.'),
  VOUCHER_ALREADY_REDEEMED: row(409, 'conflict', 'Another organization has redeemed this voucher.'),
  VOUCHER_EXPIRED: row(410, 'conflict', 'The voucher has expired.'),
  PROMO_LIMIT_REACHED: row(403, 'quota', 'The organization has had as much promotional credit as it may have.'),
  VOUCHER_AMOUNT_EXCEEDS_CAP: row(403, 'quota', 'The issuer may make no voucher of this amount.'),
  ISSUER_OUTSTANDING_CAP_REACHED: row(403, 'quota', 'The issuer has as many vouchers open as it may have.'),
  ISSUER_DAILY_MINT_CAP_REACHED: row(403, 'quota', 'The issuer has made as many vouchers today as it may make.'),
  ISSUER_DISABLED: row(403, 'auth', 'The issuer may make no vouchers now.'),
  ISSUER_NAME_TAKEN: row(409, 'conflict', 'Another issuer has this name, or serves any client already.'),
  ISSUER_NOT_FOUND: row(404, 'not_found', 'There is no such issuer.'),
  PUBLIC_MINT_NOT_ENABLED: row(503, 'upstream', 'This gateway gives no vouchers to clients that show no key.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof voucherErrors, ErrorRow> {}
}
