import { returnPath } from '../../core/return-path.ts';
import { requireVisitor } from '../../resolvers/auth/hosted/visitor.ts';
import { beginPasskeySignIn, finishPasskeySignIn } from '../../resolvers/auth/passkeys/passkey-sign-in.ts';
import { beginPasskeyRegistration, finishPasskeyRegistration } from '../../resolvers/auth/passkeys/register-passkey.ts';
import { goOn, type HostedRoute, json, onHost, wayBack } from './call.ts';
import { passkeyScriptRoute } from './passkey-forms.ts';
import { afterSignIn } from './sign-in-page.ts';
import { signedIn } from './sign-in-routes.ts';

/** Passkeys on a project's host, whose own origin they are bound to unless told. Contract 01, sections 3.9 and 3.12. */
export const passkeyRoutes: readonly HostedRoute[] = [
  passkeyScriptRoute,
  {
    method: 'POST',
    path: '/auth/passkeys/login/options',
    async run(call) {
      const given = { app_origin: call.body.app_origin ?? call.origin, email: call.body.email };
      return json(200, await onHost(call, beginPasskeySignIn, given));
    },
  },
  {
    method: 'POST',
    path: '/auth/passkeys/login/verify',
    async run(call) {
      const back = returnPath(wayBack(call), afterSignIn);
      const given = { challenge_id: call.body.challenge_id, response: call.body.response };
      const session = await onHost(call, finishPasskeySignIn, given);
      await signedIn(call, session);
      return goOn(call, back);
    },
  },
  {
    method: 'POST',
    path: '/auth/passkeys/register/options',
    csrf: true,
    async run(call) {
      requireVisitor(call.visitor);
      const given = { app_origin: call.body.app_origin ?? call.origin };
      return json(200, await onHost(call, beginPasskeyRegistration, given));
    },
  },
  {
    method: 'POST',
    path: '/auth/passkeys/register/verify',
    csrf: true,
    async run(call) {
      requireVisitor(call.visitor);
      const { challenge_id, response, label } = call.body;
      return json(201, await onHost(call, finishPasskeyRegistration, { challenge_id, response, label }));
    },
  },
];
