import { readFileSync } from 'node:fs';
import { ServiceError } from '../../core/errors.ts';
import { returnPath } from '../../core/return-path.ts';
import { asRefusal } from '../../kernel/run/as-refusal.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import { signInPagePath } from '../../resolvers/identity/shared/page-paths.ts';
import { asMinted, openBrowser, requireOwnPage, sessionCookie } from '../../resolvers/sessions/browser-session.ts';
import type { MintedSession } from '../../resolvers/sessions/shared/sessions.ts';
import { type Html, html } from '../hosted/html.ts';
import { alertOf, hidden, page } from '../hosted/page.ts';
import type { RestRequest } from '../rest-request.ts';
import type { RestAnswer, Route } from '../route.ts';
import { originOf, userAgentOf } from './by-browser.ts';

export const plane = '/agent/v1/control-plane';
export const accountPath = `${plane}/account`;
export const sessionsPath = `${accountPath}/sessions`;
export const signInPath = signInPagePath;

const scriptPath = `${plane}/pages.js`;
const scriptText = readFileSync(new URL('./pages.js', import.meta.url), 'utf8');

/** What a page's address holds is for this server alone. */
const secretive = { 'referrer-policy': 'no-referrer' };
/** Browsers would send `Origin: null` with forms of a page that withholds its address altogether. */
const own = { 'referrer-policy': 'same-origin' };

export const ownOrigin = ({ services, request }: Context): string =>
  new URL(services.settings.publicBaseUrl ?? request.baseUrl).origin;

/** A page with the one script, which asks the browser for passkeys. */
export const scripted = (ctx: Context, status: number, title: string, body: Html, more = {}): RestAnswer =>
  page(
    status,
    title,
    html`<h1>${title}</h1>\n${body}`,
    { ...own, ...more },
    {
      origin: ownOrigin(ctx),
      path: scriptPath,
      asks: '/agent/v1/',
    },
  );

export const scriptRoute: Route = {
  method: 'GET',
  path: scriptPath,
  operation: 'pages.script',
  status: 200,
  run: async () => ({
    status: 200,
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'public, max-age=300' },
    body: scriptText,
  }),
};

/** Leads on, without a referrer. */
export const seeOther = (location: string, cookie?: string): RestAnswer => ({
  status: 303,
  headers: {
    location,
    'cache-control': 'no-store',
    ...secretive,
    ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
  },
  body: '',
});

/** A path of this server to go on to, or the person's account. */
export function wayOn(given: unknown): string {
  try {
    return returnPath(given, accountPath);
  } catch {
    return accountPath;
  }
}

export const toSignIn = (back: string): RestAnswer => seeOther(`${signInPath}?return_to=${encodeURIComponent(back)}`);

