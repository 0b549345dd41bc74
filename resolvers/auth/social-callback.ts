import { invalidField, ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { traced } from '../../core/tracing.ts';
import type { Person } from '../../engines/sign-in/identity-provider.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { asRefusal } from '../../kernel/run/as-refusal.ts';
import type { Context } from '../../kernel/run/context.ts';
import { isOnOwnHost, isStillAllowed } from './redirects.ts';
import { noteFault } from './shared/social-refusal.ts';
import { newFlowCode, passageOf, projectOfState } from './shared/social-secrets.ts';
import { keepPerson, returnFlow } from './social-flows.ts';

export const socialCallbackName = 'auth.oauthCallback';

/** What the application gets, and how. */
export interface SocialReturn {
  readonly redirectUrl: string;
  /** Whether a host of the project serves it, and so the gateway may. */
  readonly onOwnHost: boolean;
  readonly mode: 'redirect' | 'popup';
  readonly values: { readonly state: string } & ({ readonly code: string } | { readonly error: string });
}

type Query = Readonly<Record<string, string | undefined>>;

/**
 * A browser that comes back from a provider. It brings no credential: the state that it carries is good once, and for
 * nothing but the sign-in that it was made for. Nobody is signed in here, and no account is made or linked: that is
 * for whoever trades the code, and has the verifier of the start.
 *
 * @throws VALIDATION_FAILED for a state that names no sign-in under way; only then there is nowhere to go back to
 */
export async function returnFromProvider(ctx: Context, providerId: string, query: Query): Promise<SocialReturn> {
  const startedAt = performance.now();
  let code = 'OK';
  try {
    return await traced(socialCallbackName, {}, () => finish(ctx, providerId, query));
  } catch (error) {
    const refusal = asRefusal(error);
    code = refusal instanceof ServiceError ? refusal.code : 'INTERNAL_ERROR';
    throw refusal;
  } finally {
    ctx.services.observe(socialCallbackName, code, (performance.now() - startedAt) / 1000);
  }
}

async function finish(ctx: Context, providerId: string, query: Query): Promise<SocialReturn> {
  ctx.chargeAddress();
  const { services } = ctx;
  const { state = '' } = query;
  const provider = services.identityProviders.get(providerId);
  const target = await targetOfState(ctx, state);
  if (provider === undefined || target === undefined) throw unknownState();
  const flow = await returnFlow(services, target, { provider: providerId, stateHash: sha256Hex(state) });
  if (flow === undefined) throw unknownState();
  // Nothing is sent to a URL that was taken off the list while its user was at the provider.
  if (!(await isStillAllowed(services, target, flow.redirect_url)))
    throw invalidField('redirect_url', 'the project does not allow it any more');
  ctx.onAdmitted?.();
  const back = (given: { readonly code: string } | { readonly error: string }): SocialReturn => ({
    redirectUrl: flow.redirect_url,
    onOwnHost: isOnOwnHost(services, target, new URL(flow.redirect_url)),
    mode: flow.mode,
    values: { ...given, state: flow.client_state ?? state },
  });
  let person: Person;
  try {
    person = await provider.identify(passageOf(services, state, flow.redirect_uri), query);
  } catch (error) {
    const fault = noteFault(ctx, provider, error);
    if (fault === undefined) throw error;
    return back({ error: fault.fault });
  }
  const code = newFlowCode();
  await keepPerson(services, target, flow.id, { codeHash: sha256Hex(code), person });
  return back({ code });
}

/** The project that a state names; one that is not there is refused like a state that was never made. */
async function targetOfState({ services }: Context, state: string): Promise<ProjectTarget | undefined> {
  const projectId = projectOfState(state);
  if (projectId === undefined) return undefined;
  try {
    return await findProjectTarget(services, projectId);
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'UPSTREAM_UNAVAILABLE') return undefined;
    throw error;
  }
}

const unknownState = () => invalidField('state', 'names no sign-in under way: it was used, has expired, or never was');
