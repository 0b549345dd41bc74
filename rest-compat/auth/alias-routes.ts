import { getUserById, listUsers } from '../../resolvers/auth/list-users.ts';
import { jwks } from '../../resolvers/auth/project-jwt-keys.ts';
import { reauthenticate } from '../../resolvers/auth/reauthenticate.ts';
import { requestLink } from '../../resolvers/auth/request-link.ts';
import { updateUser } from '../../resolvers/auth/update-user.ts';
import { verify } from '../../resolvers/auth/verify.ts';
import type { RestRequest, Route } from '../route.ts';
import { authRoute } from './auth-route.ts';

/** A mail with a code, and with a link where it is said where that leads. */
const wayIn =
  (intent: 'signin' | 'recovery') =>
  ({ query, body }: RestRequest) => ({
    email: body.email,
    delivery: query.redirect_to === undefined ? 'code' : 'both',
    redirect_url: query.redirect_to,
    intent,
    create_user: body.create_user,
  });

/**
 * Further spellings of what the documented paths do, as published clients of such services have them, and what such
 * clients ask besides. They lead to the same endpoints; docs/compatibility.md lists them call by call.
 */
export const aliasRoutes: readonly Route[] = [
  authRoute('GET', '/auth/v1/.well-known/jwks.json', 200, jwks, () => ({})),
  authRoute('POST', '/auth/v1/otp', 200, requestLink, wayIn('signin')),
  authRoute('POST', '/auth/v1/recover', 200, requestLink, wayIn('recovery')),
  // Sign-up needs no confirmation: what is sent again is the mail that signs in.
  authRoute('POST', '/auth/v1/resend', 200, requestLink, wayIn('signin')),
  authRoute('GET', '/auth/v1/admin/users', 200, listUsers, ({ query }) => ({
    page: query.page,
    per_page: query.per_page,
  })),
  authRoute('GET', '/auth/v1/admin/users/:user_id', 200, getUserById, ({ params }) => ({ user_id: params.user_id })),
  authRoute('GET', '/auth/v1/reauthenticate', 200, reauthenticate, () => ({})),
  authRoute('POST', '/auth/v1/verify', 200, verify, ({ body }) => ({
    type: body.type,
    token_hash: body.token_hash,
    email: body.email,
    token: body.token,
  })),
  authRoute('PUT', '/auth/v1/user', 200, updateUser, ({ body }) => ({
    password: body.password,
    current_password: body.current_password,
    nonce: body.nonce,
    data: body.data,
    email: body.email,
    phone: body.phone,
  })),
];
