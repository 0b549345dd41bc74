import { quoteIdentifier } from '../rows/sql/sql.ts';
import { type Facts, mark } from './facts.ts';
import type { Manifest, ManifestView } from './manifest-shape.ts';
import { publicRoles } from './policies.ts';
import type { Privileges } from './privileges.ts';

interface ViewsPlan {
  readonly statements: readonly string[];
  readonly dropped: readonly string[];
  readonly privileges: readonly (readonly [string, Privileges])[];
}

/** Makes the views of a manifest, each with the rights of who reads it, and drops those that it no longer lists. */
export function planViews(views: Manifest['views'], { relations }: Facts): ViewsPlan {
  const listed = new Set(views.map(({ name }) => name));
  const ours = relations.filter((one) => one.ours && one.kind === 'v');
  const dropped = ours.filter(({ name }) => !listed.has(name)).map(({ name }) => name);
  const columns = new Map(relations.map((one) => [one.name, one.columns ?? []]));
  const remade: string[] = [];
  const made: string[] = [];
  for (const view of inOrder(views)) {
    const below = columns.get(view.base) ?? [];
    const shown = view.select.flatMap((name) => below.filter((one) => name === '*' || name === one.name));
    const before = ours.some(({ name }) => name === view.name) ? columns.get(view.name) : undefined;
    // Columns can be added at the end, so that what depends on the view stays; anything else is a new view.
    const kept = before?.every(({ name, type }, at) => shown[at]?.name === name && shown[at].type === type);
    if (before !== undefined && (kept !== true || remade.includes(view.base))) remade.push(view.name);
    columns.set(view.name, shown);
    made.push(
      definition(
        view,
        shown.map(({ name }) => name),
      ),
      `comment on view public.${quoteIdentifier(view.name)} is '${mark}'`,
    );
  }
  const gone = [...dropped, ...remade].map((name) => `public.${quoteIdentifier(name)}`);
  return {
    statements: [...(gone.length > 0 ? [`drop view ${gone.join(', ')}`] : []), ...made],
    dropped,
    privileges: views.map(({ name, expose }) => [name, expose === true ? reading : nothing]),
  };
}

const reading: Privileges = new Map(publicRoles.map((role) => [role, new Set(['select'] as const)]));
const nothing: Privileges = new Map();

const definition = ({ name, base, filter }: ManifestView, shown: readonly string[]) =>
  `create or replace view public.${quoteIdentifier(name)} with (security_invoker = true) as select ${shown
    .map(quoteIdentifier)
    .join(', ')} from public.${quoteIdentifier(base)}${filter === undefined ? '' : ` where (${filter}\n)`}`;

/** What a view reads from comes before it. */
export function inOrder(views: readonly ManifestView[]): ManifestView[] {
  const byName = new Map(views.map((view) => [view.name, view]));
  const done = new Set<ManifestView>();
  const visit = (view: ManifestView, above: ReadonlySet<ManifestView>) => {
    const base = byName.get(view.base);
    if (base !== undefined && !done.has(base) && !above.has(base)) visit(base, new Set([...above, base]));
    done.add(view);
  };
  for (const view of views) visit(view, new Set([view]));
  return [...done];
}
