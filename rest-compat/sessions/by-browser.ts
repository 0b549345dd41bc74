import { ServiceError } from '../../core/errors.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { BrowserSession } from '../../resolvers/sessions/browser-session.ts';
import { findBrowserSession, requireOwnPage } from '../../resolvers/sessions/browser-session.ts';
import type { RestRequest } from '../rest-request.ts';
import type { Route } from '../route.ts';

const headerOf = ({ headers = {} }: RestRequest, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};

export const cookiesOf = (request: RestRequest): string | undefined => headerOf(request, 'cookie');
/** How a browser calls itself. */
export const userAgentOf = (request: RestRequest): string | undefined =>
  headerOf(request, 'user-agent')?.slice(0, 1_024);
export const originOf = (request: RestRequest): string | undefined => headerOf(request, 'origin');

/** Who is signed in with the browser that sent a page's request; undefined without a session. */
export async function visitorOf(ctx: Context, request: RestRequest): Promise<BrowserSession | undefined> {
  const cookies = cookiesOf(request);
  if (cookies === undefined) return undefined;
  ctx.chargeAddress();
  return findBrowserSession(ctx.services, cookies);
}

/** The same request as the visitor. */
export const asVisitor = (ctx: Context, { caller }: BrowserSession): Context => ({
  ...ctx,
  anonymous: false,
  caller: async () => caller,
});

/**
 * Has a path take the cookie of a person's browser where no bearer comes along. What changes something has to come from
 * a page of this server, and to carry the session's own word in `X-Svc-Csrf`.
 */
export const byBrowser = (route: Route): Route => ({
  ...route,
  async run(ctx, request) {
    if (ctx.credentials.authorization !== undefined) return route.run(ctx, request);
    const visitor = await visitorOf(ctx, request);
    if (visitor === undefined) {
      if (ctx.anonymous === true && /__Host-Http-svc_cp_session=/.test(cookiesOf(request) ?? ''))
        throw new ServiceError('INVALID_AUTH', { details: { reason: 'session_ended' } });
      return route.run(ctx, request);
    }
    if (route.method !== 'GET')
      requireOwnPage(ctx, {
        origin: originOf(request),
        csrf: visitor.csrf,
        given: headerOf(request, 'x-svc-csrf'),
      });
    return route.run(asVisitor(ctx, visitor), request);
  },
});
