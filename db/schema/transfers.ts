import { createdAt, id, moment } from '../columns.ts';
import { index, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import type { OperationActor } from './projects.ts';

export const recipientKinds = ['wallet', 'email', 'org'] as const;
export type RecipientKind = (typeof recipientKinds)[number];

export const transferStates = ['pending', 'accepted', 'cancelled', 'expired'] as const;
export type TransferState = (typeof transferStates)[number];

/** Projects that were offered to somebody else. Contract 01, section 5.12. */
export const projectTransfers = pgTable(
  'project_transfers',
  {
    id: uuid('id').primaryKey(),
    /** The organization that offers it. */
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** As it was when it was offered. */
    projectName: text('project_name').notNull(),
    recipientKind: text('recipient_kind').$type<RecipientKind>().notNull(),
    /** A wallet's lower-case address, a mail address, or the id of an organization. */
    recipient: text('recipient').notNull(),
    /** The wallet that offered it; null for a person in a session. */
    fromWallet: text('from_wallet'),
    message: text('message'),
    /** Who stays a developer of it if the recipient agrees; null: nobody. */
    retainedPrincipalId: id('retained_principal_id'),
    initiatedBy: jsonb('initiated_by').$type<OperationActor>().notNull(),
    /** What was offered, names alone; nothing of it changes while the offer is pending. */
    contents: jsonb('contents').$type<Readonly<Record<string, unknown>>>().notNull(),
    /** Digest of that. */
    termsSha256: text('terms_sha256').notNull(),
    state: text('state').$type<TransferState>().notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** When it was accepted, cancelled or found expired. */
    endedAt: moment('ended_at'),
    cancelledBy: text('cancelled_by').$type<'sender' | 'recipient' | 'system'>(),
    cancellationReason: text('cancellation_reason'),
    /** The organization that has it since. */
    toOrgId: uuid('to_org_id'),
    createdAt: createdAt(),
  },
  (t) => [
    // A project is offered to one recipient at a time.
    uniqueIndex('project_transfers_pending_uq').on(t.projectId).where(sql`${t.state} = 'pending'`),
    index('project_transfers_recipient_idx')
      .on(t.recipientKind, t.recipient, t.createdAt, t.id)
      .where(sql`${t.state} = 'pending'`),
    index('project_transfers_sender_idx').on(t.orgId, t.createdAt, t.id).where(sql`${t.state} = 'pending'`),
    index('project_transfers_expiry_idx').on(t.expiresAt).where(sql`${t.state} = 'pending'`),
    index('project_transfers_ended_idx').on(t.endedAt),
  ],
);

export type TransferColumns = typeof projectTransfers.$inferSelect;