/** Path and query of a request to a page, to come back to. */
export function here(path: string, query: RestRequest['query']): string {
  const search = new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** Has who has just signed in live in a cookie of this browser. @returns the cookie */
async function keep(ctx: Context, request: RestRequest, session: MintedSession): Promise<string> {
  const { sessionId, secret } = await execute(openBrowser, asMinted(ctx, session), { client: userAgentOf(request) });
  return sessionCookie({ sessionId, secret });
}

/** Has who has just signed in live in a cookie of this browser, and leads on. */
export const keepAndGo = async (
  ctx: Context,
  request: RestRequest,
  session: MintedSession,
  to: string,
): Promise<RestAnswer> => seeOther(to, await keep(ctx, request, session));

/** As {@link keepAndGo}, for who came back from another site. */
export const keepAndGoOn = async (
  ctx: Context,
  request: RestRequest,
  session: MintedSession,
  to: string,
): Promise<RestAnswer> => goOn(to, await keep(ctx, request, session));

/**
 * Leads on by a page that goes on by itself: with what another site began a browser sends no strict cookie along, and a
 * redirect is still that.
 */
export const goOn = (to: string, cookie: string): RestAnswer =>
  page(
    200,
    'You are signed in',
    html`<h1>You are signed in</h1>
<p role="status"><a href="${to}">Go on</a></p>`,
    { ...secretive, refresh: `0; url=${to}`, 'set-cookie': cookie },
  );

/** @throws CSRF_REFUSED unless one of this server's pages sent it */
export const fromOwnPage = (ctx: Context, request: RestRequest, csrf?: string): void =>
  requireOwnPage(ctx, { origin: originOf(request), csrf, given: request.body._csrf });

/** A page whose refusals are pages, too, for the person who reads them. */
export const pageRoute = (
  method: 'GET' | 'POST',
  path: string,
  operation: string,
  run: (ctx: Context, request: RestRequest) => Promise<RestAnswer>,
): Route => ({
  method,
  path,
  operation,
  status: 200,
  ...(method === 'POST' ? { form: true as const } : {}),
  async run(ctx, request) {
    try {
      return await run(ctx, request);
    } catch (error) {
      const refusal = asRefusal(error);
      if (!(refusal instanceof ServiceError)) throw error;
      return refused(refusal);
    }
  },
});

const wording: Readonly<Record<string, string>> = {
  INVALID_AUTH: 'This is good no more, or was not right. Please begin again.',
  CSRF_REFUSED: 'This did not come from a page of this server. Please open the page anew.',
};

export function refused(refusal: ServiceError): RestAnswer {
  const headers = {
    ...secretive,
    'x-svc-error-code': refusal.code,
    ...(refusal.retryAfter === undefined ? {} : { 'retry-after': String(refusal.retryAfter) }),
  };
  const body = html`<h1>That did not succeed</h1>
${alertOf(wording[refusal.code] ?? refusal.message)}
<p>${refusal.code}</p>
<p><a href="${signInPath}">Sign in</a></p>`;
  return page(refusal.status, 'That did not succeed', body, headers);
}

/** What write approvals are for, in words. */
export const approvalActions: Readonly<Record<string, string>> = {
  'org.project.create': 'Create a project in the organization',
  'project.deploy': 'Deploy the project',
  'project.secret.write': 'Change secrets of the project',
  'project.archives.export': 'Export archives of the project, and download them',
  'project.snapshots.manage': 'Take, restore and delete snapshots of the project',
  'project.branches.manage': 'Create, renew and delete branches of the project',
};

/** What the script does with a form, and in which order. */
export interface PasskeyForm {
  readonly id: string;
  /** Where the options of the ceremony come from; without them nothing is asked of the authenticator. */
  readonly options: string;
  readonly verify: string;
  readonly kind: 'get' | 'create';
  /** Where what is wanted is sent behind the proof, where that alone is not all. */
  readonly after?: string;
  /** How it is sent there. @default POST */
  readonly afterMethod?: 'DELETE';
  /** Where the browser goes when the answer does not say it. */
  readonly next: string;
  readonly csrf?: string | undefined;
  readonly button: string;
  /** What screen readers say instead, where several buttons of a page are called alike. */
  readonly about?: string;
  readonly quiet?: boolean;
  readonly fields?: Html;
}

/** A form that needs an authenticator; hidden until the script finds that the browser has one. */
export const passkeyForm = ({
  id,
  options,
  verify,
  kind,
  after,
  afterMethod,
  next,
  csrf,
  button,
  about,
  quiet,
  fields,
}: PasskeyForm): Html =>
  html`<form id="${id}" data-ceremony="${kind}" data-options="${options}" data-verify="${verify}" data-after="${after ?? ''}"${afterMethod !== undefined && html` data-after-method="${afterMethod}"`} data-next="${next}" data-csrf="${csrf ?? ''}" hidden>
<p class="fault" role="alert" hidden></p>
<p class="said" role="status" hidden></p>
${fields}
<button${quiet === true && html` class="quiet"`}${about !== undefined && html` aria-label="${about}"`}>${button}</button>
</form>
`;

/** What a page says where it needs the script and there is none. */
export const withoutScript = html`<noscript><p role="alert">Passkeys need JavaScript, which is off in this browser.</p></noscript>
`;

export const csrfField = (csrf: string): Html => hidden('_csrf', csrf);
