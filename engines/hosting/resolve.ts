import type { RouteEntry, StaticFile } from '../release/model.ts';
import { folderOf, isNavigation, pageOf } from './pages.ts';
import { canonicalPath, isPlatformPath, type PathFault } from './request-path.ts';
import { allowedBy, matchRoute, type RouteTable } from './route-table.ts';

/** A release as far as requests need it. */
export interface HostedRelease {
  readonly routes: RouteTable;
  readonly mode: 'implicit' | 'explicit';
  /** The public path of the file that answers what nothing else does. */
  readonly spaFallback: string | null;
  /** The function that renders what no file answers. */
  readonly ssr?: string;
  /** By public path. */
  readonly files: { get(publicPath: string): StaticFile | undefined };
}

/** What a request was found to ask for. Contract 03, section 2.10. */
export type Match =
  | 'active_release_missing'
  | 'path_error'
  | 'none'
  | 'static_exact'
  | 'static_index'
  | 'spa_fallback'
  | 'spa_fallback_missing'
  | 'route_function'
  | 'route_static_alias'
  | 'route_method_miss';

export type AuthorizationResult =
  | 'authorized'
  | 'not_public'
  | 'not_applicable'
  | 'target_missing'
  | 'active_release_missing'
  | 'path_error';

export type FallbackState =
  | 'active_release_missing'
  | 'path_error'
  | 'method_not_static'
  | 'not_used'
  | 'target_missing'
  | 'used'
  | 'not_configured'
  | 'not_eligible';

export type ResolutionError =
  | 'VALIDATION_FAILED'
  | 'ROUTE_NOT_FOUND'
  | 'ROUTE_METHOD_NOT_ALLOWED'
  | 'ROUTE_MANIFEST_LOAD_FAILED';

/** How a request is answered, and why. */
export interface Resolution {
  readonly match: Match;
  /** The status that the request gets. */
  readonly status: 200 | 308 | 400 | 404 | 405 | 503;
  readonly error: ResolutionError | null;
  /** In canonical form. */
  readonly path: string | null;
  readonly pathFault: PathFault | null;
  readonly route: RouteEntry | null;
  /** What is served, or would be to another method. */
  readonly file: StaticFile | null;
  /** Where a folder is found that was asked for without the slash at its end, in canonical form. */
  readonly location: string | null;
  readonly functionName: string | null;
  /** Methods that the path answers, where it does not answer this one. */
  readonly allow: readonly string[] | null;
  readonly authorization: AuthorizationResult;
  readonly fallback: FallbackState;
}

const nothing = {
  error: null,
  pathFault: null,
  route: null,
  file: null,
  location: null,
  functionName: null,
  allow: null,
} as const;

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';
const readMethods = ['GET', 'HEAD'] as const;

/**
 * Finds what answers a request on a host of a project: routes first, then files, then the function that renders pages,
 * then the page that answers everything else. Contract 03, section 2.21. The platform's own paths are matched before.
 *
 * @param release null where the project has none
 * @param sent the path as it stands in the request
 */
export function resolve(release: HostedRelease | null, method: string, sent: string): Resolution {
  const canonical = canonicalPath(sent);
  if ('fault' in canonical)
    return {
      ...nothing,
      match: 'path_error',
      status: 400,
      error: 'VALIDATION_FAILED',
      path: null,
      pathFault: canonical.fault,
      authorization: 'path_error',
      fallback: 'path_error',
    };
  const { path } = canonical;
  if (release === null)
    return {
      ...nothing,
      match: 'active_release_missing',
      status: 404,
      error: 'ROUTE_NOT_FOUND',
      path,
      authorization: 'active_release_missing',
      fallback: 'active_release_missing',
    };
  if (isPlatformPath(path)) return notFound(path, 'not_eligible');
  const matched = matchRoute(release.routes, method, path);
  if (matched !== undefined && 'route' in matched) return byRoute(release, matched.route, path);
  const file = directFile(release, path);
  if (file !== undefined && isRead(method)) return byFile(file, path);
  const folder = file === undefined ? folderFile(release, path) : undefined;
  if (folder !== undefined && isRead(method)) return toFolder(folder, path);
  if (matched !== undefined) return routeMiss(matched.missed, file ?? folder, path);
  if (!isRead(method)) return notRead(file ?? folder, path);
  if (release.ssr !== undefined) return byFunction(release.ssr, null, path);
  return byFallback(release, path);
}

