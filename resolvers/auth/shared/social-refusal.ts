import { ServiceError } from '../../../core/errors.ts';
import type { IdentityProvider } from '../../../engines/sign-in/identity-provider.ts';
import { ProviderError } from '../../../engines/sign-in/provider-error.ts';
import type { Context } from '../../../kernel/run/context.ts';

/** Notes why a provider brought a sign-in to no end, without what it answered. @returns undefined for other failures */
export function noteFault(
  { services: { log }, request }: Context,
  { id }: Pick<IdentityProvider, 'id'>,
  error: unknown,
): ProviderError | undefined {
  if (!(error instanceof ProviderError)) return undefined;
  const { fault, reason } = error;
  log.warn({ provider: id, fault, reason, trace_id: request.traceId }, 'A provider did not sign somebody in.');
  return error;
}

/** The refusal for a provider that does not answer. */
export function refusalOfProvider(ctx: Context, provider: IdentityProvider, error: unknown): unknown {
  return noteFault(ctx, provider, error) === undefined
    ? error
    : new ServiceError('UPSTREAM_UNAVAILABLE', {
        message: `${provider.displayName} cannot be reached right now.`,
        details: { provider: provider.id },
      });
}
