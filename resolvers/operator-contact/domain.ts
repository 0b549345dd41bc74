import { isPast } from '../../db/intervals.ts';
import { operatorContactChallenges } from '../../db/schema/operator-contacts.ts';
import { domain } from '../../kernel/run/domain.ts';
import { confirmEmail } from './confirm-email.ts';
import { beginContactEnrolment, finishContactEnrolment } from './contact-passkey.ts';
import { enrollPasskey } from './enroll-passkey.ts';
import { operatorContactErrors } from './error-codes.ts';
import { operatorContactEvents } from './event-types.ts';
import { getContact } from './get-contact.ts';
import { sendVerification } from './send-verification.ts';
import { setContact } from './set-contact.ts';

export const operatorContact = domain('operator-contact', {
  errors: operatorContactErrors,
  events: operatorContactEvents,
  operations: [setContact, getContact, sendVerification, confirmEmail, enrollPasskey],
  signInFlows: [beginContactEnrolment, finishContactEnrolment],
  expires: [
    // Links last for hours; the mail that brought one is kept as long.
    { table: operatorContactChallenges, when: isPast(operatorContactChallenges.expiresAt, '30 days') },
  ],
});
