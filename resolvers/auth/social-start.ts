import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { networkOf } from '../../core/network-of.ts';
import { flowModes } from '../../db/project-schema/auth.ts';
import type { IdentityProvider } from '../../engines/sign-in/identity-provider.ts';
import { signInThrottles } from '../../kernel/limits/limits.ts';
import type { Context } from '../../kernel/run/context.ts';
import { asUser, endpoint, withKey } from './endpoint.ts';
import { requireRedirect } from './redirects.ts';
import type { ProjectCaller } from './shared/authenticate-project.ts';
import { refusalOfProvider } from './shared/social-refusal.ts';
import { newState, passageOf } from './shared/social-secrets.ts';
import { beginFlow, flowSeconds } from './social-flows.ts';
import { countTry } from './throttle.ts';

const intents = ['signin', 'link'] as const;

/** `POST /auth/v1/oauth/{provider}/start`. Contract 01, section 3.5. */
export const startSocial = endpoint({
  name: 'auth.oauthStart',
  summary: 'Begin a sign-in with a social account, or link one to the signed-in user; the answer says where to go.',
  input: z.object({
    provider: z.string().max(64).describe('For example `google`.'),
    redirect_url: z.string().max(2_048).describe('Where the browser comes back to, with `#code=…&state=…` added.'),
    mode: z
      .enum(flowModes)
      .default('redirect')
      .describe('`popup` posts code and state to the window that opened it; `redirect` unless told.'),
    code_challenge: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'must be a SHA-256 in base64url')
      .describe('SHA-256 of the PKCE verifier, in base64url.'),
    code_challenge_method: z.literal('S256').describe('The only one.'),
    intent: z.enum(intents).default('signin').describe('`link` needs the user’s access token; `signin` unless told.'),
    client_state: z.string().max(2_048).optional().describe('Given back as `state`.'),
    login_hint: z.string().max(320).optional().describe('Handed to the provider, for example an address.'),
  }),
  admit: withKey,
  async handler(ctx, { provider: id, redirect_url, mode, code_challenge, intent, client_state, login_hint }) {
    const { services, target } = ctx;
    const provider = requireProvider(ctx, id);
    const redirectUrl = (await requireRedirect(services, target, 'redirect_url', redirect_url)).href;
    await countTry(services, target, signInThrottles.socialStart, 'social', networkOf(ctx.request.address));
    const linking = intent === 'link' ? await asUser(ctx, ctx) : undefined;
    const state = newState(services, target.projectId);
    const redirectUri = `${services.settings.publicBaseUrl ?? ctx.request.baseUrl}/auth/v1/oauth/${id}/callback`;
    const url = await provider
      .authorizationUrl(passageOf(services, state, redirectUri), login_hint)
      .catch((error: unknown) => {
        throw refusalOfProvider(ctx, provider, error);
      });
    await beginFlow(services, target, sha256Hex(state), {
      provider: id,
      redirect_uri: redirectUri,
      redirect_url: redirectUrl,
      mode,
      code_challenge,
      client_state: client_state ?? null,
      user_id: linking?.account.id ?? null,
      session_id: linking?.session.id ?? null,
    });
    return { provider: id, authorization_url: url.href, expires_in: flowSeconds };
  },
  wire: z.object({ provider: z.string(), authorization_url: z.url(), expires_in: z.number().int() }),
});

/** @throws VALIDATION_FAILED for an unknown one, PROVIDER_NOT_CONFIGURED */
function requireProvider({ services: { identityProviders } }: Context & ProjectCaller, id: string): IdentityProvider {
  const provider = identityProviders.get(id);
  if (provider !== undefined) return provider;
  const { listed } = identityProviders;
  if (listed.some(({ provider: known }) => known === id))
    throw new ServiceError('PROVIDER_NOT_CONFIGURED', { details: { provider: id } });
  throw invalidField('provider', `must be one of ${listed.map(({ provider: known }) => known).join(', ')}`);
}
