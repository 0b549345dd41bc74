import { invalid } from '../errors.ts';
import type { CacheClass, PublicPaths, SiteFile } from '../model.ts';
import { siteFile } from './content.ts';
import { distinct, list, map, matching, object, oneOf, optional, type Read } from './fields.ts';
import { publicPath, relativePath, sitePath } from './paths.ts';
import type { Change, PublicPathEntry, ReleaseSpec } from './release-spec.ts';

/** Files that a site may have. */
export const siteFilesMax = 100_000;

const files: Read<Map<string, SiteFile>> = (value, at) => {
  // The type of a file may follow from its path, which the map knows.
  const raw = map(sitePath, (one) => one, siteFilesMax)(value, at);
  return new Map([...raw].map(([path, one]) => [path, siteFile(one, `${at}.${path}`, path)]));
};

const patch: Read<Extract<Change<SiteFile>, { kind: 'patch' }>> = (value, at) => {
  const given = object(value, at, ['put', 'delete']);
  const set = optional(files)(given.put, `${at}.put`) ?? new Map();
  const gone = optional(distinct(list(sitePath, { max: siteFilesMax })))(given.delete, `${at}.delete`) ?? [];
  const both = gone.find((path) => set.has(path));
  if (both !== undefined) throw invalid(`${at}.delete`, `names ${both}, which is put, too`, { path: both });
  return { kind: 'patch', set, delete: gone };
};

const entry: Read<PublicPathEntry> = (value, at) => {
  const given = object(value, at, ['asset', 'cache_class']);
  const cacheClass = optional(matching(/^[a-z][a-z0-9_]{0,63}$/))(given.cache_class, `${at}.cache_class`);
  return {
    asset: relativePath(given.asset, `${at}.asset`),
    ...(cacheClass === undefined ? {} : { cacheClass: cacheClass as CacheClass }),
  };
};

const publicPaths: Read<PublicPaths> = (value, at) => {
  const given = object(value, at, ['mode', 'replace']);
  const mode = oneOf('implicit', 'explicit')(given.mode, `${at}.mode`);
  if (mode === 'explicit') return { mode, table: map(publicPath, entry, siteFilesMax)(given.replace, `${at}.replace`) };
  if (given.replace !== undefined) throw invalid(`${at}.replace`, 'goes with the mode explicit alone');
  return { mode };
};

const catalogueKey = matching(/^[a-z][a-z0-9_-]{0,63}$/);

const embedding: Read<readonly string[] | null> = (value, at) => {
  if (value === null) return null;
  const given = object(value, at, ['frame_ancestors']);
  return distinct(list(catalogueKey, { max: 100 }))(given.frame_ancestors, `${at}.frame_ancestors`).sort();
};

/** Contract 03, section 2.11.7. */
export const site: Read<Pick<ReleaseSpec, 'site' | 'publicPaths' | 'frameAncestors'>> = (value, at) => {
  const given = object(value, at, ['replace', 'patch', 'public_paths', 'embedding']);
  if (given.replace !== undefined && given.patch !== undefined)
    throw invalid(`${at}.patch`, 'cannot go together with replace');
  const replace = optional(files)(given.replace, `${at}.replace`);
  return {
    site: replace === undefined ? optional(patch)(given.patch, `${at}.patch`) : { kind: 'replace', entries: replace },
    publicPaths: optional(publicPaths)(given.public_paths, `${at}.public_paths`),
    frameAncestors: optional(embedding)(given.embedding, `${at}.embedding`),
  };
};
