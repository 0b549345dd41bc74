import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { allOf, pick, setOf, statement } from '../../db/sql.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { walletOf } from '../identity/shared/wallet-of.ts';
import { countMail, sendLink } from '../sessions/shared/mailed-links.ts';
import {
  emailStateOf,
  findContact,
  lockContact,
  OperatorContactWire,
  operatorContactToWire,
  type ShownContact,
} from './shared/contact.ts';

/** Where the mailed link leads: to a page that asks the authenticator. */
export const registerPasskeyPath = '/agent/v1/contact/passkey/register';

/** `POST /agent/v1/contact/passkey/enroll`. Contract 02, section 5.1. */
export const enrollPasskey = mutation({
  name: 'operator.enrollPasskey',
  tool: 'start_operator_passkey_enrollment',
  command: 'agent passkey enroll',
  effects: ['openWorld'],
  summary: 'Have a link mailed by which an operator with a verified address enrols a passkey; it is good once.',
  access: signedIn('wallet', 'control_plane'),
  stepUp: 'operator.contact',
  input: z.object({}),
  async prepare(ctx): Promise<void> {
    const contact = await findContact(ctx.services.db, ctx.principal.principal.id);
    if (contact?.email == null || emailStateOf(contact) !== 'verified')
      throw new ServiceError('OPERATOR_EMAIL_NOT_VERIFIED');
    await countMail(ctx, contact.email);
  },
  async handler(work): Promise<ShownContact> {
    const { principal } = work;
    const principalId = principal.principal.id;
    await lockContact(work, principalId);
    const contact = await findContact(work, principalId);
    // It may have been given another address since.
    if (contact?.email == null || emailStateOf(contact) !== 'verified')
      throw new ServiceError('OPERATOR_EMAIL_NOT_VERIFIED');
    await sendLink(work, {
      purpose: 'contact_passkey',
      email: contact.email,
      principalId,
      returnTo: null,
      subject: 'Enrol your passkey',
      why: `Somebody (${principalId}) asked for a passkey of whoever reads this address, to confirm what is asked for.`,
      path: registerPasskeyPath,
    });
    const [pending] = await work.rows(pendingStatement.with({ principalId }));
    return { wallet: await walletOf(work, principal), contact: pending! };
  },
  audit: ({ contact }) => ({
    action: 'operator_contact.passkey_asked',
    object: { kind: 'principal', id: contact.principalId },
    details: { email: contact.email },
  }),
  wire: OperatorContactWire,
  toWire: (shown, ctx) => ({
    ...operatorContactToWire(shown, ctx),
    ...(shown.contact.email === null ? {} : { enrollment_sent_to: shown.contact.email }),
  }),
});

const pendingStatement = statement(
  'operator.passkey-pending',
  { params: pick(operatorContacts, 'principalId'), row: allOf(operatorContacts) },
  ({ principalId }, row) =>
    sql`update ${operatorContacts} ${setOf(operatorContacts, {
      passkeyPendingAt: sql`clock_timestamp()`,
      updatedAt: sql`clock_timestamp()`,
    })} where ${operatorContacts.principalId} = ${principalId} returning ${row}`,
);
