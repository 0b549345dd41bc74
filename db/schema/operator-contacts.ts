import { createdAt, id, moment } from '../columns.ts';
import { index, pgTable, text, uniqueIndex, uuid } from '../drizzle.ts';
import { principals } from './identity.ts';

/** How the human behind a principal is reached. A verified address is for notices: it signs no person in. */
export const operatorContacts = pgTable(
  'operator_contacts',
  {
    principalId: id('principal_id')
      .primaryKey()
      .references(() => principals.id),
    name: text('name').notNull(),
    /** Normalised. */
    email: text('email'),
    webhook: text('webhook'),
    emailVerifiedAt: moment('email_verified_at'),
    emailVerifiedMessageId: text('email_verified_message_id'),
    emailChallengeSentAt: moment('email_challenge_sent_at'),
    /** Set when an enrolment was mailed. */
    passkeyPendingAt: moment('passkey_pending_at'),
    passkeyBoundAt: moment('passkey_bound_at'),
    activePasskeyId: text('active_passkey_id'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  // Whether an address is known to work.
  (t) => [index('operator_contacts_email_idx').on(t.email)],
);

/** A mailed link that verifies one address of one principal, once. Also what the mails to an address are counted by. */
export const operatorContactChallenges = pgTable(
  'operator_contact_challenges',
  {
    id: uuid('id').primaryKey(),
    principalId: id('principal_id')
      .notNull()
      .references(() => principals.id),
    email: text('email').notNull(),
    /** SHA-256. */
    tokenHash: text('token_hash').notNull(),
    mailId: id('mail_id').notNull(),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (t) => [
    uniqueIndex('operator_contact_challenges_token_uq').on(t.tokenHash),
    index('operator_contact_challenges_email_idx').on(t.email, t.createdAt),
    index('operator_contact_challenges_principal_idx').on(t.principalId, t.createdAt),
    // What retention looks for.
    index('operator_contact_challenges_expires_idx').on(t.expiresAt),
  ],
);

export type OperatorContact = typeof operatorContacts.$inferSelect;
