import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { email, givenToken, sixDigits } from './auth-input.ts';
import { endpoint, withKey } from './endpoint.ts';
import { latestCodeGrant, linkGrant } from './mail-grant.ts';
import { SessionWire } from './session-answer.ts';

/** `POST /auth/v1/verify`: the grants `magic_link` and `email_code`, as clients ask for them that keep no challenge. */
export const verify = endpoint({
  name: 'auth.verify',
  summary: 'Trade the token of a link, or the latest code that was mailed to an address, for a session.',
  input: z.object({
    type: z
      .enum(['email', 'magiclink', 'signup', 'invite', 'recovery'])
      .describe('What the mail was for; it is the mail that decides.'),
    token_hash: givenToken('The token of a link, as it stands behind `?token=`.').optional(),
    email: email.optional(),
    token: sixDigits.optional(),
  }),
  admit: withKey,
  async handler(ctx, { token_hash, email, token }) {
    if (token_hash !== undefined) {
      if (token !== undefined) throw invalidField('token', 'give a token or a code, not both');
      return linkGrant(ctx, token_hash);
    }
    if (email === undefined) throw invalidField('email', 'is required for a code');
    if (token === undefined) throw invalidField('token', 'is required');
    return latestCodeGrant(ctx, { email, code: token });
  },
  wire: SessionWire,
});
