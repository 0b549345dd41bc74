import { id } from '../columns.ts';
import { index, jsonb, pgTable, primaryKey, text, uuid } from '../drizzle.ts';
import type { TriggeredRun } from './function-schedules.ts';
import type { MailEvent } from './mailbox-webhooks.ts';

/** Triggers of the live releases that mail fires. Another release puts its own in their place. */
export const functionMailTriggers = pgTable(
  'function_mail_triggers',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    function: text('function').notNull(),
    triggerId: text('trigger_id').notNull(),
    releaseId: id('release_id').notNull(),
    /** Id or slug: a mailbox that is made later counts from then on. */
    mailbox: text('mailbox').notNull(),
    events: text('events').array().$type<MailEvent[]>().notNull(),
    run: jsonb('run').$type<TriggeredRun>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.function, t.triggerId] }),
    index('function_mail_triggers_mailbox_idx').on(t.projectId, t.mailbox),
  ],
);
