import { z } from 'zod';

/** Most tables that one connection follows. Contract 01, section 4.3. */
const tablesMax = 20;

/** Longest wait of a held read, in seconds. Contract 01, section 4.3. */
export const waitSecondsMax = 25;

/** Names that a manifest may make live. */
const tableName = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be names of tables as the manifest writes them');

/** Tables to follow; one that is named twice is followed once. */
export const liveTables = z
  .array(tableName)
  .min(1, 'at least 1 table')
  .transform((names) => [...new Set(names)])
  .refine((names) => names.length <= tablesMax, `at most ${tablesMax} tables`)
  .describe('Live tables to follow, at most 20.');

/** The parameters of both doors. */
export const liveParams = z.object({
  project_id: z.string().optional(),
  // As a list of one line: `a,b`.
  tables: z
    .string('must be given')
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(liveTables),
  cursor: z.string().optional(),
  wait: z
    .string()
    .regex(/^[+-]?\d{1,9}(\.\d{1,9})?$/, 'must be a number of seconds')
    .transform((text) => Math.min(Math.max(Number(text), 1), waitSecondsMax))
    .optional(),
});
export type LiveParams = z.output<typeof liveParams>;
