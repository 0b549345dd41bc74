import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { type Column, sql } from '../../db/drizzle.ts';
import { noticePreferences } from '../../db/schema/notices.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { allOf, excluded, insertInto, nameOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { givenName, shows } from '../../kernel/input/fields.ts';
import { webhookUrl } from '../../kernel/input/webhook-url.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { walletOf } from '../identity/shared/wallet-of.ts';
import { sendChallenge } from './send-challenge.ts';
import {
  assuranceOf,
  findContact,
  lockContact,
  OperatorContactWire,
  operatorContactToWire,
  type ShownContact,
} from './shared/contact.ts';

/** `POST /agent/v1/contact`. Contract 02, section 5.1. */
export const setContact = mutation({
  name: 'operator.setContact',
  tool: 'set_agent_contact',
  command: 'agent contact',
  effects: ['destructive', 'idempotent', 'openWorld'],
  summary: 'Name whom notices about the caller’s organizations go to; a new mail address has to be verified.',
  access: signedIn('wallet', 'control_plane'),
  stepUp: 'operator.contact',
  input: z.object({
    name: givenName(64)
      .trim()
      .refine((name) => shows.test(name), 'must show something')
      .describe('What people call the contact, 1 to 64 characters.'),
    email: emailAddress.nullish().describe('Mail address; null takes it away, absent leaves it.'),
    webhook: webhookUrl
      .nullish()
      .describe(
        'Where notices are posted, once there is a secret to sign them with; null takes it away, absent leaves it. With a secret, a change needs a passkey.',
      ),
  }),
  async handler(work, { name, email, webhook }): Promise<ShownContact> {
    const { id } = work.principal.principal;
    await lockContact(work, id);
    const before = await findContact(work, id);
    const address = email === undefined ? (before?.email ?? null) : email;
    const moved = address !== (before?.email ?? null);
    const target = webhook === undefined ? (before?.webhook ?? null) : webhook;
    // What is posted there was let be posted by whoever holds the passkey.
    const isProven = before !== undefined && assuranceOf(before) === 'operator_passkey';
    if (
      target !== (before?.webhook ?? null) &&
      !isProven &&
      (await work.rows(signedStatement.with({ principalId: id }))).length > 0
    )
      throw new ServiceError('OPERATOR_PASSKEY_REQUIRED');
    const [stored] = await work.rows(
      upsertStatement.with({ principalId: id, name, email: address, webhook: target, moved }),
    );
    const contact = moved && address !== null ? await sendChallenge(work, id, address) : stored!;
    return { wallet: await walletOf(work, work.principal), contact };
  },
  audit: ({ contact: { principalId, email } }) => ({
    action: 'operator_contact.set',
    object: { kind: 'principal', id: principalId },
    details: { email },
  }),
  wire: OperatorContactWire,
  toWire: operatorContactToWire,
});

const signedStatement = statement(
  'operator.signed-webhook',
  { params: pick(noticePreferences, 'principalId'), row: pick(noticePreferences, 'principalId') },
  ({ principalId }, row) => sql`select ${row} from ${noticePreferences}
    where ${noticePreferences.principalId} = ${principalId} and ${noticePreferences.webhookSecret} is not null`,
);

// Nobody is known to read another address yet, and the reader of the old one enrolled the passkey.
const upsertStatement = statement(
  'operator.set-contact',
  {
    params: { ...pick(operatorContacts, 'principalId', 'name', 'email', 'webhook'), moved: typed<boolean>('boolean') },
    row: allOf(operatorContacts),
  },
  ({ moved, ...given }, row) => {
    const unlessMoved = (column: Column) => sql`case when ${moved}::boolean then null else ${column} end`;
    return sql`${insertInto(operatorContacts, given)} on conflict (${nameOf(operatorContacts.principalId)}) do update
      ${setOf(operatorContacts, {
        name: excluded(operatorContacts.name),
        email: excluded(operatorContacts.email),
        webhook: excluded(operatorContacts.webhook),
        updatedAt: sql`clock_timestamp()`,
        emailVerifiedAt: unlessMoved(operatorContacts.emailVerifiedAt),
        emailVerifiedMessageId: unlessMoved(operatorContacts.emailVerifiedMessageId),
        emailChallengeSentAt: unlessMoved(operatorContacts.emailChallengeSentAt),
        passkeyPendingAt: unlessMoved(operatorContacts.passkeyPendingAt),
        passkeyBoundAt: unlessMoved(operatorContacts.passkeyBoundAt),
        activePasskeyId: unlessMoved(operatorContacts.activePasskeyId),
      })} returning ${row}`;
  },
);
