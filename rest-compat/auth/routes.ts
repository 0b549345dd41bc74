import {
  accountIdentities,
  accountSecurity,
  accountSessions,
  revokeSession,
  signOutEverywhere,
  unlinkIdentity,
} from '../../resolvers/auth/account.ts';
import { getUser } from '../../resolvers/auth/get-user.ts';
import { endSession, sessionFromIdentity } from '../../resolvers/auth/hosted/bridge.ts';
import { makeTestUser, readTestEmails, startTestSession } from '../../resolvers/auth/hosted/test-users.ts';
import { logout } from '../../resolvers/auth/logout.ts';
import {
  accountPasskeys,
  deletePasskey,
  passkeys,
  removeAccountPasskey,
} from '../../resolvers/auth/passkeys/manage-passkeys.ts';
import { beginPasskeySignIn, finishPasskeySignIn } from '../../resolvers/auth/passkeys/passkey-sign-in.ts';
import { beginPasskeyRegistration, finishPasskeyRegistration } from '../../resolvers/auth/passkeys/register-passkey.ts';
import { projectJwtKeys } from '../../resolvers/auth/project-jwt-keys.ts';
import { providers } from '../../resolvers/auth/providers.ts';
import { requestLink } from '../../resolvers/auth/request-link.ts';
import { setAccountPassword, setPassword } from '../../resolvers/auth/set-password.ts';
import { startSocial } from '../../resolvers/auth/social-start.ts';
import { token } from '../../resolvers/auth/token.ts';
import type { Route } from '../route.ts';
import { aliasRoutes } from './alias-routes.ts';
import { authRoute } from './auth-route.ts';
import { signupRoute } from './signup-route.ts';
import { socialCallback } from './social-callback.ts';

/** What a function says of a user whom it has verified. */
export const identityOf = (body: Readonly<Record<string, unknown>>) => ({
  provider: body.provider,
  subject: body.subject,
  proof: body.proof,
  amr: body.amr,
  createUser: body.createUser ?? body.create_user,
  email: body.email,
  display_name: body.display_name,
});

const grantOf = (grant: unknown): unknown => (grant === 'pkce' ? 'authorization_code' : grant);

/** Paths of a project's users, which a key of the project opens. Contract 01, sections 1.4, 3.2 to 3.6, 3.8 to 3.10. */
export const authRoutes: readonly Route[] = [
  signupRoute,
  authRoute('POST', '/auth/v1/token', 200, token, {
    // Clients that call the code of a social sign-in by its proof mean the same.
    grant_type: { from: 'query grant_type', make: ({ query, body }) => grantOf(query.grant_type ?? body.grant_type) },
    code: ['body code', 'body auth_code'],
  }),
  authRoute('GET', '/auth/v1/user', 200, getUser),
  authRoute('POST', '/auth/v1/logout', 200, logout, { scope: ['query scope', 'body scope'] }),
  authRoute('GET', '/auth/v1/providers', 200, providers),
  authRoute('POST', '/auth/v1/oauth/:provider/start', 200, startSocial),
  socialCallback,
  authRoute('POST', '/auth/v1/magic-link', 200, requestLink),
  authRoute('POST', '/auth/v1/user/password', 200, setPassword),
  authRoute('PUT', '/auth/v1/user/password', 200, setPassword),
  authRoute('GET', '/auth/v1/account/security', 200, accountSecurity),
  authRoute('GET', '/auth/v1/account/sessions', 200, accountSessions),
  authRoute('POST', '/auth/v1/account/sessions/revoke', 200, revokeSession),
  authRoute('POST', '/auth/v1/account/sign-out-everywhere', 200, signOutEverywhere),
  authRoute('POST', '/auth/v1/account/password', 200, setAccountPassword),
  authRoute('GET', '/auth/v1/account/identities', 200, accountIdentities),
  authRoute('POST', '/auth/v1/account/identities/unlink', 200, unlinkIdentity),
  authRoute('POST', '/auth/v1/test-users', 201, makeTestUser),
  authRoute('POST', '/auth/v1/test-sessions', 201, startTestSession),
  authRoute('POST', '/auth/v1/test-emails', 200, readTestEmails),
  authRoute('POST', '/auth/v1/sessions/from-identity', 200, sessionFromIdentity, {
    createUser: ['body createUser', 'body create_user'],
  }),
  authRoute('POST', '/auth/v1/sessions/end', 200, endSession),
  authRoute('POST', '/auth/v1/passkeys/register/options', 200, beginPasskeyRegistration),
  authRoute('POST', '/auth/v1/passkeys/register/verify', 201, finishPasskeyRegistration),
  authRoute('POST', '/auth/v1/passkeys/login/options', 200, beginPasskeySignIn),
  authRoute('POST', '/auth/v1/passkeys/login/verify', 200, finishPasskeySignIn),
  authRoute('GET', '/auth/v1/passkeys', 200, passkeys),
  authRoute('DELETE', '/auth/v1/passkeys/:passkey_id', 200, deletePasskey),
  authRoute('GET', '/auth/v1/account/passkeys', 200, accountPasskeys),
  authRoute('POST', '/auth/v1/account/passkeys/remove', 200, removeAccountPasskey),
  authRoute('GET', '/internal/v1/project-jwt-keys', 200, projectJwtKeys),
  ...aliasRoutes,
];
