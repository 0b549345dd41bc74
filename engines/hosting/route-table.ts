import type { RouteEntry } from '../release/model.ts';

/** Routes of a release, ready to be asked. */
export interface RouteTable {
  /** By path without a slash at its end. */
  readonly exact: ReadonlyMap<string, readonly RouteEntry[]>;
  /** The longest prefix first. */
  readonly prefixes: readonly { readonly prefix: string; readonly routes: readonly RouteEntry[] }[];
  /** Functions that a route with a price leads to. */
  readonly priced: ReadonlySet<string>;
}

const withoutSlash = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);

/** A pattern in the form that paths of requests are brought to; undefined when no path is. */
function decoded(pattern: string): string | undefined {
  if (!pattern.includes('%')) return pattern;
  try {
    return decodeURIComponent(pattern).normalize('NFC');
  } catch {
    return undefined;
  }
}

/** Makes a table of routes. Contract 03, section 2.21. */
export function routeTable(routes: readonly RouteEntry[]): RouteTable {
  const exact = new Map<string, RouteEntry[]>();
  const prefixes = new Map<string, RouteEntry[]>();
  for (const route of routes) {
    const pattern = decoded(route.prefix ?? route.pattern);
    if (pattern === undefined) continue;
    if (route.kind === 'exact') addTo(exact, withoutSlash(pattern), route);
    else addTo(prefixes, pattern, route);
  }
  const priced = routes.flatMap(({ pricing, target }) =>
    pricing !== undefined && target.type === 'function' ? [target.name] : [],
  );
  return {
    exact,
    priced: new Set(priced),
    prefixes: [...prefixes]
      .map(([prefix, some]) => ({ prefix, routes: some }))
      .sort((a, b) => b.prefix.length - a.prefix.length),
  };
}

function addTo(groups: Map<string, RouteEntry[]>, key: string, route: RouteEntry): void {
  const known = groups.get(key);
  if (known === undefined) groups.set(key, [route]);
  else known.push(route);
}

/** Whether a route answers a method. Who answers GET answers HEAD. */
export const answers = ({ methods }: RouteEntry, method: string): boolean =>
  methods === null || methods.includes(method) || (method === 'HEAD' && methods.includes('GET'));

export type MatchedRoute =
  | { readonly route: RouteEntry }
  /** Routes match the path, none of them the method. */
  | { readonly missed: readonly RouteEntry[] }
  | undefined;

/**
 * The route of a request: exact routes come before prefixes, and longer prefixes before shorter ones. The most special
 * pattern decides alone, so that a wider one does not answer its methods. `/admin/` is `/admin`, and a prefix does not
 * match itself: `/admin/*` is neither of both.
 *
 * @param path in canonical form
 */
export function matchRoute({ exact, prefixes }: RouteTable, method: string, path: string): MatchedRoute {
  const group = exact.get(withoutSlash(path)) ?? prefixGroup(prefixes, path);
  if (group === undefined) return undefined;
  const route = group.find((one) => answers(one, method));
  return route === undefined ? { missed: group } : { route };
}

function prefixGroup(prefixes: RouteTable['prefixes'], path: string): readonly RouteEntry[] | undefined {
  return prefixes.find(({ prefix }) => path.length > prefix.length && path.startsWith(prefix))?.routes;
}

/** Methods that some routes answer, as `Allow` lists them. */
export function allowedBy(routes: readonly RouteEntry[]): string[] {
  const found = new Set<string>();
  for (const { methods } of routes) {
    for (const method of methods ?? []) {
      found.add(method);
      if (method === 'GET') found.add('HEAD');
    }
  }
  return [...found].sort();
}
