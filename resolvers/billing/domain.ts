import { domain } from '../../kernel/run/domain.ts';
import { addCredit } from './add-credit.ts';
import { createEmailOrganization } from './create-email-org.ts';
import { billingErrors } from './error-codes.ts';
import { getBilling } from './get-billing.ts';
import { linkWallet } from './link-wallet.ts';
import { listHistory } from './list-history.ts';
import { lookupBilling } from './lookup-billing.ts';

export const billing = domain('billing', {
  errors: billingErrors,
  operations: [addCredit, getBilling, listHistory, lookupBilling, createEmailOrganization, linkWallet],
});
