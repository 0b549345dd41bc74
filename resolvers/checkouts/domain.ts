import { domain } from '../../kernel/run/domain.ts';
import { createCheckout } from './create-checkout.ts';
import { checkoutErrors } from './error-codes.ts';
import { checkoutEventTypes } from './event-types.ts';
import { getCheckout } from './get-checkout.ts';
import { setAutoRecharge } from './set-auto-recharge.ts';
import { wakeCheckoutsTask } from './settle/wake-checkouts.ts';
import { checkoutActions } from './shared/actions.ts';

export const checkoutsDomain = domain('checkouts', {
  errors: checkoutErrors,
  actions: checkoutActions,
  events: checkoutEventTypes,
  operations: [createCheckout, getCheckout, setAutoRecharge],
  jobs: [{ task: wakeCheckoutsTask, run: async ({ ctx }) => ctx.services.checkoutWork.wake() }],
});
