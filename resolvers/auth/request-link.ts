import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { deliveries, intents } from '../../db/project-schema/auth.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import { isMailDelayed } from '../../kernel/durability/mail-delay.ts';
import { signInThrottles } from '../../kernel/limits/limits.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { email, fitsJson } from './auth-input.ts';
import { createChallenge, type NewChallenge } from './challenges.ts';
import { endpoint, withKey } from './endpoint.ts';
import { requireRedirect } from './redirects.ts';
import type { ProjectCaller } from './shared/authenticate-project.ts';
import { mailChallenge } from './sign-in-mail.ts';
import { countForAddress, countTry } from './throttle.ts';

/** Most bytes of a client state, as JSON. Contract 01, section 3.6. */
const clientStateBytesMax = 2_048;

export const clientState = z
  .unknown()
  .refine((state) => fitsJson(state, clientStateBytesMax), {
    error: `at most ${clientStateBytesMax} bytes as JSON`,
  })
  .describe('Anything; given back with the session, as text. At most 2048 bytes.');

/** As it is given back: a text as it is, anything else as JSON. */
export const stateText = (state: unknown): string | null =>
  state === undefined || state === null ? null : typeof state === 'string' ? state : JSON.stringify(state);

export const redirectUrl = z.string().max(2_048).describe('Where the link leads, with `?token=` added.');

/**
 * Counts a mail that the service key asks for, apart from those that anybody may ask for and so use up.
 *
 * @throws RATE_LIMITED
 */
export async function countTrustedMail(services: Services, target: ProjectTarget, email: string): Promise<void> {
  await countTry(services, target, signInThrottles.mailToAddress, 'trusted_mail', email);
  await countTry(services, target, signInThrottles.mailOfProject, 'trusted_mails');
}

/** Has a challenge mailed, within what an address and a project may be sent. @returns its id. @throws RATE_LIMITED */
export async function mailWayIn(ctx: Context & ProjectCaller, wanted: NewChallenge): Promise<string> {
  const { services, target } = ctx;
  if (wanted.state_source === 'service_key') await countTrustedMail(services, target, wanted.email);
  else {
    const { known } = await countForAddress(ctx, signInThrottles.mailToAddress, 'mail', wanted.email);
    // Else thirty mails to anybody would keep every user of the project waiting.
    if (known) await countTry(services, target, signInThrottles.mailOfKnown, 'known_mails');
    else await countTry(services, target, signInThrottles.mailOfProject, 'mails');
  }
  const id = await createChallenge(services, target, wanted);
  await mailChallenge(ctx, target.projectId, id);
  return id;
}

/** `POST /auth/v1/magic-link`. */
export const requestLink = endpoint({
  name: 'auth.requestLink',
  summary: 'Mail somebody a link, a code or both to sign in with; the answer is the same for every address.',
  input: z.object({
    email,
    delivery: z.enum(deliveries).default('link').describe('What the mail holds: `link` unless told.'),
    redirect_url: redirectUrl.optional(),
    intent: z.enum(intents).default('signin').describe('What it is for: `signin` unless told.'),
    client_state: clientState.optional(),
    create_user: z
      .boolean()
      .default(true)
      .describe('Whether somebody who is no user yet becomes one by it, where sign-up is open.'),
  }),
  admit: withKey,
  async handler(ctx, { email, delivery, redirect_url, intent, client_state, create_user }) {
    const { services, target, keyRole } = ctx;
    const trusted = keyRole === 'service_role';
    if (intent === 'invite' && !trusted)
      throw new ServiceError('FORBIDDEN', { message: 'The service key alone invites.' });
    if (redirect_url === undefined && delivery !== 'code') throw missingRedirect();
    const redirect =
      redirect_url === undefined ? undefined : await requireRedirect(services, target, 'redirect_url', redirect_url);
    const id = await mailWayIn(ctx, {
      email,
      intent,
      delivery,
      redirect_url: redirect?.href ?? null,
      client_state: stateText(client_state),
      state_source: trusted ? 'service_key' : 'anonymous',
      // Without an account there is nothing to recover.
      creates_user: create_user && intent !== 'recovery',
    });
    return {
      message: 'If this address can sign in, a mail is on its way.',
      ...(delivery === 'link' ? {} : { challenge_id: id }),
      ...((await isMailDelayed(services)) ? { warnings: [delayed] } : {}),
    };
  },
  wire: z.object({
    message: z.string(),
    challenge_id: z.uuid().optional(),
    warnings: z.array(z.object({ code: z.literal('EMAIL_DELIVERY_DELAYED'), message: z.string() })).optional(),
  }),
});

const delayed = {
  code: 'EMAIL_DELIVERY_DELAYED' as const,
  message: 'The mail server takes no mail at the moment; it is tried again.',
};

export function missingRedirect(): ServiceError {
  const reason = 'is required for a link';
  return new ServiceError('VALIDATION_FAILED', {
    message: `redirect_url: ${reason}`,
    details: { field: 'redirect_url', reason },
  });
}
