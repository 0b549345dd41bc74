import { createdAt, id, moment } from '../columns.ts';
import { index, jsonb, pgTable, text } from '../drizzle.ts';

/** Tasks of the agent protocol A2A, which every client reads that knows the id. They have no owner, so no organization. */
export const a2aTasks = pgTable(
  'a2a_tasks',
  {
    id: id().primaryKey(),
    /** SHA-256 of the message that began it: the same message again is the same task. */
    firstMessage: text('first_message').notNull().unique(),
    /** SHA-256 of the message that it was last continued by. */
    lastMessage: text('last_message').notNull(),
    /** As the body says it too: what may be continued is found by it. */
    state: text('state').notNull(),
    /** The task in the form that every version of the protocol is rendered from. */
    body: jsonb('body').$type<unknown>().notNull(),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [index('a2a_tasks_expiry_idx').on(t.expiresAt)],
);

/** Jobs that marketplaces of agents sent, with what they were answered. They have no owner, so no organization. */
export const webhookJobs = pgTable(
  'webhook_jobs',
  {
    /** Who sent it and under which id, as SHA-256: ids are the senders' own. */
    key: text('key').primaryKey(),
    jobId: text('job_id').notNull(),
    /** Where the sender would like to be told. Recorded for the operator; nothing is ever sent there. */
    callbackUrl: text('callback_url'),
    answer: jsonb('answer').$type<object>().notNull(),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [index('webhook_jobs_expiry_idx').on(t.expiresAt)],
);
