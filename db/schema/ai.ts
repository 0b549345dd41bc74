import { id, moment } from '../columns.ts';
import { boolean, index, integer, pgTable, primaryKey, text, uuid } from '../drizzle.ts';

export const aiAddons = pgTable(
  'ai_addons',
  {
    projectId: id('project_id').notNull(),
    addon: text('addon').$type<'translation'>().notNull(),
    /** One that was deactivated keeps what it has used of its cycle. */
    active: boolean('active').notNull(),
    includedWords: integer('included_words').notNull(),
    /** What is used of the cycle, what is on its way among it. */
    usedWords: integer('used_words').notNull().default(0),
    /** Of the cycle that was counted last; 30 days later the next one begins. */
    cycleStart: moment('cycle_start').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.addon] })],
);

/** What is taken for a request to a model that is under way. What a lost node has left is given back after its end. */
export const aiHolds = pgTable(
  'ai_holds',
  {
    id: id().primaryKey(),
    /** Whose balance is held; null for words. */
    orgId: uuid('org_id'),
    /** Whose words are taken, of which cycle; null for money. */
    projectId: id('project_id'),
    words: integer('words'),
    cycleStart: moment('cycle_start'),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [index('ai_holds_expires_idx').on(t.expiresAt)],
);
