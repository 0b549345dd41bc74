import { z } from 'zod';

/** What an archive says of itself. All names are data: a table may be called anything. */
const part = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().nonnegative(),
  content: z.string().regex(/^[0-9a-f]{64}$/),
});

const relation = { schema: z.string(), name: z.string() };

const savedTable = z.object({
  ...relation,
  columns: z.array(z.string()),
  rows: z.int().nonnegative(),
  /** The rows as COPY writes them, cut at ends of lines; each part compressed by zstd. */
  parts: z.array(part),
});
export type SavedTable = z.infer<typeof savedTable>;

const savedSequence = z.object({ ...relation, value: z.string(), called: z.boolean() });
export type SavedSequence = z.infer<typeof savedSequence>;

export const savedDatabase = z.object({
  /** In an order in which none comes before one that it refers to, for tables that have their keys already. */
  tables: z.array(savedTable),
  sequences: z.array(savedSequence),
  /** Definitions before and after the rows; none for a database whose definitions are the product's own. */
  before: part,
  after: part,
  extensions: z.array(z.object({ ...relation, version: z.string() })),
  /** Materialized views that had rows. */
  filled: z.array(z.object(relation)),
});
export type SavedDatabase = z.infer<typeof savedDatabase>;

/** Every part of a database. */
export const partsOf = (database: SavedDatabase) => [
  database.before,
  database.after,
  ...database.tables.flatMap(({ parts }) => parts),
];
export { part as partShape };
