import { domain } from '../../kernel/run/domain.ts';
import { addCredit } from './add-credit.ts';
import { getBilling } from './get-billing.ts';
import { listHistory } from './list-history.ts';
import { lookupBilling } from './lookup-billing.ts';

export const billing = domain('billing', {
  operations: [addCredit, getBilling, listHistory, lookupBilling],
});
