import { ServiceError } from '../../core/errors.ts';
import { returnPath } from '../../core/return-path.ts';
import { readUrl } from '../../core/urls.ts';
import { confirmCode } from '../../resolvers/auth/hosted/code.ts';
import { clearedCookie } from '../../resolvers/auth/hosted/cookie.ts';
import { keepInCookie } from '../../resolvers/auth/hosted/cookie-session.ts';
import { hostedReAuth, hostedSignIn, hostedSignUp } from '../../resolvers/auth/hosted/sign-in.ts';
import { requireVisitor } from '../../resolvers/auth/hosted/visitor.ts';
import { requestLink } from '../../resolvers/auth/request-link.ts';
import type { SessionAnswer } from '../../resolvers/auth/session-answer.ts';
import { endSessions } from '../../resolvers/auth/sessions.ts';
import { token } from '../../resolvers/auth/token.ts';
import { goOn, type HostedCall, type HostedRoute, json, onHost, seeOther, wayBack } from './call.ts';
import { html } from './html.ts';
import { page } from './page.ts';
import {
  afterSignIn,
  codePage,
  linkPage,
  reAuthFailed,
  reAuthPage,
  safeWayBack,
  signInPage,
  signUpPage,
} from './sign-in-page.ts';

/**
 * Has a session that has just begun, in whatever way, live in the cookie of this host. The one whose cookie it replaces
 * ends: no request could end it any more.
 */
export async function signedIn(call: HostedCall, session: SessionAnswer): Promise<void> {
  const { ctx, target, visitor } = call;
  call.setCookie(await keepInCookie(ctx.services, target, session));
  await endCookieSession({ ctx, target, visitor });
}

async function endCookieSession({ ctx, target, visitor }: Pick<HostedCall, 'ctx' | 'target' | 'visitor'>) {
  const { session, via } = visitor;
  if (session === undefined || via !== 'cookie') return;
  await endSessions(ctx.services, target, { userId: session.account.id, only: session.session.id });
}

const credentials = ({ body }: HostedCall) => ({ email: body.email as string, password: body.password as string });

/** Where the link of a mail leads, and where its way back is kept until then. */
const landing = '/auth/magic-link';

/** The way back that a challenge was made with. */
function backOf(redirectUrl: string | null): string {
  const url = redirectUrl === null ? undefined : readUrl(redirectUrl);
  if (url?.pathname !== landing) return afterSignIn;
  return safeWayBack({ body: {}, query: { returnTo: url.searchParams.get('returnTo') ?? undefined } });
}

/** Sign-in, sign-up and sign-out on a project's host. Contract 01, section 3.12. */
export const signInRoutes: readonly HostedRoute[] = [
  { method: 'GET', path: '/auth/sign-in', run: (call) => signInPage(call) },
  {
    method: 'POST',
    path: '/auth/sign-in',
    async run(call) {
      const back = returnPath(wayBack(call), afterSignIn);
      await signedIn(call, await onHost(call, hostedSignIn, credentials(call)));
      return goOn(call, back);
    },
    failed: signInPage,
  },
  { method: 'GET', path: '/auth/sign-up', run: signUpPage },
  {
    method: 'POST',
    path: '/auth/sign-up',
    async run(call) {
      const back = returnPath(wayBack(call), afterSignIn);
      await signedIn(call, await onHost(call, hostedSignUp, credentials(call)));
      return goOn(call, back);
    },
    failed: signUpPage,
  },
  {
    method: 'POST',
    path: '/auth/sign-out',
    csrf: true,
    async run(call) {
      const back = returnPath(wayBack(call), '/auth/sign-in');
      await endCookieSession(call);
      call.setCookie(clearedCookie);
      return goOn(call, back);
    },
  },
  {
    method: 'POST',
    path: '/auth/v1/sessions/end',
    async run(call) {
      await endCookieSession(call);
      call.setCookie(clearedCookie);
      return json(200, { ok: true });
    },
  },
  {
    method: 'GET',
    path: '/auth/re-auth',
    async run(call) {
      requireVisitor(call.visitor);
      return reAuthPage(call);
    },
  },
  {
    method: 'POST',
    path: '/auth/re-auth',
    csrf: true,
    async run(call) {
      const { account } = requireVisitor(call.visitor);
      // Of a bearer there is no cookie to renew.
      if (call.visitor.via !== 'cookie') throw new ServiceError('SVC_AUTH_REQUIRED');
      const back = returnPath(wayBack(call), afterSignIn);
      if (call.body.send === 'code') {
        const wanted = { email: account.email, delivery: 'code' as const, create_user: false };
        const answer = await onHost(call, requestLink, wanted);
        if (!call.isForm || !call.wantsPage) return json(200, answer);
        return reAuthPage(call, {
          code: { challengeId: answer.challenge_id!, message: 'A mail with a code is on its way.' },
        });
      }
      const { email, password, challenge_id, code } = call.body as Record<string, string>;
      const given = { email, password, challenge_id, code };
      const { cookie } = await onHost(call, hostedReAuth, given);
      call.setCookie(cookie);
      return goOn(call, back);
    },
    failed: reAuthFailed,
  },
  {
    method: 'POST',
    path: '/auth/magic-link/send',
    async run(call) {
      const { body, origin } = call;
      const back = returnPath(wayBack(call), afterSignIn);
      const given = {
        email: body.email as string,
        ...(body.delivery === undefined ? {} : { delivery: body.delivery as 'link' }),
        redirect_url: `${origin}${landing}?returnTo=${encodeURIComponent(back)}`,
      };
      const answer = await onHost(call, requestLink, given);
      if (!call.isForm || !call.wantsPage) return json(200, answer);
      if (answer.challenge_id !== undefined)
        return codePage(call, { challengeId: answer.challenge_id, message: answer.message });
      const title = `Look into your mail – ${call.projectName}`;
      return page(200, title, html`<h1>Look into your mail</h1><p role="status">${answer.message}</p>`);
    },
    failed: signInPage,
  },
  { method: 'GET', path: landing, run: async (call) => linkPage(call) },
  {
    method: 'POST',
    path: `${landing}/confirm`,
    async run(call) {
      const back = returnPath(wayBack(call), afterSignIn);
      const given = { grant_type: 'magic_link' as const, token: call.body.token };
      await signedIn(call, await onHost(call, token, given));
      return goOn(call, back);
    },
    failed: linkPage,
  },
  {
    method: 'POST',
    path: '/auth/email-code/confirm',
    async run(call) {
      const given = call.body as { challenge_id: string; code: string };
      const { session, redirect_url } = await onHost(call, confirmCode, given);
      await signedIn(call, session);
      const back = backOf(redirect_url);
      return call.isForm ? seeOther(back) : json(200, { ok: true, redirect_to: back });
    },
    failed: (call, error) => codePage(call, { challengeId: String(call.body.challenge_id ?? ''), error }),
  },
];
