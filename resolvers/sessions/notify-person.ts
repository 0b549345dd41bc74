import { queueMail } from '../../kernel/durability/outbox.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { emailsOf } from './people.ts';

/** Addresses of one person that are written to. */
const addressesMax = 10;

/** Where a person ends what it does not know. */
const sessionsPath = '/agent/v1/control-plane/account/sessions';

/**
 * Mails a person, at each address that it has proven, that something it signs in with was changed: whoever did not do so
 * has a thief to turn out. Call it before an address is taken away, so that it is told, too.
 *
 * @param what a sentence
 */
export async function notifyPerson(work: Work, principalId: string, what: string): Promise<void> {
  const page = `${work.services.settings.mailBaseUrl}${sessionsPath}`;
  for (const to of (await emailsOf(work, principalId)).slice(0, addressesMax))
    await queueMail(work, {
      orgId: null,
      to,
      subject: 'What you sign in with has changed',
      text: [
        what,
        '',
        'If that was you, nothing needs to be done. If it was not, end the sessions that you do not know, and remove from',
        'your account what is not yours:',
        page,
      ].join('\n'),
    });
}
