import { ServiceError } from '../../core/errors.ts';
import { requestIdOf } from '../../core/tracing.ts';
import { negotiateLocale } from '../../engines/hosting/locale.ts';
import type { Resolution } from '../../engines/hosting/resolve.ts';
import type { RenderedPage } from '../../engines/page-cache/cacheable.ts';
import type { Context } from '../../kernel/run/context.ts';
import { readShownToken, verifyAccessToken } from '../../resolvers/auth/access-token.ts';
import { findVisitor, stranger, type Visitor } from '../../resolvers/auth/hosted/visitor.ts';
import type { Site, SiteFunction } from '../../resolvers/deploys/live-sites.ts';
import { callFunction } from '../../resolvers/functions/call-function.ts';
import { isGated, type PassedGate, passGate } from '../../resolvers/functions/gate.ts';
import { type Host, seeOther } from '../../rest-compat/hosted/call.ts';
import type { Exchange } from '../exchange.ts';
import { asksForPage, showFailure } from '../hosting/refuse.ts';
import { paymentContextOf } from '../payment-context.ts';
import { answerPreflight, sendAnswer, setCommonHeaders } from '../respond.ts';
import { functionRequestOf, namingFailure, sendReply, withSet } from './answer-call.ts';
import { callPaid, isPriced } from './paid-call.ts';

export interface RoutedCall {
  readonly ctx: Context;
  readonly host: Host;
  readonly site: Site;
  readonly found: Resolution;
  /** In the site, as it was sent. */
  readonly path: string;
  /** Tell the release. */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer shares an origin with others: it sets no cookies there. */
  readonly isShared: boolean;
}

/** Answers a request to a host by the function that its route leads to. Contract 03, section 3.8. */
export async function answerRouted(exchange: Exchange, call: RoutedCall): Promise<void> {
  try {
    await namingFailure(exchange, answer(exchange, call));
  } catch (error) {
    const isOfPage = error instanceof ServiceError && error.code === 'SVC_SSR_RUNTIME_ERROR';
    if (!isOfPage || !asksForPage(exchange.request)) throw error;
    showFailure(exchange, error, requestIdOf(exchange.traceId));
  }
}

async function answer(exchange: Exchange, call: RoutedCall): Promise<void> {
  const { ctx, host, site, found, path, isShared } = call;
  const { request, response, search } = exchange;
  const name = found.functionName!;
  const target = search === '' ? path : `${path}?${search}`;
  const { visitor, userId } = await userOf(ctx, host, request.headers.cookie);
  if (userId !== undefined) ctx.subject?.becomeUser();
  const fn = site.functions.get(name);
  let gate: PassedGate;
  try {
    gate = fn === undefined ? {} : await passGate(ctx.services, host.target, fn, userId);
  } catch (error) {
    const lead = leadOf(error, fn, exchange);
    if (lead === undefined) throw error;
    return sendAnswer(response, seeOther(lead));
  }
  const locale = localeOf(site, request.headers);
  const own = { ...call.headers, 'x-svc-request-id': requestIdOf(exchange.traceId) };
  const cookie = isShared ? undefined : visitor.cookie;
  // Pages of any origin may pay, and see what it costs, unless the function says otherwise. By OPTIONS nothing can be paid.
  const priced = isPriced(found.route) ? found.route : undefined;
  if (priced !== undefined && request.method === 'OPTIONS') return answerPreflight(response);
  if (priced !== undefined) setCommonHeaders(response);
  const run = async (): Promise<RenderedPage & { readonly body: Buffer }> => {
    const called = {
      target: host.target,
      site,
      name,
      url: `${host.origin}${target}`,
      headers: {
        'x-svc-route-pattern': found.route?.pattern,
        'x-svc-host': new URL(host.origin).host,
        ...gate,
        'x-svc-locale': locale,
        'x-svc-default-locale': site.i18n?.defaultLocale,
      },
    };
    const asked = functionRequestOf(exchange);
    const reply = await (priced === undefined
      ? callFunction(ctx, called, asked)
      : callPaid({ ...ctx, paymentContext: paymentContextOf(exchange, host.origin) }, called, asked, priced, {
          host: new URL(host.origin).host,
          target,
        }));
    return isShared ? { ...reply, headers: reply.headers.filter(([one]) => !/^set-cookie$/i.test(one)) } : reply;
  };
  // What is paid for is nobody else's to have.
  if (fn?.class !== 'ssr' || priced !== undefined) {
    const page = await run();
    const bypass = page.headers.some(([one]) => /^cache-control$/i.test(one)) ? undefined : 'dynamic-bypass';
    return sendReply(
      exchange,
      { ...page, headers: withSet(page.headers, cookie) },
      { ...own, 'x-svc-cache': bypass, 'cache-control': priced === undefined ? undefined : 'private, no-store' },
    );
  }
  const { pageCache } = ctx.services;
  const address = {
    orgId: site.orgId,
    projectId: site.projectId,
    host: new URL(host.origin).hostname,
    target,
    locale: locale ?? '',
    releaseId: site.releaseId,
    releaseGeneration: site.generation,
  };
  const seen = await pageCache.look(address, {
    method: request.method!,
    headers: request.headers,
    usesAuth: userId !== undefined || isGated(fn),
  });
  if (seen.found === 'hit')
    return sendReply(
      exchange,
      { ...seen.page, headers: withSet(seen.page.headers, cookie) },
      { ...own, ...seen.headers },
    );
  const page = await run().catch((error: unknown) => {
    throw asFailureOfPage(error);
  });
  const told = seen.found === 'miss' ? await pageCache.keep(seen.miss, page) : seen.headers;
  sendReply(exchange, { ...page, headers: withSet(page.headers, cookie) }, { ...own, ...told });
}

