import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { authenticators } from '../../db/schema/identity.ts';
import { computed, pick, setOf, statement } from '../../db/sql.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { createPrincipal } from '../identity/shared/subject-principal.ts';
import { notifyPerson } from './notify-person.ts';
import { activateInvites, takeInvites } from './people.ts';
import { inSession } from './session-scope.ts';
import { countMail, sendLink, useLink } from './shared/mailed-links.ts';

/** The page that the link leads to: it asks for a click, in the session that asked. */
export const addEmailPagePath = '/agent/v1/control-plane/emails/confirm';

/** `POST /agent/v1/control-plane/emails`. Contract 01, section 5.14. */
export const addEmail = mutation({
  name: 'emails.add',
  summary: 'Mail a link by which a person adds another address to sign in with.',
  access: inSession('control_plane'),
  stepUp: 'authenticator.register',
  input: z.object({ email: emailAddress.describe('The further address.') }),
  prepare: (ctx, { email }) => countMail(ctx, email),
  async handler(work, { email }): Promise<{ email: string; principalId: string }> {
    const principalId = work.session.principal.id;
    await sendLink(work, {
      purpose: 'add_email',
      email,
      principalId,
      returnTo: null,
      subject: 'Confirm your further address',
      why: `Somebody (${principalId}) wants to sign in with this address, too.`,
      path: addEmailPagePath,
    });
    return { email, principalId };
  },
  audit: ({ email, principalId }) => ({
    action: 'email.asked',
    object: { kind: 'principal', id: principalId },
    details: { email },
  }),
  wire: z.object({ status: z.literal('ok'), message: z.string() }),
  toWire: () => ({ status: 'ok' as const, message: 'A link is on its way. It is good once, for 15 minutes.' }),
});

interface AddedEmail {
  readonly email: string;
  readonly principalId: string;
  readonly joined: readonly string[];
}

/** `POST /agent/v1/control-plane/emails/verify`: in a session of the person who asked. */
export const verifyEmail = mutation({
  name: 'emails.verify',
  summary: 'Add an address by the link that was mailed to it; invitations of the address become memberships.',
  access: inSession('control_plane'),
  input: z.object({
    token: z.string().min(1).max(256).meta({ secret: true }).describe('What the mailed link brought along.'),
  }),
  async handler(work, { token }): Promise<AddedEmail> {
    const principalId = work.session.principal.id;
    const link = await useLink(work, token, ['add_email']);
    if (link === undefined || link.principalId !== principalId)
      throw new ServiceError('INVALID_AUTH', { details: { reason: 'link_invalid' } });
    const { email } = link;
    await createPrincipal(
      work.client,
      work.services,
      { kind: 'email', publicSubject: email },
      { type: 'human', verified: false },
    );
    const [known] = await work.rows(knownStatement.with({ email }));
    if (known!.principalId !== principalId) {
      if (known!.verified) throw new ServiceError('EMAIL_BELONGS_TO_OTHER_PRINCIPAL');
      await takeInvites(work, known!.principalId, principalId, email);
    }
    await notifyPerson(work, principalId, `A mail address was added, which signs you in from now on: ${email}.`);
    await work.rows(takeStatement.with({ email, principalId }));
    return { email, principalId, joined: await activateInvites(work, principalId) };
  },
  audit: ({ email, principalId }) => ({
    action: 'email.added',
    object: { kind: 'principal', id: principalId },
    details: { email },
  }),
  wire: z.object({ status: z.literal('ok'), email: z.string() }),
  toWire: ({ email }) => ({ status: 'ok' as const, email }),
});

const isAddress = (email: SQL): SQL =>
  sql`${authenticators.kind} = 'email' and ${authenticators.publicSubject} = ${email}`;

const knownStatement = statement(
  'emails.known',
  {
    params: { email: authenticators.publicSubject },
    row: {
      ...pick(authenticators, 'principalId'),
      verified: computed<boolean>(
        'boolean',
        sql`${authenticators.verifiedAt} is not null and ${authenticators.revokedAt} is null`,
      ),
    },
  },
  ({ email }, row) => sql`select ${row} from ${authenticators} where ${isAddress(email)} for no key update`,
);

const takeStatement = statement(
  'emails.take',
  { params: { email: authenticators.publicSubject, principalId: authenticators.principalId } },
  ({ email, principalId }) =>
    sql`update ${authenticators} ${setOf(authenticators, {
      principalId,
      verifiedAt: sql`clock_timestamp()`,
      revokedAt: sql`null`,
    })} where ${isAddress(email)}`,
);
