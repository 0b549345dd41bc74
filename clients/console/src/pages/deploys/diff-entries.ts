/** Names that one release has and another has not. */
interface Names {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

interface Route {
  readonly pattern: string;
}

/** The difference between two releases, as the gateway tells it. */
export interface ReleaseDiff {
  readonly is_noop: boolean;
  readonly summary: string;
  readonly site: {
    readonly added: readonly { readonly path: string }[];
    readonly removed: readonly string[];
    readonly changed: readonly { readonly path: string }[];
    readonly totals?: { readonly added: number; readonly removed: number; readonly changed: number };
  };
  readonly functions: Names & { readonly changed: readonly { readonly name: string }[] };
  readonly secrets: Names;
  readonly subdomains: Names;
  readonly routes: {
    readonly added: readonly Route[];
    readonly removed: readonly Route[];
    readonly changed: readonly Route[];
  };
  readonly migrations: { readonly applied_between_releases: readonly string[] };
  readonly settings: { readonly changed: readonly string[] };
}

export type ChangeKind = 'added' | 'removed' | 'changed';

export interface DiffEntry {
  readonly kind: ChangeKind;
  /** What it is, for people. */
  readonly what: string;
  readonly name: string;
}

const entries = (kind: ChangeKind, what: string, names: readonly string[]): readonly DiffEntry[] =>
  names.map((name) => ({ kind, what, name }));

/** All that is different, files last, since there may be many. */
export function entriesOf({ site, functions, secrets, subdomains, routes, migrations, settings }: ReleaseDiff) {
  const patterns = (list: readonly Route[]) => list.map(({ pattern }) => pattern);
  const paths = (list: readonly { readonly path: string }[]) => list.map(({ path }) => path);
  return [
    ...entries('added', 'Migration', migrations.applied_between_releases),
    ...entries('changed', 'Setting', settings.changed),
    ...entries('added', 'Subdomain', subdomains.added),
    ...entries('removed', 'Subdomain', subdomains.removed),
    ...entries('added', 'Required secret', secrets.added),
    ...entries('removed', 'Required secret', secrets.removed),
    ...entries('added', 'Function', functions.added),
    ...entries(
      'changed',
      'Function',
      functions.changed.map(({ name }) => name),
    ),
    ...entries('removed', 'Function', functions.removed),
    ...entries('added', 'Route', patterns(routes.added)),
    ...entries('changed', 'Route', patterns(routes.changed)),
    ...entries('removed', 'Route', patterns(routes.removed)),
    ...entries('added', 'File', paths(site.added)),
    ...entries('changed', 'File', paths(site.changed)),
    ...entries('removed', 'File', site.removed),
  ];
}

/** How many files are different that the lists leave out. */
export function leftOut({ site: { totals, added, changed, removed } }: ReleaseDiff): number {
  if (totals === undefined) return 0;
  return totals.added + totals.changed + totals.removed - added.length - changed.length - removed.length;
}
