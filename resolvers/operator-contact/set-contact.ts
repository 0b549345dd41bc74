import { z } from 'zod';
import { readUrl } from '../../core/urls.ts';
import { type Column, sql } from '../../db/drizzle.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { allOf, excluded, insertInto, nameOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { givenName, shows } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { walletOf } from '../identity/shared/wallet-of.ts';
import { sendChallenge } from './send-challenge.ts';
import {
  findContact,
  lockContact,
  OperatorContactWire,
  operatorContactToWire,
  type ShownContact,
} from './shared/contact.ts';

/** An address on the web that is nobody's secret. */
const httpsUrl = z
  .string()
  .max(2_048, 'at most 2048 characters')
  .refine((text) => {
    const url = readUrl(text);
    return url?.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === '';
  }, 'must be an https address without credentials and without a fragment');

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
    webhook: httpsUrl
      .nullish()
      .describe(
        'Where notices are to be posted once they can be signed, and not before; null takes it away, absent leaves it.',
      ),
  }),
  async handler(work, { name, email, webhook }): Promise<ShownContact> {
    const { id } = work.principal.principal;
    await lockContact(work, id);
    const before = await findContact(work, id);
    const address = email === undefined ? (before?.email ?? null) : email;
    const moved = address !== (before?.email ?? null);
    const target = webhook === undefined ? (before?.webhook ?? null) : webhook;
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
