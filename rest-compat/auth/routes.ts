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

const passwords = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => ({
  new_password: body.new_password,
  current_password: body.current_password,
});

/** What a function says of somebody whom it has verified. */
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
  authRoute('POST', '/auth/v1/token', 200, token, ({ query, body }) => ({
    // Clients that call the code of a social sign-in by its proof mean the same.
    grant_type: grantOf(query.grant_type ?? body.grant_type),
    email: body.email,
    password: body.password,
    refresh_token: body.refresh_token,
    token: body.token,
    challenge_id: body.challenge_id,
    code: body.code ?? body.auth_code,
    code_verifier: body.code_verifier,
  })),
  authRoute('GET', '/auth/v1/user', 200, getUser, ({ query }) => ({ app_origin: query.app_origin })),
  authRoute('POST', '/auth/v1/logout', 200, logout, ({ query, body }) => ({
    refresh_token: body.refresh_token,
    scope: query.scope ?? body.scope,
  })),
  authRoute('GET', '/auth/v1/providers', 200, providers, () => ({})),
  authRoute('POST', '/auth/v1/oauth/:provider/start', 200, startSocial, ({ params, body }) => ({
    provider: params.provider,
    redirect_url: body.redirect_url,
    mode: body.mode,
    code_challenge: body.code_challenge,
    code_challenge_method: body.code_challenge_method,
    intent: body.intent,
    client_state: body.client_state,
    login_hint: body.login_hint,
  })),
  socialCallback,
  authRoute('POST', '/auth/v1/magic-link', 200, requestLink, ({ body }) => ({
    email: body.email,
    delivery: body.delivery,
    redirect_url: body.redirect_url,
    intent: body.intent,
    client_state: body.client_state,
    create_user: body.create_user,
  })),
  authRoute('POST', '/auth/v1/user/password', 200, setPassword, passwords),
  authRoute('PUT', '/auth/v1/user/password', 200, setPassword, passwords),
  authRoute('GET', '/auth/v1/account/security', 200, accountSecurity, ({ query }) => ({
    app_origin: query.app_origin,
  })),
  authRoute('GET', '/auth/v1/account/sessions', 200, accountSessions, () => ({})),
  authRoute('POST', '/auth/v1/account/sessions/revoke', 200, revokeSession, ({ body }) => ({
    session_id: body.session_id,
  })),
  authRoute('POST', '/auth/v1/account/sign-out-everywhere', 200, signOutEverywhere, () => ({})),
  authRoute('POST', '/auth/v1/account/password', 200, setAccountPassword, ({ body }) => ({
    new_password: body.new_password,
  })),
  authRoute('GET', '/auth/v1/account/identities', 200, accountIdentities, () => ({})),
  authRoute('POST', '/auth/v1/account/identities/unlink', 200, unlinkIdentity, ({ body }) => ({
    provider: body.provider,
    subject: body.subject,
  })),
  authRoute('POST', '/auth/v1/test-users', 201, makeTestUser, ({ body }) => ({
    label: body.label,
    is_admin: body.is_admin,
  })),
  authRoute('POST', '/auth/v1/test-sessions', 201, startTestSession, ({ body }) => ({
    label: body.label,
    is_admin: body.is_admin,
  })),
  authRoute('POST', '/auth/v1/test-emails', 200, readTestEmails, ({ body }) => ({ label: body.label })),
  authRoute('POST', '/auth/v1/sessions/from-identity', 200, sessionFromIdentity, ({ body }) => identityOf(body)),
  authRoute('POST', '/auth/v1/sessions/end', 200, endSession, () => ({})),
  authRoute('POST', '/auth/v1/passkeys/register/options', 200, beginPasskeyRegistration, ({ body }) => ({
    app_origin: body.app_origin,
  })),
  authRoute('POST', '/auth/v1/passkeys/register/verify', 201, finishPasskeyRegistration, ({ body }) => ({
    challenge_id: body.challenge_id,
    response: body.response,
    label: body.label,
  })),
  authRoute('POST', '/auth/v1/passkeys/login/options', 200, beginPasskeySignIn, ({ body }) => ({
    app_origin: body.app_origin,
    email: body.email,
  })),
  authRoute('POST', '/auth/v1/passkeys/login/verify', 200, finishPasskeySignIn, ({ body }) => ({
    challenge_id: body.challenge_id,
    response: body.response,
  })),
  authRoute('GET', '/auth/v1/passkeys', 200, passkeys, () => ({})),
  authRoute('DELETE', '/auth/v1/passkeys/:passkey_id', 200, deletePasskey, ({ params }) => ({
    passkey_id: params.passkey_id,
  })),
  authRoute('GET', '/auth/v1/account/passkeys', 200, accountPasskeys, () => ({})),
  authRoute('POST', '/auth/v1/account/passkeys/remove', 200, removeAccountPasskey, ({ body }) => ({
    passkey_id: body.passkey_id,
  })),
  authRoute('GET', '/internal/v1/project-jwt-keys', 200, projectJwtKeys, () => ({})),
  ...aliasRoutes,
];
