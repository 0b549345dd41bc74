import type { ServiceError } from '../../core/errors.ts';
import { returnPath } from '../../core/return-path.ts';
import { csrfToken } from '../../resolvers/auth/hosted/csrf.ts';
import { authSettings } from '../../resolvers/auth/settings.ts';
import { type HostedCall, wayBack } from './call.ts';
import { html } from './html.ts';
import { alertOf, field, type HostedAnswer, hidden, page } from './page.ts';
import { passkeyScript, passkeySignInForm } from './passkey-forms.ts';

/** Where a browser goes after a sign-in that was asked for without a way back: to a page that is always there. */
export const afterSignIn = '/auth/account';

/** The way back of a page; one that is no path of the host is not carried on. */
export function safeWayBack(call: Pick<HostedCall, 'body' | 'query'>, otherwise = afterSignIn): string {
  try {
    return returnPath(wayBack(call), otherwise);
  } catch {
    return otherwise;
  }
}

const given = ({ body }: HostedCall, name: string): string => (typeof body[name] === 'string' ? body[name] : '');
const withWayBack = (path: string, back: string) =>
  back === afterSignIn ? path : `${path}?returnTo=${encodeURIComponent(back)}`;

/** The status and the code of a refusal, as a page has them. */
export const refusalOf = (error: ServiceError | undefined): readonly [number, Record<string, string>] =>
  error === undefined
    ? [200, {}]
    : [
        error.row.status,
        {
          'x-svc-error-code': error.code,
          ...(error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) }),
        },
      ];

const socialFaults: Readonly<Record<string, string>> = {
  domain_not_allowed: 'Addresses of this domain are not admitted.',
  account_exists_requires_link: 'This address signs in another way. Sign in as before, then connect the account.',
  access_denied: 'The sign-in was broken off.',
};

/** What a social sign-in failed by, in words; what comes with the address is never shown itself. */
const socialFault = (fault: string | undefined): string | undefined =>
  fault === undefined ? undefined : (socialFaults[fault] ?? 'The sign-in did not succeed. Please try again.');

/** `GET /auth/sign-in`: a password, a passkey, a mail or a social account; what the project prefers comes first. */
export async function signInPage(call: HostedCall, error?: ServiceError): Promise<HostedAnswer> {
  const back = safeWayBack(call);
  const social = call.ctx.services.identityProviders.listed.filter(({ enabled }) => enabled);
  const [status, headers] = refusalOf(error);
  const { session } = call.visitor;
  const { preferred_sign_in_method: preferred } = await authSettings(call.ctx.services, call.target);
  const byPassword = html`<form method="post" action="/auth/sign-in">
${field('Email', 'email', { type: 'email', autocomplete: 'username', value: given(call, 'email') })}
${field('Password', 'password', { type: 'password', autocomplete: 'current-password' })}
${hidden('returnTo', back)}
<button>Sign in</button>
</form>
`;
  const byMail = html`<h2>${preferred === 'magic_link' ? 'Have a mail sent' : 'Or have a mail sent'}</h2>
<form method="post" action="/auth/magic-link/send">
<label for="mail-to">Email</label>
<input id="mail-to" name="email" type="email" autocomplete="username" value="${given(call, 'email')}" required>
${hidden('delivery', 'both')}
${hidden('returnTo', back)}
<button class="quiet">Send me a link and a code</button>
</form>
`;
  const bySocial = social.map(
    ({ provider, display_name }) =>
      html`<p><a href="${withWayBack(`/auth/sign-in/oauth/${encodeURIComponent(provider)}/start`, back)}">Continue with ${display_name}</a></p>
`,
  );
  const byPasskey = passkeySignInForm(back);
  const ways =
    preferred === 'magic_link'
      ? [byMail, byPassword, byPasskey, bySocial]
      : preferred === 'oauth_google'
        ? [bySocial, byPassword, byPasskey, byMail]
        : preferred === 'passkey'
          ? [byPasskey, byPassword, byMail, bySocial]
          : [byPassword, byPasskey, byMail, bySocial];
  return page(
    status,
    `Sign in – ${call.projectName}`,
    html`<h1>Sign in to ${call.projectName}</h1>
${alertOf(error?.message ?? socialFault(call.query.svc_auth_error))}
${session !== undefined && html`<p>You are signed in as ${session.account.email}. <a href="/auth/account">Your account</a></p>`}
${ways}<p>No account yet? <a href="${withWayBack('/auth/sign-up', back)}">Sign up</a></p>`,
    headers,
    passkeyScript(call),
  );
}

