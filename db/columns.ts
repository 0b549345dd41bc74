import { customType, integer, text, timestamp } from './drizzle.ts';

/** A moment, kept with its zone and read as a `Date`. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 });

/** When the row was written, by the database clock. */
export const createdAt = () => moment('created_at').notNull().defaultNow();

/** Bytes, read as a `Buffer`. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** A native id: prefixed text, or the text form of a UUID. */
export const id = (name = 'id') => text(name);

/** Columns of a table that counts attempts. `kernel/limits/counted-window.ts` writes its statements. */
export const countedWindow = () => ({
  /** What is counted, and a digest of whose attempts. */
  key: text('key').primaryKey(),
  count: integer('count').notNull(),
  windowEnds: moment('window_ends').notNull(),
});
