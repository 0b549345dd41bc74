import type { RouteEntry, StaticFile } from '../model.ts';
import { normalPattern, routesMax } from '../spec/routes.ts';
import { folderOf } from '../static-manifest.ts';
import type { Change } from './removals.ts';
import type { Rule } from './warning.ts';

/** From so many routes on, the limit is near. */
const nearLimit = 90;

const patterns = (routes: readonly RouteEntry[]) => [...new Set(routes.map(({ pattern }) => pattern))];
const toFunctions = ({ state }: Change) => state.routes.filter(({ target }) => target.type === 'function');
const aliases = ({ state }: Change) => state.routes.filter(({ target }) => target.type === 'static');
const fileOf = ({ target }: RouteEntry) => (target.type === 'static' ? target.file : '');
const answersGet = ({ methods }: RouteEntry) => methods === null || methods.includes('GET');

/** Files that are public by themselves, by path: what an alias at the same path hides is among them. */
function directFiles({ state: { site, publicPaths, manifest } }: Change): ReadonlyMap<string, string> {
  if (publicPaths.mode === 'explicit') return new Map([...publicPaths.table].map(([path, { asset }]) => [path, asset]));
  const found = new Map<string, string>();
  for (const path of site.keys()) {
    found.set(`/${path}`, path);
    const folder = folderOf(path);
    if (folder !== undefined) found.set(folder, path);
  }
  // Those of the manifest that are no aliases are the same ones.
  for (const [path, { direct, assetPath }] of manifest.files as ReadonlyMap<string, StaticFile>)
    if (direct) found.set(path, assetPath);
  return found;
}

/** Paths at which a file would be found for an exact pattern. */
const candidates = (pattern: string): string[] => {
  const path = normalPattern(pattern);
  return path === '/' ? ['/', '/index.html'] : [path, `${path}/`, `${path}/index.html`, `${path}.html`];
};

const folder = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
const extension = (path: string) => /\.[^./]+$/.exec(path)?.[0] ?? '';

/** Per rule one pass: the files of a site are looked at once for all of its routes. */
const among = (
  change: Change,
  routes: readonly RouteEntry[],
  holds: (route: RouteEntry, files: ReadonlyMap<string, string>) => boolean,
) => {
  if (routes.length === 0) return [];
  const files = directFiles(change);
  return patterns(routes.filter((one) => holds(one, files)));
};

/** Whether files lie below a prefix. Their paths are sorted once, and searched by halves for each route. */
function holdsBelow() {
  let sorted: readonly string[] | undefined;
  return ({ prefix }: RouteEntry, files: ReadonlyMap<string, string>): boolean => {
    sorted ??= [...files.keys()].sort();
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sorted[middle]! < prefix!) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(prefix!) === true;
  };
}

const mutating = ['POST', 'PUT', 'PATCH', 'DELETE'];

const readsOnly = ({ methods }: RouteEntry) => methods?.every((one) => one === 'GET' || one === 'HEAD') === true;

