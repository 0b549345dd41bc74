import type { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { takeFromProject } from '../../kernel/limits/project-rate.ts';
import { asRefusal } from '../../kernel/run/as-refusal.ts';
import type { Context } from '../../kernel/run/context.ts';
import { runEndpoint } from '../../resolvers/auth/endpoint.ts';
import { sessionFromIdentity } from '../../resolvers/auth/hosted/bridge.ts';
import { clearedCookie } from '../../resolvers/auth/hosted/cookie.ts';
import { requireCsrfToken, requireOwnOriginOf } from '../../resolvers/auth/hosted/csrf.ts';
import { findVisitor, stranger, wasReplaced } from '../../resolvers/auth/hosted/visitor.ts';
import { authenticateProject } from '../../resolvers/auth/shared/authenticate-project.ts';
import { identityOf } from '../auth/routes.ts';
import { isForm, parseFormBody, parseJsonBody, parseQuery } from '../body.ts';
import { accountRoutes } from './account-routes.ts';
import type { Host, HostedCall, HostedRequest, HostedRoute } from './call.ts';
import { json, seeOther } from './call.ts';
import type { HostedAnswer } from './page.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { afterSignIn, errorPage } from './sign-in-page.ts';
import { signedIn, signInRoutes } from './sign-in-routes.ts';
import { socialRoutes } from './social-routes.ts';

/** `POST /auth/v1/sessions/from-identity`: a function answers its visitor with the cookie that this one sets. */
const fromIdentity: HostedRoute = {
  method: 'POST',
  path: '/auth/v1/sessions/from-identity',
  byKey: true,
  async run(call) {
    const { ctx, target } = call;
    const given = identityOf(call.body) as z.input<typeof sessionFromIdentity.input>;
    const session = await runEndpoint(sessionFromIdentity, ctx, given, async () => {
      const caller = await authenticateProject(ctx, { limited: true, signsIn: true });
      if (caller.target.projectId !== target.projectId)
        throw new ServiceError('FORBIDDEN', { message: 'The key is for another project than the host.' });
      return caller;
    });
    await signedIn(call, session);
    return json(200, { ok: true, user: session.user });
  },
};

/** Every path of hosted sign-in. */
export const hostedRoutes: readonly HostedRoute[] = [
  ...signInRoutes,
  ...socialRoutes,
  ...passkeyRoutes,
  ...accountRoutes,
  fromIdentity,
];

/** A route of hosted sign-in that a request was found to ask for. */
interface MatchedHosted {
  readonly route: HostedRoute;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Answers a request for hosted sign-in. Refusals are answers too, where a page can say them or lead on.
 *
 * @param setHeader for the cookie, which refusals set as well
 * @throws ServiceError for the others
 */
export async function answerHosted(
  { route, params }: MatchedHosted,
  ctx: Context,
  host: Host,
  request: HostedRequest,
  setHeader: (name: 'set-cookie', values: readonly string[]) => void,
): Promise<HostedAnswer> {
  const { headers } = request;
  const isPost = route.method !== 'GET';
  if (route.byKey !== true) openHost(ctx, host);
  if (isPost && route.byKey !== true) requireOwnOriginOf(headers, host.origin);
  const contentType = headers['content-type'];
  const fromForm = isPost && isForm(contentType);
  const body = !isPost ? {} : fromForm ? parseFormBody(request.body) : parseJsonBody(request.body, contentType);
  const visitor = route.byKey === true ? stranger : await findVisitor(ctx, host.target, headers.cookie);
  if (visitor.session !== undefined) ctx.subject?.becomeUser();
  const cookies = new Map<string, string>();
  const setCookie = (cookie: string) => {
    cookies.set(cookie.slice(0, cookie.indexOf('=')), cookie);
    setHeader('set-cookie', [...cookies.values()]);
  };
  if (visitor.cookie !== undefined) setCookie(visitor.cookie);
  const site = headers['sec-fetch-site'];
  const call: HostedCall = {
    ...host,
    ctx,
    visitor,
    params,
    query: parseQuery(request.search),
    body,
    isForm: fromForm,
    wantsPage: wantsPage(headers.accept),
    here: request.search === '' ? request.path : `${request.path}?${request.search}`,
    cookies: headers.cookie,
    site: typeof site === 'string' ? site : undefined,
    referer: headers.referer,
    setCookie,
  };
  try {
    if (route.csrf === true && fromForm && visitor.session !== undefined && visitor.via === 'cookie')
      requireCsrfToken(visitor.session.session, body._csrf);
    return await route.run(call);
  } catch (error) {
    const refusal = asRefusal(error);
    if (route.byKey === true) throw refusal;
    return answerRefusal(route, call, asHosted(refusal));
  }
}

/** Counts a request against its address and its project, as the project's own routes on the API do. @throws RATE_LIMITED */
export function openHost(ctx: Context, { target }: Pick<Host, 'target'>): void {
  ctx.chargeAddress();
  takeFromProject(ctx, target.projectId, true);
  ctx.onAdmitted?.();
  ctx.subject?.admit(target.projectId, 'anon');
  ctx.services.usage.count({ orgId: target.orgId, projectId: target.projectId });
}

/** Browsers ask for pages by name, and scripts for anything. */
const wantsPage = (accept: string | undefined) => /(^|,)\s*text\/html\s*(;|,|$)/i.test(accept ?? '');

/** Refusals of the API's endpoints, by the codes that they have on a project's host. */
function asHosted(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { message, details } = error;
  if (error.code === 'AUTH_REQUIRED') return new ServiceError('SVC_AUTH_REQUIRED');
  if (error.code !== 'INVALID_AUTH') return error;
  if (details.reason === 'session_ended') return new ServiceError('SVC_AUTH_SESSION_INVALID');
  return new ServiceError('SVC_AUTH_INVALID_CREDENTIALS', { message, details });
}

/** A document leads to where its user signs in, or signs in again. */
const leads: Readonly<Record<string, string>> = {
  SVC_AUTH_REQUIRED: '/auth/sign-in',
  SVC_AUTH_SESSION_EXPIRED: '/auth/sign-in',
  SVC_AUTH_SESSION_INVALID: '/auth/sign-in',
  SVC_AUTH_FRESHNESS_REQUIRED: '/auth/re-auth',
};

function answerRefusal(route: HostedRoute, call: HostedCall, error: unknown): HostedAnswer | Promise<HostedAnswer> {
  if (!(error instanceof ServiceError)) throw error;
  if (error.code === 'SVC_AUTH_SESSION_INVALID' && call.visitor.via !== 'bearer' && !wasReplaced(call.visitor))
    call.setCookie(clearedCookie);
  if (!call.wantsPage) throw error;
  const lead = leads[error.code];
  // What a form wanted is not done by going there.
  const back = route.method === 'GET' ? call.here : afterSignIn;
  if (lead !== undefined) return seeOther(`${lead}?returnTo=${encodeURIComponent(back)}`);
  return (route.failed ?? errorPage)(call, error);
}
