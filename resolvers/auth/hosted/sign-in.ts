import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { email, newPasswordOf, triedPassword } from '../auth-input.ts';
import { asUser, endpoint, withKey } from '../endpoint.ts';
import { passwordGrant } from '../password-grant.ts';
import { SessionWire } from '../session-answer.ts';
import { startSession } from '../sessions.ts';
import { requirePassword } from '../set-password.ts';
import { signup } from '../signup.ts';
import { spendCode } from './code.ts';
import { proveAgain } from './cookie-session.ts';

/** Shortest password of a sign-up on a project's own page, in characters. Contract 01, section 3.12. */
const passwordMin = 8;

/** `POST /auth/sign-in` on a project's host. */
export const hostedSignIn = endpoint({
  name: 'auth.hostedSignIn',
  summary: 'Sign in with a password on a host of the project.',
  input: z.object({ email, password: triedPassword }),
  admit: withKey,
  handler: passwordGrant,
  wire: SessionWire,
});

/** `POST /auth/sign-up` on a project's host. */
export const hostedSignUp = endpoint({
  name: 'auth.hostedSignUp',
  summary: 'Become a user of the project on one of its hosts, and be signed in.',
  input: z.object({
    email,
    password: newPasswordOf(passwordMin),
  }),
  admit: withKey,
  async handler(ctx, { email, password }) {
    const { services, target } = ctx;
    const { id } = await signup.handler(ctx, { email, password, is_admin: false, email_confirm: false });
    return startSession(services, target, { userId: id, amr: ['password'], unverified: true });
  },
  wire: SessionWire,
});

/** `POST /auth/re-auth` on a project's host. */
export const hostedReAuth = endpoint({
  name: 'auth.hostedReAuth',
  summary: 'Prove again, by password or by a code, to be the user whose cookie it is.',
  input: z.object({
    email: email.optional(),
    password: triedPassword.optional(),
    challenge_id: z.uuid('must be a challenge id (a UUID)').optional().describe('The challenge that the code answers.'),
    code: z.string().max(64).optional().describe('The code of a mail.').meta({ secret: true }),
  }),
  admit: asUser,
  async handler(ctx, { email: named, password, challenge_id, code }) {
    const { services, target, account, session } = ctx;
    if (named !== undefined && named !== account.email) throw wrong();
    const byCode = password === undefined && challenge_id !== undefined && code !== undefined;
    if (byCode) await spendCode(ctx, target, { challengeId: challenge_id, code }, account.email);
    else await requirePassword(services, target, account, password);
    return { cookie: await proveAgain(services, target, session.id, byCode ? 'email_code' : 'password') };
  },
  wire: z.object({ cookie: z.string().meta({ secret: true }) }),
});

const wrong = () =>
  new ServiceError('SVC_AUTH_INVALID_CREDENTIALS', { message: 'This is another user than the one signed in.' });
