import { createdAt, moment } from '../columns.ts';
import { index, integer, pgTable, text } from '../drizzle.ts';

/** Long lists whose beginning a tool has shown, for its caller to read on in, by way of any node. */
export const keptResults = pgTable(
  'kept_results',
  {
    /** `res_` and 16 hexadecimal digits. */
    ref: text('ref').primaryKey(),
    /** The caller it belongs to. */
    owner: text('owner').notNull(),
    /** Of clients that share a key or a network, whose it is; empty where the owner says it all. */
    session: text('session').notNull().default(''),
    /** The list as JSON: text, since what is shown of it is shown as it was. */
    items: text('items').notNull(),
    /** Of the text. */
    bytes: integer('bytes').notNull(),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [index('kept_results_owner_idx').on(t.owner), index('kept_results_expiry_idx').on(t.expiresAt)],
);
