import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { networkOf } from '../../../core/network-of.ts';
import { sql } from '../../../db/drizzle.ts';
import { asKept, jsonObject } from '../../../db/json.ts';
import { challenges } from '../../../db/project-schema/auth.ts';
import { computed, pick } from '../../../db/sql.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import { signInThrottles } from '../../../kernel/limits/limits.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { attemptsMax, type Challenge, useCode } from '../challenges.ts';
import { endpoint, withKey } from '../endpoint.ts';
import { codeGrant, codeHashesOf } from '../mail-grant.ts';
import { SessionWire } from '../session-answer.ts';
import { authRow, authStatement } from '../shared/auth-rows.ts';
import { countTry } from '../throttle.ts';

/** `POST /auth/email-code/confirm` on a project's host. Contract 01, section 3.12. */
export const confirmCode = endpoint({
  name: 'auth.hostedCode',
  summary: 'Sign in with the code of a mail on a host of the project.',
  input: z.strictObject({
    challenge_id: z.uuid('must be a challenge id (a UUID)').describe('The challenge that the code answers.'),
    code: z
      .string()
      .trim()
      .regex(/^[0-9]{6}$/, 'must be six digits')
      .describe('The code of a mail.')
      .meta({ secret: true }),
  }),
  admit: withKey,
  async handler(ctx, { challenge_id: challengeId, code }) {
    const { services, target } = ctx;
    await countCode(ctx, target);
    const asked = await authRow(services, target, stateStatement.with({ id: challengeId }));
    try {
      const session = await codeGrant(ctx, { challengeId, code });
      return { session, redirect_url: asked?.redirect_url ?? null };
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'INVALID_AUTH')) throw error;
      throw await whyNot(ctx, target, challengeId);
    }
  },
  wire: z.object({ session: SessionWire, redirect_url: z.string().nullable() }),
});

/**
 * Uses up a code that was mailed to an address, and starts no session.
 *
 * @throws SVC_AUTH_INVALID_CREDENTIALS, SVC_AUTH_CHALLENGE_ENDED, RATE_LIMITED
 */
export async function spendCode(
  ctx: Context,
  target: ProjectTarget,
  { challengeId, code }: { readonly challengeId: string; readonly code: string },
  address: string,
): Promise<Challenge> {
  const { services } = ctx;
  await countCode(ctx, target);
  const asked = await authRow(services, target, stateStatement.with({ id: challengeId }));
  // It belongs to another visitor: it is not used up, and the answer does not mention it.
  if (asked !== undefined && asked.email !== address) throw new ServiceError('SVC_AUTH_INVALID_CREDENTIALS');
  const challenge = await useCode(services, target, challengeId, codeHashesOf(services, challengeId, code));
  if (challenge === undefined) throw await whyNot(ctx, target, challengeId);
  return challenge;
}

/** Counts before the challenge is touched: a rate limit uses up no attempt. */
const countCode = ({ services, request }: Context, target: ProjectTarget) =>
  countTry(services, target, signInThrottles.codeOfNetwork, 'code', networkOf(request.address));

async function whyNot({ services }: Context, target: ProjectTarget, challengeId: string): Promise<ServiceError> {
  const asked = await authRow(services, target, stateStatement.with({ id: challengeId }));
  if (asked?.open !== true || asked.attempts >= attemptsMax) return new ServiceError('SVC_AUTH_CHALLENGE_ENDED');
  const left = attemptsMax - asked.attempts;
  return new ServiceError('SVC_AUTH_INVALID_CREDENTIALS', {
    message: `The code is wrong; ${left} ${left === 1 ? 'try is' : 'tries are'} left.`,
    details: { attempts_left: left },
  });
}

const stateStatement = authStatement(
  'hosted_challenge',
  {
    params: pick(challenges, 'id'),
    answer: jsonObject({
      ...asKept(pick(challenges, 'email', 'redirectUrl', 'attempts')),
      /** It can still be answered. */
      open: computed<boolean>('boolean', sql`${challenges.usedAt} is null and ${challenges.expiresAt} > now()`),
    }),
  },
  ({ id }, answer) =>
    sql`select ${answer} from ${challenges} where ${challenges.id} = ${id} and ${challenges.delivery} <> 'link'`,
);
