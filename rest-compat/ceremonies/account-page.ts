import { listAuthenticators } from '../../resolvers/ceremonies/authenticators.ts';
import { execute } from '../../resolvers/execute.ts';
import { html } from '../hosted/html.ts';
import type { Route } from '../route.ts';
import { asVisitor, visitorOf } from './by-browser.ts';
import {
  accountPath,
  ceremonyForm,
  csrfField,
  pageRoute,
  plane,
  scripted,
  toSignIn,
  withoutScript,
} from './page-parts.ts';

const names: Readonly<Record<string, string>> = {
  email: 'Mail address',
  passkey: 'Passkey',
  oauth: 'Social account',
  wallet: 'Wallet',
};

/** What a person signs in with, where it enrols its passkeys and has recovery codes made. */
export const accountPage: Route = pageRoute('GET', accountPath, 'pages.account', async (ctx, request) => {
  const visitor = await visitorOf(ctx, request);
  if (visitor === undefined) return toSignIn(accountPath);
  const { caller, csrf } = visitor;
  const signOut = html`<form method="post" action="${plane}/sign-out">
${csrfField(csrf)}
<button class="quiet">Sign out</button>
</form>`;
  const who = html`<p>You are signed in as ${caller.email ?? caller.principal.id}.</p>
`;
  if (caller.kind === 'operator')
    return scripted(ctx, 200, 'Your session', html`${who}<p>This session only reads.</p>\n${signOut}`);
  const rows = await execute(listAuthenticators, asVisitor(ctx, visitor), {});
  const hasPasskey = rows.some(({ kind }) => kind === 'passkey');
  return scripted(
    ctx,
    200,
    'Your account',
    html`${who}${withoutScript}<h2>You sign in with</h2>
<ul>
${rows.map(
  ({
    kind,
    label,
    subject,
  }) => html`<li>${names[kind] ?? kind}: ${label ?? (kind === 'passkey' ? `…${subject.slice(-6)}` : subject)}</li>
`,
)}</ul>
<h2>Passkeys</h2>
${
  hasPasskey
    ? html`<p>To add another one, confirm with one that you have first.</p>
${ceremonyForm({
  id: 'step-up',
  kind: 'get',
  options: `${plane}/step-up/options`,
  verify: `${plane}/step-up/verify`,
  next: accountPath,
  csrf,
  button: 'Confirm that it is you',
  quiet: true,
})}`
    : html`<p>You have none yet. Owners and admins need one.</p>
`
}
${ceremonyForm({
  id: 'passkey-enroll',
  kind: 'create',
  options: `${plane}/passkey/enroll/options`,
  verify: `${plane}/passkey/enroll/verify`,
  next: accountPath,
  csrf,
  button: 'Add a passkey',
  fields: html`<label for="passkey-label">Name of the new passkey</label>
<input id="passkey-label" name="label" type="text" autocomplete="off" maxlength="100">`,
})}
${
  hasPasskey &&
  html`<h2>Recovery codes</h2>
<p>They let you in when your passkeys are lost. New ones replace those from before.</p>
${ceremonyForm({
  id: 'recovery',
  kind: 'get',
  options: `${plane}/step-up/options`,
  verify: `${plane}/step-up/verify`,
  after: `${plane}/recovery/issue`,
  next: accountPath,
  csrf,
  button: 'Make recovery codes',
  quiet: true,
})}
<section id="recovery-codes" role="status" tabindex="-1" hidden>
<p>Each is good once. They are shown this one time: keep them where your passkeys are not.</p>
<ul></ul>
</section>
`
}
${signOut}`,
  );
});
