import { z } from 'zod';

/** Roles that a row or rpc request can have. */
export const grantRoles = ['anon', 'authenticated', 'service_role', 'project_admin'] as const;

export const policyNames = [
  'user_owns_rows',
  'public_read_authenticated_write',
  'public_read_write_UNRESTRICTED',
  'public_read_append_only',
  'custom',
] as const;

const identifier = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must match ^[a-z_][a-z0-9_]{0,62}$');
/** Texts of SQL are short: what is longer belongs into a function. */
const snippet = z.string().min(1).max(20_000, 'at most 20000 characters');

/** Of a list that is too long, that is all that is said: its entries are not looked at. */
const listOf = <Entry extends z.ZodType>(entry: Entry, most: number) =>
  z.array(z.unknown()).max(most, `at most ${most} entries`).pipe(z.array(entry));

export const tableShape = z.strictObject({
  name: identifier,
  expose: z.boolean(),
  policy: z.enum(policyNames).optional(),
  owner_column: identifier.optional(),
  force_owner_on_insert: z.boolean().optional(),
  live: z.boolean().optional(),
  i_understand_this_is_unrestricted: z.boolean().optional(),
  custom_sql: snippet.optional(),
});

export const viewShape = z.strictObject({
  name: identifier,
  base: identifier,
  select: listOf(z.union([z.literal('*'), identifier]), 1_600).refine(({ length }) => length > 0, 'is empty'),
  filter: snippet.optional(),
  // Whatever is asked: a view of its owner's rights would pass the policies by.
  security_invoker: z
    .boolean()
    .optional()
    .transform(() => true),
  expose: z.boolean().optional(),
});

export const rpcShape = z.strictObject({
  name: identifier,
  signature: z
    .string()
    .max(4_000)
    .regex(/^\([^;]*\)$/, 'must match ^\\([^;]*\\)$'),
  grant_to: listOf(z.enum(grantRoles), 100).refine(({ length }) => length > 0, 'is empty'),
});

/** Tables, views and functions that a manifest may name, of each kind. */
export const entriesMax = 1_000;

export const manifestShape = z.strictObject({
  $schema: z.unknown().optional(),
  version: z.union([z.literal(1), z.literal('1')], 'must be 1').transform(() => '1' as const),
  tables: listOf(tableShape, entriesMax).default([]),
  views: listOf(viewShape, entriesMax).default([]),
  rpcs: listOf(rpcShape, entriesMax).default([]),
});

/** The total desired state of what a project shows. Contract 01, section 2.10. */
export type Manifest = Omit<z.output<typeof manifestShape>, '$schema'>;
export type ManifestTable = Manifest['tables'][number];
export type ManifestView = Manifest['views'][number];
export type ManifestRpc = Manifest['rpcs'][number];