/** A file that is served at its own path; an alias's is not. */
function directFile({ files, mode }: HostedRelease, path: string): StaticFile | undefined {
  const file = files.get(path);
  if (file?.direct === true) return file;
  const page = mode === 'implicit' ? pageOf(path) : undefined;
  const found = page === undefined ? undefined : files.get(page);
  return found?.direct === true ? found : undefined;
}

/** The page of a folder that is asked for without its slash: links of that page are meant from inside of it. */
function folderFile({ files, mode }: HostedRelease, path: string): StaticFile | undefined {
  const folder = mode === 'implicit' ? folderOf(path) : undefined;
  const file = folder === undefined ? undefined : files.get(folder);
  return file?.direct === true ? file : undefined;
}

/** A route that matches has the last word: what it leads to answers, or nothing does. */
function byRoute({ files }: HostedRelease, route: RouteEntry, path: string): Resolution {
  if (route.target.type === 'function') return byFunction(route.target.name, route, path);
  const file = files.get(route.pattern);
  const served = { ...nothing, match: 'route_static_alias', path, route } as const;
  if (file === undefined)
    return {
      ...served,
      status: 503,
      error: 'ROUTE_MANIFEST_LOAD_FAILED',
      authorization: 'target_missing',
      fallback: 'not_used',
    };
  return { ...served, status: 200, file, authorization: 'authorized', fallback: 'not_used' };
}

/** A function has the last word on its status: what it answers is not known before. */
const byFunction = (functionName: string, route: RouteEntry | null, path: string): Resolution => ({
  ...nothing,
  match: 'route_function',
  status: 200,
  path,
  route,
  functionName,
  authorization: 'not_applicable',
  fallback: 'not_used',
});

const byFile = (file: StaticFile, path: string): Resolution => ({
  ...nothing,
  match: path.endsWith('/') ? 'static_index' : 'static_exact',
  status: 200,
  path,
  file,
  authorization: 'authorized',
  fallback: 'not_used',
});

const toFolder = (file: StaticFile, path: string): Resolution => ({
  ...byFile(file, path),
  match: 'static_index',
  status: 308,
  location: `${path}/`,
});

function routeMiss(missed: readonly RouteEntry[], file: StaticFile | undefined, path: string): Resolution {
  const allow = new Set([...allowedBy(missed), ...(file === undefined ? [] : readMethods)]);
  return {
    ...nothing,
    match: 'route_method_miss',
    status: 405,
    error: 'ROUTE_METHOD_NOT_ALLOWED',
    path,
    route: missed[0]!,
    allow: [...allow].sort(),
    authorization: 'not_applicable',
    fallback: 'not_eligible',
  };
}

/** A method that changes something, at a path without a route. */
function notRead(file: StaticFile | undefined, path: string): Resolution {
  if (file === undefined) return notFound(path, 'method_not_static');
  return {
    ...byFile(file, path),
    status: 405,
    error: 'ROUTE_METHOD_NOT_ALLOWED',
    allow: readMethods,
    fallback: 'method_not_static',
  };
}

function byFallback({ spaFallback, files }: HostedRelease, path: string): Resolution {
  if (spaFallback === null) return notFound(path, 'not_configured');
  if (!isNavigation(path)) return notFound(path, 'not_eligible');
  const file = files.get(spaFallback);
  if (file === undefined)
    return {
      ...notFound(path, 'target_missing'),
      match: 'spa_fallback_missing',
      authorization: 'target_missing',
    };
  return { ...byFile(file, path), match: 'spa_fallback', fallback: 'used' };
}

const notFound = (path: string, fallback: FallbackState): Resolution => ({
  ...nothing,
  match: 'none',
  status: 404,
  error: 'ROUTE_NOT_FOUND',
  path,
  authorization: 'not_public',
  fallback,
});

/** The page of a release that says that something is not there. */
export const notFoundPage = '/404.html';

/**
 * Every public path that {@link resolve} may look up for a path, so that only the parts of a release in which these lie
 * have to be there. None for a path that no file is looked up for.
 */
export function lookupPaths(
  { routes, mode, spaFallback }: Pick<HostedRelease, 'routes' | 'mode' | 'spaFallback'>,
  sent: string,
): readonly string[] {
  const canonical = canonicalPath(sent);
  if ('fault' in canonical) return [];
  const { path } = canonical;
  const found = new Set([path, notFoundPage]);
  if (mode === 'implicit')
    for (const other of [pageOf(path), folderOf(path)]) if (other !== undefined) found.add(other);
  if (spaFallback !== null) found.add(spaFallback);
  const matched = matchRoute(routes, 'GET', path);
  if (matched !== undefined && 'route' in matched && matched.route.target.type === 'static')
    found.add(matched.route.pattern);
  return [...found];
}
