import type { z } from 'zod';
import { mailWaits } from '../../kernel/durability/outbox.ts';
import { execute } from '../../kernel/run/execute.ts';
import { linkPagePath } from '../../resolvers/identity/shared/page-paths.ts';
import { clearedSessionCookie, closeBrowser } from '../../resolvers/sessions/browser-session.ts';
import { addEmailPagePath, verifyEmail } from '../../resolvers/sessions/more-emails.ts';
import { consumeRecoveryCode } from '../../resolvers/sessions/recovery.ts';
import { peekLink } from '../../resolvers/sessions/shared/mailed-links.ts';
import { unsentLink } from '../../resolvers/sessions/shared/unsent-link.ts';
import { openLink, sendSignInLink } from '../../resolvers/sessions/sign-in-by-mail.ts';
import { finishPasskeySignIn } from '../../resolvers/sessions/sign-in-by-passkey.ts';
import { html } from '../hosted/html.ts';
import { field, hidden, page } from '../hosted/page.ts';
import { asNobody, type Route } from '../route.ts';
import { asVisitor, visitorOf } from './by-browser.ts';
import {
  accountPath,
  csrfField,
  fromOwnPage,
  here,
  keepAndGo,
  pageRoute,
  passkeyForm,
  plane,
  scripted,
  seeOther,
  signInPath,
  toSignIn,
  wayOn,
} from './page-parts.ts';

const text = (given: unknown): string => (typeof given === 'string' ? given : '');

