import { accountSessions } from '../../resolvers/auth/account.ts';
import { csrfToken } from '../../resolvers/auth/hosted/csrf.ts';
import { requireVisitor } from '../../resolvers/auth/hosted/visitor.ts';
import { accountPasskeys } from '../../resolvers/auth/passkeys/manage-passkeys.ts';
import { type HostedCall, onHost } from './call.ts';
import { html } from './html.ts';
import { button, field, type HostedAnswer, hidden, minuteOf, momentOf, page } from './page.ts';
import { passkeyRegisterForm, passkeyScript } from './passkey-forms.ts';

const methodNames: Readonly<Record<string, string>> = {
  password: 'password',
  magic_link: 'link by mail',
  email_code: 'code by mail',
  oauth: 'social sign-in',
  passkey: 'passkey',
};

/** `GET /auth/account`: what a signed-in user sees of its account, and changes. */
export async function accountPage(call: HostedCall): Promise<HostedAnswer> {
  const { session, account, identities, settings } = requireVisitor(call.visitor);
  const [{ sessions }, { passkeys }] = await Promise.all([
    onHost(call, accountSessions, {}),
    onHost(call, accountPasskeys, {}),
  ]);
  const csrf = csrfToken(session);
  const mayHavePassword = account.has_password || settings.allow_password_set;
  const done = call.query.done === '1';
  return page(
    200,
    `Your account – ${call.projectName}`,
    html`<h1>Your account</h1>
${done && html`<p role="status">Your password is changed; other sessions have ended.</p>`}
<dl>
<dt>Email</dt><dd>${account.email}</dd>
${account.display_name !== null && html`<dt>Name</dt><dd>${account.display_name}</dd>`}
</dl>
${button('/auth/sign-out', 'Sign out', csrf)}
<h2>Password</h2>
${
  mayHavePassword
    ? html`<form method="post" action="/auth/account/password">
<input type="hidden" autocomplete="username" value="${account.email}">
${account.has_password && field('Current password', 'current_password', { type: 'password', autocomplete: 'current-password' })}
${field('New password', 'new_password', { type: 'password', autocomplete: 'new-password' })}
${hidden('_csrf', csrf)}
${hidden('returnTo', '/auth/account?done=1')}
<button>${account.has_password ? 'Change password' : 'Set password'}</button>
</form>`
    : html`<p>You sign in without a password.</p>`
}
<h2>Sessions</h2>
<ul>
${sessions.map(
  (
    one,
  ) => html`<li>Signed in ${momentOf(one.created_at)} by ${one.amr.map((name) => methodNames[name] ?? name).join(', ')}
${
  one.session_id === session.id
    ? html` (this one)`
    : button(
        '/auth/account/sessions/revoke',
        'End',
        csrf,
        [hidden('session_id', one.session_id)],
        `End the session of ${minuteOf(one.created_at)}`,
      )
}</li>
`,
)}</ul>
${button('/auth/account/sign-out-everywhere', 'Sign out everywhere', csrf)}
${
  passkeys.length > 0 &&
  html`<h2>Passkeys</h2>
<ul>
${passkeys.map(
  (one) => html`<li>${one.label ?? one.rp_id}, made ${momentOf(one.created_at)}
${button(
  '/auth/account/passkeys/remove',
  'Remove',
  csrf,
  [hidden('passkey_id', one.id)],
  `Remove the passkey ${one.label ?? one.rp_id}, made ${minuteOf(one.created_at)}`,
)}</li>
`,
)}</ul>`
}
${passkeyRegisterForm}${
  identities.length > 0 &&
  html`<h2>Connected accounts</h2>
<ul>
${identities.map(
  (one) => html`<li>${one.provider}${one.provider_email !== null && html`: ${one.provider_email}`}
${button(
  '/auth/account/identities/unlink',
  'Disconnect',
  csrf,
  [hidden('provider', one.provider), hidden('subject', one.provider_sub)],
  `Disconnect ${one.provider}${one.provider_email === null ? '' : `: ${one.provider_email}`}`,
)}</li>
`,
)}</ul>`
}`,
    {},
    passkeyScript(call),
  );
}
