import type { z } from 'zod';
import { returnPath } from '../../core/return-path.ts';
import {
  accountIdentities,
  accountSecurity,
  accountSessions,
  revokeSession,
  signOutEverywhere,
  unlinkIdentity,
} from '../../resolvers/auth/account.ts';
import type { Endpoint } from '../../resolvers/auth/endpoint.ts';
import { clearedCookie } from '../../resolvers/auth/hosted/cookie.ts';
import { requireVisitor } from '../../resolvers/auth/hosted/visitor.ts';
import { accountPasskeys, removeAccountPasskey } from '../../resolvers/auth/passkeys/manage-passkeys.ts';
import { setAccountPassword, setPassword } from '../../resolvers/auth/set-password.ts';
import { accountPage } from './account-page.ts';
import { type HostedCall, type HostedRoute, json, onHost, seeOther, type Unjudged, wayBack } from './call.ts';
import { afterSignIn } from './sign-in-page.ts';

/** What a signed-in user is told: the same answer as on the API. */
const reading = <Input extends z.ZodObject, Scope, Wire>(
  path: string,
  endpoint: Endpoint<Input, Scope, Wire>,
  toInput: (call: HostedCall) => Unjudged<Input> = () => ({}),
): HostedRoute => ({
  method: 'GET',
  path,
  async run(call) {
    requireVisitor(call.visitor);
    return json(200, await onHost(call, endpoint, toInput(call)));
  },
});

/** What a signed-in user changes: JSON gets the answer of the API, a form goes back to where it wants to. */
const changing = <Input extends z.ZodObject, Scope, Wire>(
  path: string,
  endpoint: Endpoint<Input, Scope, Wire>,
  toInput: (call: HostedCall) => Unjudged<Input>,
  after: (call: HostedCall) => void = () => undefined,
): HostedRoute => ({
  method: 'POST',
  path,
  csrf: true,
  async run(call) {
    const back = returnPath(wayBack(call), afterSignIn);
    requireVisitor(call.visitor);
    const answer = await onHost(call, endpoint, toInput(call));
    after(call);
    return call.isForm ? seeOther(back) : json(200, answer);
  },
});

const clear = (call: HostedCall): void => {
  if (call.visitor.via === 'cookie') call.setCookie(clearedCookie);
};

const withCurrent = changing('/auth/account/password', setPassword, ({ body }) => ({
  new_password: body.new_password,
  current_password: body.current_password,
}));

const whileFresh = changing('/auth/account/password', setAccountPassword, ({ body }) => ({
  new_password: body.new_password,
}));

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';

/** A user's account on a project's host, by cookie. Contract 01, sections 3.10 and 3.12. */
export const accountRoutes: readonly HostedRoute[] = [
  {
    method: 'GET',
    path: '/auth/account',
    async run(call) {
      requireVisitor(call.visitor);
      if (call.wantsPage) return accountPage(call);
      return json(200, await onHost(call, accountSecurity, { app_origin: call.origin }));
    },
  },
  reading('/auth/account/security', accountSecurity, ({ query, origin }) => ({
    app_origin: query.app_origin ?? origin,
  })),
  reading('/auth/account/sessions', accountSessions),
  reading('/auth/account/identities', accountIdentities),
  reading('/auth/account/passkeys', accountPasskeys),
  changing(
    '/auth/account/sessions/revoke',
    revokeSession,
    ({ body }) => ({ session_id: body.session_id }),
    (call) => {
      if (call.body.session_id === call.visitor.session!.session.id) clear(call);
    },
  ),
  changing('/auth/account/sign-out-everywhere', signOutEverywhere, () => ({}), clear),
  {
    method: 'POST',
    path: '/auth/account/password',
    csrf: true,
    // The password so far proves as much as a sign-in of a moment ago.
    run: (call) => (isGiven(call.body.current_password) ? withCurrent : whileFresh).run(call),
  },
  changing('/auth/account/passkeys/remove', removeAccountPasskey, ({ body }) => ({ passkey_id: body.passkey_id })),
  changing('/auth/account/identities/unlink', unlinkIdentity, ({ body }) => ({
    provider: body.provider,
    subject: body.subject,
  })),
];
