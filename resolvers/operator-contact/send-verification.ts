import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { sendChallenge } from './send-challenge.ts';
import { emailStateOf, lockContact, OperatorContactWire, operatorContactToWire, showOwn } from './shared/contact.ts';

/** `POST /agent/v1/contact/verify-email`. Contract 02, section 5.1. */
export const sendVerification = mutation({
  name: 'operator.sendVerification',
  tool: 'verify_agent_contact_email',
  command: 'agent verify-email',
  effects: ['openWorld'],
  summary: 'Mail the link that verifies the contact’s address once more; a verified one stays as it is.',
  access: signedIn('wallet', 'control_plane'),
  stepUp: 'operator.contact',
  input: z.object({}),
  async handler(work) {
    const { id } = work.principal.principal;
    await lockContact(work, id);
    const shown = await showOwn(work, work);
    const { email } = shown.contact;
    if (email === null) throw new ServiceError('OPERATOR_EMAIL_MISSING');
    if (emailStateOf(shown.contact) === 'verified') return { ...shown, sent: false };
    return { ...shown, contact: await sendChallenge(work, id, email), sent: true };
  },
  audit: ({ contact: { principalId, email }, sent }) =>
    sent
      ? {
          action: 'operator_contact.verification_sent',
          object: { kind: 'principal', id: principalId },
          details: { email },
        }
      : undefined,
  wire: OperatorContactWire,
  toWire: operatorContactToWire,
});
