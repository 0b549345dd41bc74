import { ServiceError } from '../../core/errors.ts';
import type { ReleasedFunction, ReleaseState } from '../../engines/release/model.ts';
import type { Services } from '../../kernel/run/context.ts';

/** Refuses a release with a function that would not be run as it says. @throws FUNCTIONS_NOT_AVAILABLE */
export async function refuseUnrunnable(services: Services, { functions, routes }: ReleaseState): Promise<void> {
  if (functions.size === 0) return;
  for (const [name, fn] of functions) {
    const member = unknownMember(fn);
    if (member !== undefined)
      throw new ServiceError('FUNCTIONS_NOT_AVAILABLE', {
        message: `The function ${name} has ${member}, which this gateway does not run yet.`,
        details: { functions: [name], member },
      });
  }
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

/** A member of a function that would be passed over. */
function unknownMember(fn: ReleasedFunction): string | undefined {
  return fn.triggers.some(({ type }) => type === 'email') ? 'triggers of mail' : undefined;
}
