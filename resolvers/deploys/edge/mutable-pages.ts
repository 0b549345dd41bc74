import { Lru } from '../../../core/lru.ts';
import { resolve } from '../../../engines/hosting/resolve.ts';
import { routeTable } from '../../../engines/hosting/route-table.ts';
import type { ReleaseState, StaticFile } from '../../../engines/release/model.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { loadRelease, type ReleaseOwner } from '../release-store.ts';

/** Pages of a release whose addresses another release may answer differently. */
export interface MutablePages {
  /** Those that are asked for first; never all of a large site. */
  readonly first: readonly (Pick<StaticFile, 'sha256' | 'size'> & { readonly path: string })[];
  readonly total: number;
}

/** How many are kept of each release: no probe asks for more of one host. */
export const pagesMax = 32;

const remembered = new WeakMap<Services, Lru<MutablePages>>();

/** The pages of a release that a probe asks for. A release never changes, so they are found once. */
export async function mutablePages(services: Services, owner: ReleaseOwner, releaseId: string): Promise<MutablePages> {
  let known = remembered.get(services);
  if (known === undefined) remembered.set(services, (known = new Lru({ entries: 1_000, bytes: 16 * 1024 * 1024 })));
  const found = known.get(releaseId);
  if (found !== undefined) return found;
  const pages = pagesOf(await loadRelease(services.db.rows, owner, releaseId));
  known.set(releaseId, pages, 256 + pages.first.reduce((sum, { path }) => sum + path.length * 2 + 256, 0));
  return pages;
}

/** The page of the root comes first, then other pages, then what else may change. */
const rankOf = (path: string, { cacheClass }: StaticFile): number => (path === '/' ? 0 : cacheClass === 'html' ? 1 : 2);

function pagesOf({ manifest, routes }: ReleaseState): MutablePages {
  const { files, mode, spaFallback } = manifest;
  const release = { routes: routeTable(routes), mode, spaFallback, files };
  const all = [...files].filter(([, file]) => file.cacheClass !== 'immutable_versioned');
  all.sort(([one, a], [other, b]) => rankOf(one, a) - rankOf(other, b) || (one < other ? -1 : 1));
  const first = [];
  for (const [path, file] of all) {
    if (first.length === pagesMax) break;
    // A route may answer in a file's place.
    const sent = encodeURI(path).replaceAll(/[?#]/g, encodeURIComponent);
    const answer = resolve(release, 'GET', sent);
    if (answer.status === 200 && answer.file?.sha256 === file.sha256)
      first.push({ path: sent, sha256: file.sha256, size: file.size });
  }
  return { first, total: all.length };
}
