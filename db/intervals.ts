import { type Column, type SQL, sql } from './drizzle.ts';

/** An interval of PostgreSQL. @param length such as `30 days`, fixed in the program: never a value of a request */
export const interval = (length: string): SQL => sql.raw(`interval '${length}'`);

/** Whether a moment has passed. @param ago by how much, as an interval of PostgreSQL. @default by anything */
export const isPast = (moment: Column, ago?: string): SQL =>
  ago === undefined ? sql`${moment} < now()` : sql`${moment} < now() - ${interval(ago)}`;
