import { createdAt, id, moment } from '../columns.ts';
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from '../drizzle.ts';

/** Names behind the `@` of addresses that projects have proven to own. */
export const mailDomains = pgTable(
  'mail_domains',
  {
    /** In lower case (Punycode): a domain of a project, or its subdomain for mail. */
    name: text('name').primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** The project's domain that it stands for, as `project_domains` has it. */
    domain: text('domain').notNull(),
    /** Whether its key was seen at the last look: mail is sent from its addresses. */
    sends: boolean('sends').notNull().default(false),
    /** When its key was seen for the first time. */
    sendsSince: moment('sends_since'),
    /** Whether mail for its addresses is taken, once its way here was seen. */
    receives: boolean('receives').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('mail_domains_domain_uq').on(t.orgId, t.projectId, t.domain)],
);

/** Addresses of mailboxes below domains of their projects. */
export const mailAddresses = pgTable(
  'mail_addresses',
  {
    /** As `mail_domains` has it. */
    mailDomain: text('mail_domain').notNull(),
    /** In lower case. */
    localPart: text('local_part').notNull(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    mailboxId: id('mailbox_id').notNull(),
    /** Whether the mailbox writes from it rather than from its managed address. */
    isPrimary: boolean('is_primary').notNull(),
    /** The order in which they were given. */
    position: integer('position').notNull(),
    /** Null: nothing comes in or goes out by it yet. */
    activatedAt: moment('activated_at'),
  },
  (t) => [
    primaryKey({ columns: [t.mailDomain, t.localPart] }),
    index('mail_addresses_mailbox_idx').on(t.mailboxId),
    index('mail_addresses_project_idx').on(t.orgId, t.projectId),
  ],
);

/** `stale`: mail of the domain comes in another way since it was sent. */
export type ReceiveTestStatus = 'pending' | 'passed' | 'stale';

/** The latest test of each address: a mail that is sent to it has to arrive. */
export const receiveTests = pgTable(
  'receive_tests',
  {
    id: id().notNull(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** The project's domain. */
    domain: text('domain').notNull(),
    localPart: text('local_part').notNull(),
    /** Where the mail was sent to. */
    address: text('address').notNull(),
    mailboxId: id('mailbox_id').notNull(),
    /** The mailbox's address on the platform's mail domain, which a provider forwards to. */
    targetManagedAddress: text('target_managed_address').notNull(),
    /** What the mail says; no secret to the project. */
    token: text('token').notNull(),
    status: text('status').$type<ReceiveTestStatus>().notNull().default('pending'),
    /** The mail in the outbox. */
    mailId: id('mail_id').notNull(),
    createdAt: createdAt(),
    passedAt: moment('passed_at'),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.domain, t.localPart] }),
    uniqueIndex('receive_tests_token_uq').on(t.token),
  ],
);
