import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const voucherActions = actions({
  'org:voucher:redeem': { role: 'billing' },
});