/** `GET /auth/sign-up`. */
export async function signUpPage(call: HostedCall, error?: ServiceError): Promise<HostedAnswer> {
  const back = safeWayBack(call);
  const [status, headers] = refusalOf(error);
  const { public_signup: policy } = await authSettings(call.ctx.services, call.target);
  const form =
    policy === 'open'
      ? html`<form method="post" action="/auth/sign-up">
${field('Email', 'email', { type: 'email', autocomplete: 'username', value: given(call, 'email') })}
${field('Password, at least 8 characters', 'password', { type: 'password', autocomplete: 'new-password' })}
${hidden('returnTo', back)}
<button>Sign up</button>
</form>`
      : html`<p>New users come by invitation.</p>`;
  return page(
    status,
    `Sign up – ${call.projectName}`,
    html`<h1>Sign up for ${call.projectName}</h1>
${alertOf(error?.message)}
${form}
<p>You have an account? <a href="${withWayBack('/auth/sign-in', back)}">Sign in</a></p>`,
    headers,
  );
}

const codeField = field('Six digits', 'code', {
  type: 'text',
  autocomplete: 'one-time-code',
  inputmode: 'numeric',
  pattern: '[0-9]{6}',
});

/** Whether a challenge is over, so that its code need not be asked for again. */
const isOver = (error: ServiceError | undefined): boolean =>
  error !== undefined && error.code !== 'SVC_AUTH_INVALID_CREDENTIALS' && error.row.status !== 400;

/** The page that a code is entered on. */
export function codePage(
  call: HostedCall,
  { challengeId, message, error }: { challengeId: string; message?: string; error?: ServiceError },
): HostedAnswer {
  const [status, headers] = refusalOf(error);
  return page(
    status,
    `Enter your code – ${call.projectName}`,
    html`<h1>Enter your code</h1>
${alertOf(error?.message)}
${message !== undefined && html`<p role="status">${message}</p>`}
${
  !isOver(error) &&
  html`<form method="post" action="/auth/email-code/confirm">
${codeField}
${hidden('challenge_id', challengeId)}
<button>Sign in</button>
</form>`
}
<p><a href="/auth/sign-in">Sign in another way</a></p>`,
    headers,
  );
}

/** `GET /auth/magic-link`: where links of mails lead. Opening it uses nothing up, since scanners of mail open links. */
export function linkPage(call: HostedCall, error?: ServiceError): HostedAnswer {
  const token = call.query.token ?? '';
  const [status, headers] = refusalOf(error);
  return page(
    status,
    `Sign in – ${call.projectName}`,
    html`<h1>Sign in to ${call.projectName}</h1>
${alertOf(error?.message)}
${
  error === undefined && token !== ''
    ? html`<form method="post" action="/auth/magic-link/confirm">
${hidden('token', token)}
${hidden('returnTo', safeWayBack(call))}
<button>Sign in</button>
</form>`
    : html`<p><a href="/auth/sign-in">Sign in another way</a></p>`
}`,
    headers,
  );
}

/** A code on its way to who proves again by it. */
interface ReAuthCode {
  readonly challengeId: string;
  readonly message?: string;
}

/** `GET /auth/re-auth`: the password once more, or the code of a mail, for what only a fresh sign-in may do. */
export function reAuthPage(call: HostedCall, { error, code }: { error?: ServiceError; code?: ReAuthCode } = {}) {
  const { account, session } = call.visitor.session!;
  const [status, headers] = refusalOf(error);
  const always = html`${hidden('returnTo', safeWayBack(call))}
${hidden('_csrf', csrfToken(session))}`;
  const byPassword = html`<form method="post" action="/auth/re-auth">
<input type="hidden" autocomplete="username" value="${account.email}">
${field('Password', 'password', { type: 'password', autocomplete: 'current-password' })}
${always}
<button>Go on</button>
</form>`;
  return page(
    status,
    `Confirm it is you – ${call.projectName}`,
    html`<h1>Confirm that it is you</h1>
${alertOf(error?.message)}
<p>You are signed in as ${account.email}.</p>
${
  code === undefined
    ? account.has_password && byPassword
    : html`${code.message !== undefined && html`<p role="status">${code.message}</p>`}
<form method="post" action="/auth/re-auth">
${codeField}
${hidden('challenge_id', code.challengeId)}
${always}
<button>Go on</button>
</form>`
}
<form method="post" action="/auth/re-auth">
${hidden('send', 'code')}
${always}
<button class="quiet">Mail me a code</button>
</form>`,
    headers,
  );
}

/** What went wrong with proving again: with the field for the code while it can still be answered. */
export function reAuthFailed(call: HostedCall, error: ServiceError): HostedAnswer {
  if (call.visitor.session === undefined) return errorPage(call, error);
  const challengeId = given(call, 'challenge_id');
  return reAuthPage(call, { error, ...(challengeId === '' || isOver(error) ? {} : { code: { challengeId } }) });
}

/** What went wrong, where there is no form to show again. */
export const errorPage = (call: HostedCall, error: ServiceError): HostedAnswer => {
  const [status, headers] = refusalOf(error);
  return page(
    status,
    call.projectName,
    html`<h1>${call.projectName}</h1>
${alertOf(error.message)}
<p>${error.code}, ${call.ctx.request.traceId}</p>
<p><a href="/auth/account">Your account</a></p>`,
    headers,
  );
};
