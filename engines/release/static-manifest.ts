import { cacheClassOf } from './cache-class.ts';
import { invalid, SpecError } from './errors.ts';
import type { CacheClass, ReleaseState, RouteEntry, SiteFile, StaticFile, StaticManifest } from './model.ts';
import { comparedPath } from './spec/paths.ts';

type Parts = Pick<ReleaseState, 'site' | 'publicPaths' | 'routes'>;

/** The file at the root of a site, which also answers what nothing else does. */
const entryFile = 'index.html';
const notFoundFile = '404.html';

/**
 * What a site serves at which public path. Contract 03, section 2.11.8.
 *
 * @param before the manifest of the release before
 * @throws SpecError for a table that names files which are not there
 */
export function staticManifest({ site, publicPaths, routes }: Parts, before: StaticManifest): StaticManifest {
  const files = new Map<string, StaticFile>();
  const fileAt = (
    publicPath: string,
    assetPath: string,
    found: SiteFile,
    more: Pick<StaticFile, 'authority' | 'direct' | 'routeId' | 'methods'>,
    declared?: CacheClass,
  ): StaticFile => ({
    sha256: found.sha256,
    size: found.size,
    contentType: found.contentType,
    ...cacheClassOf(
      publicPath,
      { path: assetPath, contentType: found.contentType },
      declared,
      before.files.get(publicPath),
    ),
    assetPath,
    ...more,
  });

  if (publicPaths.mode === 'explicit') {
    for (const [publicPath, { asset, cacheClass }] of publicPaths.table) {
      const found = site.get(asset);
      if (found === undefined)
        throw invalid(`site.public_paths.replace.${publicPath}.asset`, 'is no file of the release', { asset });
      const said = { authority: 'explicit_public_path', direct: true } as const;
      files.set(publicPath, fileAt(publicPath, asset, found, said, cacheClass));
    }
  } else {
    const said = { authority: 'implicit_file_path', direct: true } as const;
    for (const [path, found] of site) {
      files.set(`/${path}`, fileAt(`/${path}`, path, found, said));
      const folder = folderOf(path);
      if (folder !== undefined) files.set(folder, fileAt(folder, path, found, said));
    }
  }
  for (const [place, route] of routes.entries()) {
    if (route.target.type !== 'static') continue;
    const { file } = route.target;
    refuseConflict(route, files.get(comparedPath(route.pattern)), site.get(file)!, place);
    const alias = {
      authority: 'route_static_alias',
      direct: false,
      routeId: route.pattern,
      methods: ['GET', 'HEAD'],
    } as const;
    files.set(route.pattern, fileAt(route.pattern, file, site.get(file)!, alias));
  }
  // A site with a page for what is not there is none that answers every path by its first page.
  const hasFallback = publicPaths.mode === 'implicit' && site.has(entryFile) && !site.has(notFoundFile);
  const spaFallback = hasFallback ? `/${entryFile}` : null;
  return { mode: publicPaths.mode, files, spaFallback };
}

/** An alias may take the place of the page of a folder, and repeat what is there; it hides nothing else. */
function refuseConflict({ pattern }: RouteEntry, there: StaticFile | undefined, file: SiteFile, place: number): void {
  if (there === undefined || !there.direct || there.sha256 === file.sha256) return;
  if (there.authority === 'implicit_file_path' && pattern.endsWith('/')) return;
  throw invalid(`routes.replace.${place}.pattern`, 'is the public path of another file', {
    pattern,
    asset: there.assetPath,
  });
}

/** The folder that a file is the page of. */
export const folderOf = (path: string): string | undefined =>
  path === entryFile || path.endsWith(`/${entryFile}`) ? `/${path.slice(0, -entryFile.length)}` : undefined;

/** Targets of routes that a release does not have. */
export const missingTargets = (
  routes: readonly RouteEntry[],
  state: Pick<ReleaseState, 'functions' | 'site'>,
): string[] =>
  routes.flatMap(({ target }) =>
    target.type === 'function'
      ? state.functions.has(target.name)
        ? []
        : [target.name]
      : state.site.has(target.file)
        ? []
        : [target.file],
  );

/** A file that browsers were told to keep for ever, and that has other bytes now. */
export interface ImmutableChange {
  readonly path: string;
  readonly previousSha256: string;
  readonly candidateSha256: string;
}

/** What no release may do. Contract 03, section 2.11.8. */
export function immutableChanges(before: StaticManifest, after: StaticManifest): ImmutableChange[] {
  const found: ImmutableChange[] = [];
  for (const [path, previous] of before.files) {
    if (previous.cacheClass !== 'immutable_versioned') continue;
    const candidate = after.files.get(path);
    if (candidate !== undefined && candidate.sha256 !== previous.sha256)
      found.push({ path, previousSha256: previous.sha256, candidateSha256: candidate.sha256 });
  }
  return found;
}

/** @throws SpecError STATIC_IMMUTABLE_PATH_CHANGED */
export function refuseImmutableChanges(changes: readonly ImmutableChange[]): void {
  if (changes.length === 0) return;
  throw new SpecError(
    'STATIC_IMMUTABLE_PATH_CHANGED',
    'Files that browsers keep for ever have other bytes now: give them another name.',
    {
      details: {
        paths: changes.slice(0, 100).map(({ path, previousSha256, candidateSha256 }) => ({
          path,
          previous_sha256: previousSha256,
          candidate_sha256: candidateSha256,
        })),
      },
    },
  );
}
