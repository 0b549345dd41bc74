import type { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import { unlinkIdentity } from '../../resolvers/auth/account.ts';
import { createUser } from '../../resolvers/auth/create-user.ts';
import { runEndpoint } from '../../resolvers/auth/endpoint.ts';
import { readIdentityId } from '../../resolvers/auth/get-user.ts';
import { getUserById, listUsers } from '../../resolvers/auth/list-users.ts';
import { jwks } from '../../resolvers/auth/project-jwt-keys.ts';
import { reauthenticate } from '../../resolvers/auth/reauthenticate.ts';
import { requestLink } from '../../resolvers/auth/request-link.ts';
import type { ProjectCaller } from '../../resolvers/auth/shared/authenticate-project.ts';
import { startSocial } from '../../resolvers/auth/social-start.ts';
import { updateUser } from '../../resolvers/auth/update-user.ts';
import { verify } from '../../resolvers/auth/verify.ts';
import type { InputSources } from '../inputs.ts';
import type { RestRequest } from '../rest-request.ts';
import type { Route } from '../route.ts';
import { authRoute } from './auth-route.ts';

/** A mail with a code, and with a link where it is said where that leads. */
const wayIn = (intent: 'signin' | 'recovery') =>
  ({
    delivery: { make: ({ query }) => (query.redirect_to === undefined ? 'code' : 'both') },
    redirect_url: 'query redirect_to',
    intent: { make: () => intent },
    client_state: null,
  }) satisfies InputSources<z.input<typeof requestLink.input>>;

/** A browser that is sent here brings no headers: the key is in the address, which only the one for browsers may be. */
const startByAddress = {
  ...startSocial,
  admit: async (_ctx: Context, { keyRole }: ProjectCaller) => {
    if (keyRole !== 'anon')
      throw new ServiceError('FORBIDDEN', { message: 'Only the anon key may be part of an address.' });
    return {};
  },
};

const socialInput = ({ query }: RestRequest, intent: 'signin' | 'link') => ({
  provider: query.provider ?? '',
  redirect_url: query.redirect_to ?? '',
  // Spelt small by clients.
  code_challenge: query.code_challenge ?? '',
  code_challenge_method: (query.code_challenge_method ?? '').toUpperCase() as 'S256',
  intent,
  login_hint: query.login_hint,
});

const authorize: Route = {
  method: 'GET',
  path: '/auth/v1/authorize',
  operation: startSocial.name,
  status: 302,
  async run(ctx, request) {
    const credentials = { ...ctx.credentials, apikey: ctx.credentials.apikey ?? request.query.apikey };
    const begun = await runEndpoint(startByAddress, { ...ctx, credentials }, socialInput(request, 'signin'));
    return { status: 302, headers: { location: begun.authorization_url, 'cache-control': 'no-store' }, body: '' };
  },
};

/** The same as `/admin/users` with `send_invite`. */
const invite: Route = {
  method: 'POST',
  path: '/auth/v1/invite',
  operation: createUser.name,
  status: 200,
  async run(ctx, { query, body }) {
    const given = { email: body.email, send_invite: true, redirect_url: query.redirect_to } as z.input<
      typeof createUser.input
    >;
    return { status: 200, body: createUser.toWire(await execute(createUser, ctx, given), ctx) };
  },
};

const linkByAddress: Route = {
  method: 'GET',
  path: '/auth/v1/user/identities/authorize',
  operation: startSocial.name,
  status: 200,
  async run(ctx, request) {
    const begun = await runEndpoint(startSocial, ctx, socialInput(request, 'link'));
    return { status: 200, body: { url: begun.authorization_url } };
  },
};

/**
 * Further spellings of what the documented paths do, as published clients of such services have them, and what such
 * clients ask besides. They lead to the same endpoints; docs/compatibility.md lists them call by call.
 */
export const aliasRoutes: readonly Route[] = [
  authRoute('GET', '/auth/v1/.well-known/jwks.json', 200, jwks),
  authRoute('POST', '/auth/v1/otp', 200, requestLink, wayIn('signin')),
  authRoute('POST', '/auth/v1/recover', 200, requestLink, wayIn('recovery')),
  // Sign-up needs no confirmation: what is sent again is the mail that signs in.
  authRoute('POST', '/auth/v1/resend', 200, requestLink, wayIn('signin')),
  authRoute('GET', '/auth/v1/admin/users', 200, listUsers),
  authRoute('GET', '/auth/v1/admin/users/:user_id', 200, getUserById),
  invite,
  authorize,
  linkByAddress,
  authRoute('DELETE', '/auth/v1/user/identities/:identity_id', 200, unlinkIdentity, {
    provider: { make: ({ params }) => readIdentityId(params.identity_id!).provider },
    subject: { make: ({ params }) => readIdentityId(params.identity_id!).subject },
  }),
  authRoute('GET', '/auth/v1/reauthenticate', 200, reauthenticate),
  authRoute('POST', '/auth/v1/verify', 200, verify),
  authRoute('PUT', '/auth/v1/user', 200, updateUser),
];
