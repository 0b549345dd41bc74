import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { parseInput } from '../../kernel/run/parse-input.ts';
import { email, givenToken, sixDigits, triedPassword } from './auth-input.ts';
import { endpoint, withKey } from './endpoint.ts';
import { codeGrant, linkGrant } from './mail-grant.ts';
import { passwordGrant } from './password-grant.ts';
import { refreshSession } from './refresh-session.ts';
import { SessionWire } from './session-answer.ts';
import { socialGrant } from './social-grant.ts';

/** What each grant needs. Contract 01, section 3.3. */
const inputs = {
  password: z.object({ email, password: triedPassword }),
  refresh_token: z.object({
    refresh_token: givenToken(
      'The refresh token; it is good once, and for ten seconds more while its successor is unused.',
    ),
  }),
  authorization_code: z.object({
    code: givenToken('The code of a social sign-in.'),
    code_verifier: givenToken('The PKCE verifier.'),
  }),
  magic_link: z.object({ token: givenToken('The token of a link.') }),
  email_code: z.object({
    challenge_id: z.uuid('must be a challenge id (a UUID)').describe('The challenge that the code answers.'),
    code: sixDigits,
  }),
} as const;

const grants = Object.keys(inputs) as readonly (keyof typeof inputs)[];

/** `POST /auth/v1/token`. */
export const token = endpoint({
  name: 'auth.token',
  summary: 'Trade a password, a refresh token, a link or a code for a session.',
  input: z.object({
    grant_type: z.enum(grants as [keyof typeof inputs]).describe('What is traded.'),
    email: z.unknown().optional().describe('Address, for `password`.'),
    password: z.unknown().optional().describe('Password, for `password`.').meta({ secret: true }),
    refresh_token: z.unknown().optional().describe('For `refresh_token`.').meta({ secret: true }),
    token: z.unknown().optional().describe('Token of a link, for `magic_link`.').meta({ secret: true }),
    challenge_id: z.unknown().optional().describe('For `email_code`.'),
    code: z.unknown().optional().describe('For `email_code` and `authorization_code`.').meta({ secret: true }),
    code_verifier: z.unknown().optional().describe('For `authorization_code`.').meta({ secret: true }),
  }),
  admit: withKey,
  byKeyAlone: () => true,
  async handler(ctx, { grant_type: grant, ...given }) {
    const { services, target } = ctx;
    const of = <Input extends z.ZodObject>(input: Input): z.output<Input> =>
      parseInput({ input }, given as z.input<Input>, (name) => name);
    switch (grant) {
      case 'password':
        return passwordGrant(ctx, of(inputs.password));
      case 'refresh_token':
        return refreshSession(services, target, of(inputs.refresh_token).refresh_token);
      case 'magic_link':
        refuseBoth(given);
        return linkGrant(ctx, of(inputs.magic_link).token);
      case 'email_code': {
        refuseBoth(given);
        const { challenge_id: challengeId, code } = of(inputs.email_code);
        return codeGrant(ctx, { challengeId, code });
      }
      case 'authorization_code': {
        const { code, code_verifier: codeVerifier } = of(inputs.authorization_code);
        return socialGrant(services, target, { code, codeVerifier });
      }
    }
  },
  wire: SessionWire,
});

/** A link and a code are one challenge: to show both is to try twice. */
function refuseBoth({ token, code }: { readonly token?: unknown; readonly code?: unknown }): void {
  if (token === undefined || code === undefined) return;
  const reason = 'give a token or a code, not both';
  throw new ServiceError('VALIDATION_FAILED', { message: `code: ${reason}`, details: { field: 'code', reason } });
}