export const routeRules: readonly Rule<Change>[] = [
  {
    code: 'PUBLIC_ROUTED_FUNCTION',
    severity: 'info',
    confirm: false,
    message: 'Functions answer public paths.',
    finds: (change) => patterns(toFunctions(change)),
  },
  {
    code: 'ROUTE_TARGET_CARRIED_FORWARD',
    severity: 'info',
    confirm: false,
    message: 'The routes of the release before stay.',
    finds: ({ spec, base }) => (spec.routes === undefined ? patterns(base?.routes ?? []) : []),
  },
  {
    code: 'ROUTE_SHADOWS_STATIC_PATH',
    severity: 'warn',
    confirm: false,
    message: 'A function answers where a file would.',
    finds: (change) =>
      among(
        change,
        toFunctions(change).filter((one) => one.kind === 'exact' && answersGet(one)),
        ({ pattern }, files) =>
          candidates(pattern)
            .slice(0, 3)
            .some((path) => files.has(path)),
      ),
  },
  {
    code: 'WILDCARD_ROUTE_SHADOWS_STATIC_PATHS',
    severity: 'warn',
    confirm: false,
    message: 'A function answers a whole folder in which there are files.',
    finds: (change) =>
      among(
        change,
        toFunctions(change).filter((one) => one.kind === 'prefix' && answersGet(one)),
        holdsBelow(),
      ),
  },
  {
    code: 'METHOD_SPECIFIC_ROUTE_ALLOWS_GET_STATIC_FALLBACK',
    severity: 'info',
    confirm: false,
    message: 'A function answers some methods of a path, and a file its GET.',
    finds: (change) =>
      among(
        change,
        toFunctions(change).filter((one) => one.kind === 'exact' && !answersGet(one)),
        ({ pattern }, files) => candidates(pattern).some((path) => files.has(path)),
      ),
  },
  {
    code: 'WILDCARD_ROUTE_EXCLUDES_MUTATION_METHODS',
    severity: 'warn',
    confirm: true,
    confidence: 'heuristic',
    message: 'A function that answers a whole folder is only read.',
    finds: (change) =>
      patterns(
        toFunctions(change).filter(
          (one) => one.kind === 'prefix' && readsOnly(one) && one.acknowledgeReadonly !== true,
        ),
      ),
    details: () => ({ missing_common_methods: mutating }),
  },
  {
    code: 'ROUTE_TABLE_NEAR_LIMIT',
    severity: 'warn',
    confirm: false,
    message: `A release has ${routesMax} routes at the most.`,
    finds: ({ state }) => state.routes.length >= nearLimit,
    details: ({ state }) => ({ routes: state.routes.length, limit: routesMax }),
  },
  {
    code: 'STATIC_ALIAS_TABLE_NEAR_LIMIT',
    severity: 'warn',
    confirm: false,
    message: `A release has ${routesMax} routes at the most, and most of these lead to files.`,
    finds: (change) => change.state.routes.length >= nearLimit && aliases(change).length > 0,
    details: (change) => ({ routes: change.state.routes.length, static: aliases(change).length, limit: routesMax }),
  },
  {
    code: 'ROUTES_NOT_ENABLED',
    severity: 'high',
    confirm: true,
    message: 'Routes are not answered for this project.',
    finds: ({ state, routesEnabled }) => (routesEnabled ? [] : patterns(state.routes)),
  },
  {
    code: 'STATIC_ALIAS_SHADOWS_STATIC_PATH',
    severity: 'warn',
    confirm: false,
    message: 'An alias leads to another file than the one that is there.',
    finds: (change) =>
      among(change, aliases(change), (one, files) => {
        const shadowed = files.get(one.pattern);
        return shadowed !== undefined && shadowed !== fileOf(one);
      }),
  },
  {
    code: 'STATIC_ALIAS_RELATIVE_ASSET_RISK',
    severity: 'warn',
    confirm: false,
    message: 'A page is served from another folder: its relative links lead elsewhere.',
    finds: (change) =>
      patterns(
        aliases(change).filter(
          (one) => /\.html?$/i.test(fileOf(one)) && folder(one.pattern) !== folder(`/${fileOf(one)}`),
        ),
      ),
  },
  {
    code: 'STATIC_ALIAS_DUPLICATE_CANONICAL_URL',
    severity: 'info',
    confirm: false,
    message: 'A file has a URL of its own beside its alias.',
    finds(change) {
      const some = aliases(change);
      if (some.length === 0) return [];
      const direct = new Set(directFiles(change).values());
      return patterns(some.filter((one) => direct.has(fileOf(one))));
    },
  },
  {
    code: 'STATIC_ALIAS_REDUNDANT_PUBLIC_PATH',
    severity: 'info',
    confirm: false,
    message: 'An alias repeats a public path.',
    finds: (change) => among(change, aliases(change), (one, files) => files.get(one.pattern) === fileOf(one)),
  },
  {
    code: 'STATIC_ALIAS_EXTENSIONLESS_NON_HTML',
    severity: 'warn',
    confirm: false,
    message: 'An alias without an extension leads to a file that is no page.',
    finds: (change) =>
      patterns(aliases(change).filter((one) => extension(one.pattern) === '' && !/\.html?$/i.test(fileOf(one)))),
  },
];
