import { createdAt, id } from '../columns.ts';
import { index, pgTable, text, uuid } from '../drizzle.ts';

/** What users wrote to whoever runs the platform, which its admin alone reads. Contract 04, section 3.8. */
export const feedback = pgTable(
  'feedback',
  {
    /** `fbk_…` */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    principalId: id('principal_id').notNull(),
    /** The project that it is about. */
    projectId: id('project_id'),
    message: text('message').notNull(),
    /** How whoever wrote wants to be called, and answered. */
    handle: text('handle'),
    returnAddress: text('return_address'),
    createdAt: createdAt(),
  },
  (t) => [index('feedback_newest_idx').on(t.createdAt, t.id)],
);
