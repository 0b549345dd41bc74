import { domain } from '../../kernel/run/domain.ts';
import { createVoucherIssuer } from './create-issuer.ts';
import { voucherErrors } from './error-codes.ts';
import { listVoucherIssuers } from './list-issuers.ts';
import { listVouchers } from './list-vouchers.ts';
import { mintPublicVoucher } from './mint-public-voucher.ts';
import { mintVoucher } from './mint-voucher.ts';
import { redeemVoucher } from './redeem-voucher.ts';
import { voucherActions } from './shared/actions.ts';
import { updateVoucherIssuer } from './update-issuer.ts';

export const vouchers = domain('vouchers', {
  errors: voucherErrors,
  actions: voucherActions,
  operations: [
    redeemVoucher,
    mintVoucher,
    mintPublicVoucher,
    listVouchers,
    createVoucherIssuer,
    listVoucherIssuers,
    updateVoucherIssuer,
  ],
});
