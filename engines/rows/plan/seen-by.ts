import type { RowRole } from '../request/row-request.ts';
import type { Relationship, SchemaCache } from '../schema/types.ts';
import { hasAnyRight } from './require-right.ts';

/** By schema and role. Made when first needed; they go when the schema goes. */
const seen = new WeakMap<SchemaCache, Map<RowRole, SchemaCache>>();

/**
 * The schema with those relationships alone that lead to what a role has any right to: of a table that is not exposed
 * a request finds as little to embed as of one that is not there, whatever it asks of it.
 */
export function seenBy(cache: SchemaCache, role: RowRole): SchemaCache {
  if (role === 'service_role') return cache;
  let byRole = seen.get(cache);
  if (byRole === undefined) seen.set(cache, (byRole = new Map()));
  let own = byRole.get(role);
  if (own === undefined) byRole.set(role, (own = restricted(cache, role)));
  return own;
}

function restricted(cache: SchemaCache, role: RowRole): SchemaCache {
  const isDark = (name: string) => {
    const table = cache.tables.get(name);
    return table !== undefined && !hasAnyRight(table, role);
  };
  const isShown = (one: Relationship) => {
    if (isDark(one.target)) return false;
    if (one.kind === 'many-to-many') return !isDark(one.junction.table);
    return (
      one.kind !== 'computed' ||
      cache.routines.get(one.routine)?.some(({ callers }) => callers.includes(role)) !== false
    );
  };
  const relationships = new Map(
    [...cache.relationships].map(([origin, all]) => [origin, all.filter(isShown)] as const),
  );
  return { ...cache, relationships };
}