/** Where people sign in to the platform itself, by whichever way they have. */
export const signInPages: readonly Route[] = [
  pageRoute('GET', signInPath, 'pages.signIn', async (ctx, { query }) => {
    const to = wayOn(query.return_to);
    const social = ctx.services.identityProviders.listed.filter(({ enabled }) => enabled);
    const more = `?return_to=${encodeURIComponent(to)}`;
    return scripted(
      ctx,
      200,
      'Sign in',
      html`${passkeyForm({
        id: 'passkey-sign-in',
        kind: 'get',
        options: `${plane}/session/passkey/options`,
        verify: `${signInPath}/passkey`,
        next: to,
        button: 'Sign in with a passkey',
        fields: hidden('return_to', to),
      })}<h2>By mail</h2>
<form method="post" action="${signInPath}">
${field('Email', 'email', { type: 'email', autocomplete: 'username' })}
${hidden('return_to', to)}
<button>Send me a link</button>
</form>
${social.map(
  ({ provider, display_name }) =>
    html`<p><a href="${plane}/oauth/${encodeURIComponent(provider)}/start${more}">Continue with ${display_name}</a></p>
`,
)}<h2>By a recovery code</h2>
<form method="post" action="${signInPath}/recovery">
${field('Recovery code', 'code', { type: 'text', autocomplete: 'off' })}
<button class="quiet">Use the code</button>
</form>`,
    );
  }),
  pageRoute('POST', signInPath, 'pages.sendLink', async (ctx, request) => {
    fromOwnPage(ctx, request);
    const { email, return_to } = request.body;
    const input = { email, return_to: wayOn(return_to) } as z.input<typeof sendSignInLink.input>;
    await execute(sendSignInLink, asNobody(ctx), input);
    const { sendsMail } = ctx.services.settings;
    const link = await unsentLink(ctx, text(email));
    return page(
      200,
      sendsMail ? 'Look into your mail' : 'The mail waits in the outbox',
      html`<h1>${sendsMail ? 'Look into your mail' : 'The mail waits in the outbox'}</h1>
${
  sendsMail
    ? html`<p role="status">If ${text(email)} can be mailed, a link is on its way. It is good once, for 15 minutes.</p>`
    : html`<p role="status">The link for ${text(email)} is good once, for 15 minutes. ${mailWaits(ctx.services)}</p>`
}${link !== undefined && html`<p>This is development: <a href="${link}">open the link for ${text(email)}</a>.</p>`}
<p><a href="${signInPath}">Sign in another way</a></p>`,
      // For the console, which sends this form and shows an answer of its own.
      link === undefined ? {} : { 'x-svc-unsent-link': link },
    );
  }),
  {
    method: 'POST',
    path: `${signInPath}/passkey`,
    operation: finishPasskeySignIn.name,
    status: 200,
    async run(ctx, request) {
      fromOwnPage(ctx, request);
      const input = { response: request.body.response } as z.input<typeof finishPasskeySignIn.input>;
      const session = await execute(finishPasskeySignIn, asNobody(ctx), input);
      const { headers = {} } = await keepAndGo(ctx, request, session, accountPath);
      ctx.setHeader?.('set-cookie', headers['set-cookie']!);
      return { status: 200, body: { status: 'ok', redirect_to: wayOn(request.body.return_to) } };
    },
  },
  pageRoute('POST', `${signInPath}/recovery`, consumeRecoveryCode.name, async (ctx, request) => {
    fromOwnPage(ctx, request);
    const input = { code: request.body.code } as z.input<typeof consumeRecoveryCode.input>;
    return keepAndGo(ctx, request, await execute(consumeRecoveryCode, asNobody(ctx), input), accountPath);
  }),
  // What a mailed link leads to changes nothing, whoever opens it. It says whose sign-in it is: a link that somebody else
  // asked for, for an address of theirs, would have a person act under a foreign name.
  pageRoute('GET', linkPagePath, 'pages.link', async (ctx, { query }) => {
    ctx.chargeAddress();
    const token = query.token ?? '';
    const link = await peekLink(ctx, token, ['control_plane', 'operator']);
    if (link === undefined)
      return page(
        404,
        'This link is good no more',
        html`<h1>This link is good no more</h1>
<p role="alert">It was used, or is older than 15 minutes.</p>
<p><a href="${signInPath}">Have another one mailed</a></p>`,
      );
    return page(
      200,
      'Sign in',
      html`<h1>Sign in</h1>
<p>Sign in as <strong>${link.email}</strong> with this browser. If this is not your address, close this page.</p>
<form method="post" action="${linkPagePath}">
${hidden('token', token)}
<button>Sign in</button>
</form>`,
    );
  }),
  pageRoute('POST', linkPagePath, openLink.name, async (ctx, request) => {
    fromOwnPage(ctx, request);
    const input = { token: request.body.token } as z.input<typeof openLink.input>;
    const { session, returnTo } = await execute(openLink, asNobody(ctx), input);
    return keepAndGo(ctx, request, session, wayOn(returnTo));
  }),
  pageRoute('POST', `${plane}/sign-out`, closeBrowser.name, async (ctx, request) => {
    const visitor = await visitorOf(ctx, request);
    fromOwnPage(ctx, request, visitor?.csrf);
    if (visitor !== undefined) await execute(closeBrowser, asVisitor(ctx, visitor), {});
    return seeOther(signInPath, clearedSessionCookie);
  }),
  pageRoute('GET', addEmailPagePath, 'pages.addEmail', async (ctx, request) => {
    const visitor = await visitorOf(ctx, request);
    if (visitor === undefined) return toSignIn(here(addEmailPagePath, request.query));
    return page(
      200,
      'Add this address',
      html`<h1>Add this address</h1>
<p>You are signed in as ${visitor.caller.email ?? visitor.caller.principal.id}. Sign in with this address, too, from now on.</p>
<form method="post" action="${addEmailPagePath}">
${hidden('token', request.query.token ?? '')}
${csrfField(visitor.csrf)}
<button>Add it</button>
</form>`,
    );
  }),
  pageRoute('POST', addEmailPagePath, verifyEmail.name, async (ctx, request) => {
    const visitor = await visitorOf(ctx, request);
    if (visitor === undefined) return toSignIn(accountPath);
    fromOwnPage(ctx, request, visitor.csrf);
    const input = { token: request.body.token } as z.input<typeof verifyEmail.input>;
    await execute(verifyEmail, asVisitor(ctx, visitor), input);
    return seeOther(accountPath);
  }),
];
