import { execute } from '../../kernel/run/execute.ts';
import { listAuthenticators, nameOf } from '../../resolvers/sessions/authenticators.ts';
import { type Html, html } from '../hosted/html.ts';
import { field, momentOf } from '../hosted/page.ts';
import type { Route } from '../route.ts';
import { asVisitor, visitorOf } from './by-browser.ts';
import {
  accountPath,
  csrfField,
  type PasskeyForm,
  pageRoute,
  passkeyForm,
  plane,
  scripted,
  sessionsPath,
  toSignIn,
  withoutScript,
} from './page-parts.ts';

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
  const linked = new Set(rows.flatMap(({ kind, subject }) => (kind === 'oauth' ? [subject.split(':')[0]!] : [])));
  const social = ctx.services.identityProviders.listed.filter(
    ({ enabled, provider }) => enabled && !linked.has(provider),
  );
  /** A form that shows a passkey before it does what it is for. */
  const proven = (form: Pick<PasskeyForm, 'id' | 'after' | 'afterMethod' | 'button' | 'about' | 'fields'>): Html =>
    passkeyForm({
      kind: 'get',
      options: `${plane}/step-up/options`,
      verify: `${plane}/step-up/verify`,
      next: accountPath,
      csrf,
      quiet: true,
      ...form,
    });
  return scripted(
    ctx,
    200,
    'Your account',
    html`${who}<p><a href="${sessionsPath}">Your sessions and approvals</a></p>
${withoutScript}<h2>You sign in with</h2>
<ul>
${rows.map(
  (row) => html`<li>${nameOf(row)}, since ${momentOf(row.addedAt.toISOString())}${
    row.lastUsedAt !== null && html`, last used ${momentOf(row.lastUsedAt.toISOString())}`
  }
${
  hasPasskey &&
  row.kind !== 'wallet' &&
  proven({
    id: `remove-${row.id}`,
    after: `${plane}/authenticators/${row.id}`,
    afterMethod: 'DELETE',
    button: 'Remove',
    about: `Remove ${nameOf(row)}`,
  })
}</li>
`,
)}</ul>
${
  hasPasskey
    ? html`<p>To remove one you confirm with a passkey. Every session that was begun or confirmed with what you remove ends, wherever it is.</p>
`
    : html`<p>To remove one, or to add another, you need a passkey.</p>
`
}<h2>Passkeys</h2>
${
  hasPasskey
    ? html`<p>To add another one, confirm with one that you have first.</p>
${proven({ id: 'step-up', button: 'Confirm that it is you' })}`
    : html`<p>You have none yet. Owners and admins need one.</p>
`
}
${passkeyForm({
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
  html`<h2>Another mail address</h2>
<p>It signs you in, too. A link is mailed there, to be opened in this browser.</p>
${proven({
  id: 'add-email',
  after: `${plane}/emails`,
  button: 'Add the address',
  fields: field('Further mail address', 'email', { type: 'email', autocomplete: 'email' }),
})}${social.map(
  ({ provider, display_name }) => html`<h2>${display_name}</h2>
${proven({
  id: `link-${provider}`,
  after: `${plane}/oauth/${encodeURIComponent(provider)}/link`,
  button: `Sign in with ${display_name}, too`,
})}`,
)}<h2>Recovery codes</h2>
<p>They let you in when your passkeys are lost. New ones replace those from before.</p>
${proven({ id: 'recovery', after: `${plane}/recovery/issue`, button: 'Make recovery codes' })}
<section id="recovery-codes" role="status" tabindex="-1" hidden>
<p>Each is good once. They are shown this one time: keep them where your passkeys are not.</p>
<ul></ul>
</section>
`
}
${signOut}`,
  );
});
