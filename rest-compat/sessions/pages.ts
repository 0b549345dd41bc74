import type { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { execute } from '../../kernel/run/execute.ts';
import { finishContactEnrolment } from '../../resolvers/operator-contact/contact-passkey.ts';
import { registerPasskeyPath } from '../../resolvers/operator-contact/enroll-passkey.ts';
import { decideDevice, devicePagePath, findDevice } from '../../resolvers/sessions/device-flow.ts';
import { beginLoopback, loopbackWith } from '../../resolvers/sessions/loopback.ts';
import { passkeyCount } from '../../resolvers/sessions/shared/passkey-challenges.ts';
import { confirmPagePath, findApproval } from '../../resolvers/sessions/write-approvals.ts';
import { type Html, html } from '../hosted/html.ts';
import { field, hidden } from '../hosted/page.ts';
import { asNobody, type Route } from '../route.ts';
import { accountPage } from './account-page.ts';
import { asVisitor, visitorOf } from './by-browser.ts';
import {
  accountPath,
  approvalActions,
  csrfField,
  fromOwnPage,
  here,
  pageRoute,
  passkeyForm,
  plane,
  scripted,
  scriptRoute,
  toSignIn,
  withoutScript,
} from './page-parts.ts';
import { sessionsPages } from './sessions-page.ts';
import { signInPages } from './sign-in-pages.ts';

const authorizePath = `${plane}/cli/authorize`;

/** A person without a passkey makes one first, and comes back. */
const passkeyFirst: Html = html`<p role="alert">This takes a passkey, and you have none yet.</p>
<p><a href="${accountPath}">Add a passkey</a>, then open this page anew.</p>`;

/** `GET /agent/v1/control-plane/cli/authorize`. Contract 04, section 3.7. */
const authorizePage = pageRoute('GET', authorizePath, beginLoopback.name, async (ctx, request) => {
  const { query } = request;
  const { redirect_uri, code_challenge, code_challenge_method, state, nonce } = query;
  const visitor = await visitorOf(ctx, request);
  const input = { redirect_uri, code_challenge, code_challenge_method, state, nonce };
  // What is wrong with the request is said before anybody is asked to sign in.
  const { id } = await execute(beginLoopback, asNobody(ctx), input as z.input<typeof beginLoopback.input>);
  if (visitor === undefined || visitor.caller.kind !== 'control_plane') return toSignIn(here(authorizePath, query));
  const { caller, csrf } = visitor;
  const denied = loopbackWith(redirect_uri!, { error: 'access_denied', state: state! });
  const passkeys = await passkeyCount(ctx.services.db, caller.principal.id);
  return scripted(
    ctx,
    200,
    'Let a command line sign in',
    html`<p>A program on this computer asks to act as ${caller.email ?? caller.principal.id}. Let it in only if you have just begun this yourself.</p>
<p>It waits at ${redirect_uri}.</p>
${withoutScript}${
  passkeys === 0
    ? passkeyFirst
    : passkeyForm({
        id: 'approve',
        kind: 'get',
        options: `${plane}/step-up/options`,
        verify: `${plane}/step-up/verify`,
        after: `${plane}/cli/approve`,
        next: accountPath,
        csrf,
        button: 'Let it in',
        fields: html`${hidden('flow_id', id)}${hidden('op_class', 'cli.authorize')}`,
      })
}
<p><a href="${denied}">Do not let it in</a></p>`,
  );
});

/** What the `confirm_url` of an approval leads to. */
const confirmPage = pageRoute('GET', confirmPagePath(':id'), 'pages.approve', async (ctx, request) => {
  const id = request.params.id!;
  const visitor = await visitorOf(ctx, request);
  if (visitor === undefined || visitor.caller.kind !== 'control_plane') return toSignIn(confirmPagePath(id));
  const { caller, csrf } = visitor;
  const challenge = await findApproval(ctx, id, caller.principal.id);
  if (challenge.confirmed) throw new ServiceError('FLOW_NOT_PENDING');
  const passkeys = await passkeyCount(ctx.services.db, caller.principal.id);
  return scripted(
    ctx,
    200,
    'Approve a change',
    html`<p>A session of yours asks for your approval of this one action:</p>
<dl>
<dt>Action</dt><dd>${approvalActions[challenge.action]} (${challenge.action})</dd>
${
  challenge.targetName !== null &&
  html`<dt>Name</dt><dd>${challenge.targetName}</dd>
`
}<dt>Target</dt><dd>${challenge.targetId}</dd>
</dl>
<p>It holds for half an hour without use, and for four hours at most.</p>
${withoutScript}${
  passkeys === 0
    ? passkeyFirst
    : passkeyForm({
        id: 'approve',
        kind: 'get',
        options: `${plane}/write-auth/options`,
        verify: `${plane}/write-auth/verify`,
        next: accountPath,
        csrf,
        button: 'Approve',
        fields: hidden('challenge_id', id),
      })
}${
  challenge.redirectUri !== null &&
  html`
<p><a href="${loopbackWith(challenge.redirectUri, { error: 'access_denied', state: challenge.state })}">Do not approve</a></p>`
}`,
  );
});

const decisionPath = `${devicePagePath}/decision`;

/** Where a person types in the code that a device shows. RFC 8628, section 3.3. */
const devicePage = pageRoute('GET', devicePagePath, 'pages.device', async (ctx, request) => {
  const visitor = await visitorOf(ctx, request);
  if (visitor === undefined) return toSignIn(here(devicePagePath, request.query));
  const { caller, csrf } = visitor;
  const { user_code: code = '' } = request.query;
  const device = code === '' ? undefined : await findDevice(ctx, caller.principal.id, code);
  if (device === undefined)
    return scripted(
      ctx,
      code === '' ? 200 : 404,
      'Sign in a device',
      html`${code !== '' && html`<p role="alert">No device waits under this code. It may have expired.</p>\n`}<form method="get" action="${devicePagePath}">
${field('Code that the device shows', 'user_code', { type: 'text', autocomplete: 'off' })}
<button>Go on</button>
</form>`,
    );
  return scripted(
    ctx,
    200,
    'Sign in a device',
    html`<p>${device.clientName ?? 'A device'} shows the code <strong>${device.userCode}</strong> and asks to read as ${caller.email ?? caller.principal.id}.</p>
<p>Approve it only if you see this code on a device of your own. Nobody else has a reason to send you one.</p>
<form method="post" action="${decisionPath}">
${hidden('user_code', device.userCode)}
${csrfField(csrf)}
<button name="decision" value="approve">Approve</button>
<button name="decision" value="deny" class="quiet">Deny</button>
</form>`,
  );
});

const decisionPage = pageRoute('POST', decisionPath, decideDevice.name, async (ctx, request) => {
  const visitor = await visitorOf(ctx, request);
  if (visitor === undefined) return toSignIn(devicePagePath);
  fromOwnPage(ctx, request, visitor.csrf);
  const { user_code, decision } = request.body;
  const input = { user_code, decision } as z.input<typeof decideDevice.input>;
  const decided = await execute(decideDevice, asVisitor(ctx, visitor), input);
  const said =
    decided.decision === 'approve' ? 'The device is signed in; go back to it.' : 'The device was not let in.';
  return scripted(ctx, 200, 'Sign in a device', html`<p role="status">${said}</p>`);
});

/** What the mailed link of an operator contact leads to; opening it uses nothing up. */
const contactPage = pageRoute('GET', registerPasskeyPath, 'pages.contactPasskey', async (ctx, { query }) =>
  scripted(
    ctx,
    200,
    'Enrol your passkey',
    html`<p>It will confirm that a person reads the notices of this contact. It signs nobody in.</p>
${withoutScript}${passkeyForm({
  id: 'contact-enroll',
  kind: 'create',
  options: `${registerPasskeyPath}/options`,
  verify: `${registerPasskeyPath}/verify`,
  next: `${registerPasskeyPath}/done`,
  button: 'Enrol a passkey',
  fields: hidden('token', query.token ?? ''),
})}`,
  ),
);

const contactDone = pageRoute('GET', `${registerPasskeyPath}/done`, finishContactEnrolment.name, async (ctx) =>
  scripted(ctx, 200, 'Your passkey is enrolled', html`<p role="status">Thank you. You can close this page.</p>`),
);

/** Pages for a person's browser: made by the server, with one small script that asks for passkeys. */
export const sessionPages: readonly Route[] = [
  scriptRoute,
  ...signInPages,
  accountPage,
  ...sessionsPages,
  authorizePage,
  confirmPage,
  devicePage,
  decisionPage,
  contactPage,
  contactDone,
];
