/** A table of a manifest, as its JSON has it. */
export interface DraftTable {
  readonly name: string;
  readonly expose: boolean;
  readonly policy?: string;
  readonly owner_column?: string;
  readonly force_owner_on_insert?: boolean;
  readonly live?: boolean;
  readonly i_understand_this_is_unrestricted?: boolean;
  readonly custom_sql?: string;
}

interface DraftView {
  readonly name: string;
  readonly base: string;
  readonly select: readonly string[];
  readonly filter?: string;
  readonly expose?: boolean;
}

interface DraftRpc {
  readonly name: string;
  readonly signature: string;
  readonly grant_to: readonly string[];
}

export interface Draft {
  readonly version: string | number;
  readonly tables?: readonly DraftTable[];
  readonly views?: readonly DraftView[];
  readonly rpcs?: readonly DraftRpc[];
}

/** The policies of a manifest, in plain words. */
export const policies = [
  {
    id: 'user_owns_rows',
    name: 'Users own their rows',
    about:
      'Each signed-in user reads and changes the rows whose owner column holds the user’s id. Nobody else sees them.',
  },
  {
    id: 'public_read_authenticated_write',
    name: 'Everybody reads, users write',
    about: 'Everybody reads all rows. Each signed-in user adds, changes and deletes any row.',
  },
  {
    id: 'public_read_append_only',
    name: 'Everybody reads and adds',
    about: 'Everybody reads all rows and adds rows. Nobody changes or deletes them.',
  },
  {
    id: 'public_read_write_UNRESTRICTED',
    name: 'Everybody does everything',
    about: 'Everybody reads, changes and deletes every row, without signing in.',
  },
  { id: 'custom', name: 'Policies of your own', about: 'Row policies that you write in SQL decide.' },
] as const;

export const policyName = (id: string | undefined): string => policies.find((one) => one.id === id)?.name ?? id ?? '';

/** The text of a manifest, as the editor shows it and as changes are compared. */
export const textOf = (manifest: unknown): string => JSON.stringify(manifest, null, 2);

/** The manifest of a text; undefined for one that has no such shape. */
export function draftOf(text: string): Draft | undefined {
  try {
    const read = JSON.parse(text) as Draft | null;
    const lists = [read?.tables, read?.views, read?.rpcs];
    const hasShape =
      typeof read === 'object' &&
      read !== null &&
      lists.every(
        (list) => list === undefined || (Array.isArray(list) && list.every((one) => typeof one?.name === 'string')),
      );
    return hasShape ? read : undefined;
  } catch {
    return undefined;
  }
}

/** A manifest in which one table is as given, in its place or at the end. */
export function withTable(draft: Draft, table: DraftTable): Draft {
  const tables = draft.tables ?? [];
  const known = tables.some(({ name }) => name === table.name);
  return {
    ...draft,
    tables: known ? tables.map((one) => (one.name === table.name ? table : one)) : [...tables, table],
  };
}

/** A table under another policy, without what belongs to the one before. */
export function underPolicy({ name, live }: DraftTable, policy: string, owner: string | undefined): DraftTable {
  const kept = live === true && policy !== 'custom' ? { live } : {};
  if (policy === 'user_owns_rows')
    return {
      name,
      expose: true,
      policy,
      ...(owner === undefined ? {} : { owner_column: owner }),
      force_owner_on_insert: true,
      ...kept,
    };
  if (policy === 'custom') return { name, expose: true, policy, custom_sql: '' };
  return { name, expose: true, policy, ...kept };
}

/** Columns that look as if they held the id of the owner. */
export const ownerOf = (columns: readonly { readonly name: string; readonly type: string }[]): string | undefined => {
  const fits = columns.filter(({ type }) => ['uuid', 'text', 'character varying'].includes(type));
  const named = ['user_id', 'owner_id', 'owner', 'author_id', 'created_by'];
  return named.find((name) => fits.some((one) => one.name === name)) ?? fits.find(({ type }) => type === 'uuid')?.name;
};

export interface Effect {
  readonly name: string;
  readonly kind: 'added' | 'changed' | 'removed';
  readonly words: string;
}

const tableWords = ({ expose, policy, owner_column: owner, live }: DraftTable): string =>
  !expose
    ? 'Requests cannot reach it. The service key can.'
    : `${policyName(policy)}${owner === undefined ? '' : ` (${owner})`}. ${
        policies.find((one) => one.id === policy)?.about ?? ''
      }${live === true ? ' Live hints are sent.' : ''}`;
const viewWords = ({ base, select, expose }: DraftView): string =>
  `A view of ${base} with ${select.join(', ')}. ${expose === true ? 'Readers see what policies of its table let them.' : 'Requests cannot reach it.'}`;
const rpcWords = ({ grant_to }: DraftRpc): string => `Called by ${grant_to.join(', ')}.`;

type Named = { readonly name: string };

function effectsOn<Entry extends Named>(
  before: readonly Entry[] = [],
  after: readonly Entry[] = [],
  words: (entry: Entry) => string,
  keyOf: (entry: Entry) => string = ({ name }) => name,
): Effect[] {
  const old = new Map(before.map((one) => [keyOf(one), one]));
  const kept = new Set(after.map(keyOf));
  return [
    ...after.flatMap((one): Effect[] => {
      const was = old.get(keyOf(one));
      if (was === undefined) return [{ name: keyOf(one), kind: 'added', words: words(one) }];
      return JSON.stringify(was) === JSON.stringify(one)
        ? []
        : [{ name: keyOf(one), kind: 'changed', words: words(one) }];
    }),
    ...before
      .filter((one) => !kept.has(keyOf(one)))
      .map(
        (one): Effect => ({
          name: keyOf(one),
          kind: 'removed',
          words: 'Requests cannot reach it any more. The service key can.',
        }),
      ),
  ];
}

/** What a change of the manifest comes to, entry by entry. */
export const effectsOf = (before: Draft, after: Draft): readonly Effect[] => [
  ...effectsOn(before.tables, after.tables, tableWords),
  ...effectsOn(before.views, after.views, viewWords),
  ...effectsOn(before.rpcs, after.rpcs, rpcWords, ({ name, signature }) => `${name}${signature}`),
];
