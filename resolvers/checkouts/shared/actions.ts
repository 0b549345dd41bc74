import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. Anybody of an organization may bring it money by lightning. Contract 04, section 1.4. */
export const checkoutActions = actions({
  'org:checkout:create': { role: 'billing', admin: true },
  /** To see a payment, and to bring money by lightning. */
  'org:topup': { role: 'viewer', delegate: 'any', admin: true },
  'org:auto_recharge:write': { role: 'billing', admin: true },
});