/** The failure of code that makes pages has a code of its own. */
const asFailureOfPage = (error: unknown): unknown =>
  error instanceof ServiceError && (error.code === 'FUNCTION_FAILED' || error.code === 'FUNCTION_CRASHED')
    ? new ServiceError('SVC_SSR_RUNTIME_ERROR', { details: error.details, cause: error })
    : error;

/** Where a browser is led that asks for a page without being signed in, if the gate says so. */
function leadOf(error: unknown, fn: SiteFunction | undefined, { request }: Exchange): string | undefined {
  const gate = fn?.requireRole;
  if (gate?.onDeny !== 'redirect' || !(error instanceof ServiceError) || error.code !== 'authentication_required')
    return undefined;
  return asksForPage(request) ? (gate.signInPath ?? '/auth/sign-in') : undefined;
}

/**
 * Who asks: by a user's token, which is only verified, or by the session of the host's cookie. A function may have
 * credentials of its own kind, so that what is none of a user's makes a stranger.
 */
async function userOf(
  ctx: Context,
  { target }: Host,
  cookie: string | undefined,
): Promise<{ readonly visitor: Visitor; readonly userId: string | undefined }> {
  const token = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(ctx.credentials.authorization?.trim() ?? '')?.[1];
  const shown = token === undefined ? undefined : readShownToken(token);
  const claims =
    shown?.projectId === target.projectId ? await verifyAccessToken(ctx.services, target, shown) : undefined;
  if (claims !== undefined) return { visitor: stranger, userId: claims.sub };
  try {
    const visitor = await findVisitor(ctx, target, cookie);
    return { visitor, userId: visitor.session?.account.id };
  } catch (error) {
    if (error instanceof ServiceError && error.row.category === 'auth') return { visitor: stranger, userId: undefined };
    throw error;
  }
}

/** @throws VALIDATION_FAILED for a locale that was chosen and is not there */
function localeOf({ i18n }: Site, headers: Exchange['request']['headers']): string | undefined {
  if (i18n === null) return undefined;
  const negotiated = negotiateLocale(i18n, headers);
  if ('locale' in negotiated) return negotiated.locale;
  throw new ServiceError('VALIDATION_FAILED', {
    message: `The site has no locale ${negotiated.unknown}.`,
    details: { field: 'locale', locales: i18n.locales },
  });
}
