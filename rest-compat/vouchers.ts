import type { MadeVoucher } from '../resolvers/vouchers/make-voucher.ts';
import { mintVoucher } from '../resolvers/vouchers/mint-voucher.ts';
import { type RedeemedVoucher, redeemVoucher } from '../resolvers/vouchers/redeem-voucher.ts';
import { route } from './route.ts';

/** Paths of vouchers whose status the outcome decides. Contract 04, section 1.7. */
export const voucherRoutes = [
  route(
    'POST',
    '/vouchers/v1/redemptions',
    { usual: 201, of: ({ already }: RedeemedVoucher) => (already ? 200 : 201) },
    redeemVoucher,
  ),
  route(
    'POST',
    '/vouchers/v1',
    { usual: 201, of: ({ code }: MadeVoucher) => (code === null ? 200 : 201) },
    mintVoucher,
  ),
];
