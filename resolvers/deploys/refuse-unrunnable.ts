import { ServiceError } from '../../core/errors.ts';
import type { ReleaseState } from '../../engines/release/model.ts';
import type { Services } from '../../kernel/run/context.ts';

/** Refuses a release whose functions would not be run as it says. @throws FUNCTIONS_NOT_AVAILABLE */
export async function refuseUnrunnable(services: Services, { functions, routes }: ReleaseState): Promise<void> {
  if (functions.size === 0) return;
  const priced = routes.find(({ pricing }) => pricing !== undefined);
  if (priced !== undefined)
    throw new ServiceError('FUNCTIONS_NOT_AVAILABLE', {
      message: `The route ${priced.pattern} has a price, which this gateway does not take yet.`,
      details: { route: priced.pattern, member: 'pricing' },
    });
  const { functions: standing, reason } = await services.functions.standing();
  if (standing === 'unavailable')
    throw new ServiceError('FUNCTIONS_NOT_AVAILABLE', { details: { functions: [...functions.keys()], reason } });
}
