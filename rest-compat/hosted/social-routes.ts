import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sameSecret } from '../../core/keys.ts';
import { returnPath } from '../../core/return-path.ts';
import { asRefusal } from '../../kernel/run/as-refusal.ts';
import { runEndpoint } from '../../resolvers/auth/endpoint.ts';
import { requireOwnOriginOf } from '../../resolvers/auth/hosted/csrf.ts';
import { flowSeconds } from '../../resolvers/auth/social-flows.ts';
import { startSocial } from '../../resolvers/auth/social-start.ts';
import { token } from '../../resolvers/auth/token.ts';
import { apiBase } from '../../resolvers/hosts/host-config.ts';
import { type HostedCall, type HostedRoute, openedBy, seeOther, wayBack } from './call.ts';
import type { HostedAnswer } from './page.ts';
import { afterSignIn } from './sign-in-page.ts';
import { signedIn } from './sign-in-routes.ts';

/** What a browser keeps between the start of a social sign-in and its end, for itself alone. */
const FlowShape = z.object({
  provider: z.string(),
  verifier: z.string(),
  state: z.string(),
  back: z.string(),
  errorBack: z.string(),
});
type Flow = Readonly<z.output<typeof FlowShape>>;

/** Sent along when the provider sends the browser back, which is a way to another site and from there. */
const cookieName = '__Host-Http-svc_oauth';
const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax';
const clearedFlow = `${cookieName}=; Max-Age=0; ${attributes}`;

const flowCookie = (flow: Flow) =>
  `${cookieName}=${Buffer.from(JSON.stringify(flow)).toString('base64url')}; Max-Age=${flowSeconds}; ${attributes}`;

function readFlow(header: string | undefined): Flow | undefined {
  const value = new RegExp(`(?:^|;\\s*)${cookieName}=([A-Za-z0-9_-]{1,8192})(?:;|$)`).exec(header ?? '')?.[1];
  if (value === undefined) return undefined;
  try {
    return FlowShape.safeParse(JSON.parse(Buffer.from(value, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}

/** Refusals by the names that pages know. Contract 01, section 3.12. */
const faults: Readonly<Record<string, string>> = {
  SVC_AUTH_DOMAIN_NOT_ALLOWED: 'domain_not_allowed',
  SVC_AUTH_INVALID_CREDENTIALS: 'token_exchange_failed',
  INVALID_AUTH: 'token_exchange_failed',
  UPSTREAM_UNAVAILABLE: 'token_exchange_failed',
};

function toError(errorBack: string, fault: string): HostedAnswer {
  const url = new URL(errorBack, 'http://host.invalid');
  url.searchParams.set('svc_auth_error', fault);
  return seeOther(`${url.pathname}${url.search}${url.hash}`);
}

/** What is the caller's own mistake is said to it, and not to the page that it wants to go back to. */
const isMistake = (error: ServiceError) => error.row.category === 'validation' || error.row.category === 'rate_limit';

async function orToError(errorBack: string, run: () => Promise<HostedAnswer>): Promise<HostedAnswer> {
  try {
    return await run();
  } catch (error) {
    const refusal = asRefusal(error);
    if (!(refusal instanceof ServiceError) || isMistake(refusal)) throw refusal;
    return toError(errorBack, faults[refusal.code] ?? refusal.code.toLowerCase());
  }
}

/**
 * A link is made for who asks for it on a page of this host, and not because another site sent it here. A browser that
 * does not say from which site it comes has to say by `Referer` from which page.
 */
function refuseForeignLink({ query, origin, site, referer }: HostedCall): void {
  if (query.intent !== 'link' || site === 'same-origin' || site === 'none') return;
  if (site !== undefined) throw new ServiceError('SVC_AUTH_CSRF_ORIGIN_MISMATCH', { details: { origin } });
  requireOwnOriginOf({ referer }, origin);
}

/** Social sign-in on a project's host; all that it needs of a browser is that it follows. */
export const socialRoutes: readonly HostedRoute[] = [
  {
    method: 'GET',
    path: '/auth/sign-in/oauth/:provider/start',
    async run(call) {
      const { ctx, query, origin, params } = call;
      const back = returnPath(wayBack(call), afterSignIn);
      const errorBack = returnPath(query.errorReturnTo, '/auth/sign-in');
      refuseForeignLink(call);
      return orToError(errorBack, async () => {
        const flow = { provider: params.provider!, back, errorBack, ...newSecrets() };
        const started = await runEndpoint(
          startSocial,
          // Providers send browsers back to the API, whose address they know.
          { ...ctx, request: { ...ctx.request, baseUrl: apiBase(ctx.services, origin) } },
          {
            provider: flow.provider,
            redirect_url: `${origin}/auth/sign-in/oauth/${encodeURIComponent(flow.provider)}/callback`,
            code_challenge: createHash('sha256').update(flow.verifier).digest('base64url'),
            code_challenge_method: 'S256',
            client_state: flow.state,
            ...(query.intent === undefined ? {} : { intent: query.intent as 'link' }),
            ...(query.login_hint === undefined ? {} : { login_hint: query.login_hint }),
          },
          openedBy(call),
        );
        call.setCookie(flowCookie(flow));
        return { ...seeOther(started.authorization_url), status: 302 };
      });
    },
  },
  {
    method: 'GET',
    path: '/auth/sign-in/oauth/:provider/callback',
    singleUse: true,
    async run(call) {
      const { ctx, query, params } = call;
      const flow = readFlow(call.cookies);
      // Begun by another browser, or an attempt to sign this one in as another user.
      if (flow === undefined || flow.provider !== params.provider || !sameSecret(flow.state, query.state ?? ''))
        throw invalidField('state', 'names no sign-in that this browser began');
      call.setCookie(clearedFlow);
      // It was kept by the browser, which is not believed.
      const [back, errorBack] = [returnPath(flow.back, afterSignIn), returnPath(flow.errorBack, '/auth/sign-in')];
      const { code } = query;
      if (code === undefined)
        return toError(errorBack, /^[a-z_]{1,64}$/.exec(query.error ?? '')?.[0] ?? 'token_exchange_failed');
      return orToError(errorBack, async () => {
        const given = { grant_type: 'authorization_code' as const, code, code_verifier: flow.verifier };
        await signedIn(call, await runEndpoint(token, ctx, given, openedBy(call)));
        return seeOther(back);
      });
    },
  },
];

const newSecrets = () => ({
  verifier: randomBytes(32).toString('base64url'),
  state: randomBytes(24).toString('base64url'),
});
