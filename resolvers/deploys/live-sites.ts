import { ServiceError } from '../../core/errors.ts';
import { Lru } from '../../core/lru.ts';
import { sql } from '../../db/drizzle.ts';
import { projects } from '../../db/schema/projects.ts';
import { liveReleases, releaseParts, releases } from '../../db/schema/releases.ts';
import { orNull, pick, type RowOf, statement, typed } from '../../db/sql.ts';
import { type HostedRelease, lookupPaths } from '../../engines/hosting/resolve.ts';
import { type RouteTable, routeTable } from '../../engines/hosting/route-table.ts';
import type { I18n, ReleasedFunction, RouteEntry, StaticFile } from '../../engines/release/model.ts';
import { partOf, readFilesPart, weightOf } from '../../engines/release/stored.ts';
import type { Services } from '../../kernel/run/context.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** The releases that this node serves. */
    readonly sites: LiveSites;
  }
}

/** A release as a host serves it. */
export interface Site {
  readonly orgId: string;
  readonly projectId: string;
  readonly releaseId: string;
  /** Null for a release that is shown by its own host. */
  readonly generation: number | null;
  readonly staticSha256: string;
  readonly routesSha256: string | null;
  readonly deploymentId: string;
  readonly routes: RouteTable;
  /** The function that renders what no file answers. */
  readonly ssr: string | undefined;
  /** By name. */
  readonly functions: ReadonlyMap<string, SiteFunction>;
  readonly spaFallback: string | null;
  readonly mode: 'implicit' | 'explicit';
  readonly i18n: I18n | null;
  readonly frameAncestors: readonly string[] | null;
  /** Digests of the parts that hold its files. */
  readonly parts: readonly string[];
}

/** A function of a release, as far as calls need it. */
export type SiteFunction = Pick<
  ReleasedFunction,
  'timeoutSeconds' | 'memoryMb' | 'class' | 'capabilities' | 'requireAuth' | 'requireRole'
>;

interface Remembered {
  readonly site: Site | null;
  readonly until: number;
}

type Part = ReadonlyMap<string, StaticFile>;

/** For how long a release is believed to be the live one when no signal says otherwise, in milliseconds. */
const believedMs = 1_000;

/**
 * The releases that this node serves. Which one is live is asked once in a while, and at once when a signal tells that it
 * has changed; what a release holds never changes.
 */
export class LiveSites {
  readonly #db: Pick<Services['db'], 'rows'>;
  readonly #live = new Lru<Remembered>({ entries: 10_000, bytes: 10_000 });
  readonly #sites = new Lru<Site>({ entries: 5_000, bytes: 128 * 1024 * 1024 });
  readonly #parts = new Lru<Part>({ entries: 20_000, bytes: 128 * 1024 * 1024 });
  readonly #asking = new Map<string, Promise<Site | null>>();
  /** Tells the status of a path that the platform answers itself on every host; undefined for a path of the site. */
  platformStatus: (method: string, path: string) => number | undefined = () => undefined;

  constructor(db: Pick<Services['db'], 'rows'>) {
    this.#db = db;
  }

  /** To be told what a feed is called that has moved: that of a project's deploys moves with each release. */
  heard(feed: string): void {
    if (!feed.startsWith('deploys:')) return;
    const projectId = feed.slice(feed.lastIndexOf(':') + 1);
    this.#live.set(projectId, { site: null, until: -Infinity }, 1);
    this.#asking.delete(projectId);
  }

  /** The live release of a project, where this node need not ask; null without one. */
  known(projectId: string): Site | null | undefined {
    const known = this.#live.get(projectId);
    return known !== undefined && known.until > performance.now() ? known.site : undefined;
  }

  /** The live release of a project; null without one. */
  async live(projectId: string): Promise<Site | null> {
    const known = this.known(projectId);
    if (known !== undefined) return known;
    let asking = this.#asking.get(projectId);
    if (asking === undefined) {
      const asked = this.#ask(projectId).then((site) => {
        // A signal that came meanwhile has another one ask.
        if (this.#asking.get(projectId) === asked)
          this.#live.set(projectId, { site, until: performance.now() + believedMs }, 1);
        return site;
      });
      const settled = asked.finally(() => {
        if (this.#asking.get(projectId) === asked) this.#asking.delete(projectId);
      });
      settled.catch(() => undefined);
      this.#asking.set(projectId, asked);
      asking = asked;
    }
    return asking;
  }

  /** A release of a project by its id, as it is shown by itself. */
  async release(orgId: string, releaseId: string): Promise<Site | null> {
    const key = `${orgId} ${releaseId}`;
    const known = this.#sites.get(key);
    if (known !== undefined) return known;
    const [row] = await this.#db.rows(releaseStatement.with({ orgId, id: releaseId }));
    if (row === undefined) return null;
    const site = siteOf({ ...row, orgId });
    this.#sites.set(
      key,
      site,
      2_048 + site.parts.length * 80 + site.routes.exact.size * 512 + site.functions.size * 2_048,
    );
    return site;
  }

  /** A release, with the files that a request for a path may need. @param path as it was sent */
  async filesFor(site: Site, path: string): Promise<HostedRelease> {
    const { routes, ssr, spaFallback, mode, parts } = site;
    const placeOf = (publicPath: string) => partOf(publicPath, parts.length);
    const found = new Map<number, Part>();
    const missing = new Set<number>();
    for (const one of lookupPaths(site, path)) {
      const place = placeOf(one);
      const part = this.#parts.get(parts[place]!);
      if (part === undefined) missing.add(place);
      else found.set(place, part);
    }
    if (missing.size > 0) {
      const read = await this.#readParts(site, [...missing]);
      for (const place of missing) found.set(place, read.get(parts[place]!)!);
    }
    const files = { get: (publicPath: string) => found.get(placeOf(publicPath))?.get(publicPath) };
    return { routes, spaFallback, mode, files, ...(ssr === undefined ? {} : { ssr }) };
  }

  /** Parts by their digest. @throws ROUTE_MANIFEST_LOAD_FAILED */
  async #readParts({ orgId, projectId, parts }: Site, places: readonly number[]): Promise<ReadonlyMap<string, Part>> {
    // Parts without a file are one and the same.
    const digests = [...new Set(places.map((place) => parts[place]!))];
    const rows = await this.#db.rows(partsStatement.with({ orgId, projectId, digests }));
    if (rows.length < digests.length) throw new ServiceError('ROUTE_MANIFEST_LOAD_FAILED', { retryAfter: 1 });
    const read = new Map<string, Part>();
    for (const { digest, bytes } of rows) {
      const part = new Map(readFilesPart(bytes));
      this.#parts.set(digest, part, weightOf(part));
      read.set(digest, part);
    }
    return read;
  }

  async #ask(projectId: string): Promise<Site | null> {
    const [row] = await this.#db.rows(liveStatement.with({ projectId }));
    if (row?.releaseId == null) return null;
    const site = await this.release(row.orgId, row.releaseId);
    return site === null ? null : { ...site, generation: Number(row.generation) };
  }
}

const siteColumns = pick(
  releases,
  'id',
  'projectId',
  'deploymentId',
  'body',
  'fileParts',
  'staticSha256',
  'routesSha256',
);

type SiteRow = RowOf<typeof siteColumns> & { readonly orgId: string };

function siteOf({ id, body, fileParts, ...about }: SiteRow): Site {
  const { routes, functions, spaFallback, mode, i18n, frameAncestors } = body as Pick<
    Site,
    'spaFallback' | 'mode' | 'i18n' | 'frameAncestors'
  > & {
    readonly routes: readonly RouteEntry[];
    readonly functions: readonly (readonly [string, SiteFunction])[];
  };
  const renders = functions.find(([, one]) => one.class === 'ssr' && one.capabilities.includes('astro.ssr.v1'));
  return {
    ...about,
    releaseId: id,
    generation: null,
    routes: routeTable(routes),
    ssr: renders?.[0],
    functions: new Map(functions),
    spaFallback,
    mode,
    i18n,
    frameAncestors,
    parts: fileParts,
  };
}

const liveStatement = statement(
  'hosting.live',
  {
    params: pick(liveReleases, 'projectId'),
    row: { ...pick(projects, 'orgId'), ...orNull(pick(liveReleases, 'releaseId', 'generation')) },
    pipelined: true,
  },
  // Whoever asks may know the organization that had the project a moment ago.
  (given, row) => sql`select ${row} from ${projects} join ${liveReleases} on ${liveReleases.orgId} = ${projects.orgId}
      and ${liveReleases.projectId} = ${projects.id}
    where ${projects.id} = ${given.projectId} and ${projects.deletedAt} is null`,
);

const releaseStatement = statement(
  'hosting.release',
  { params: pick(releases, 'orgId', 'id'), row: siteColumns, pipelined: true },
  (given, row) => sql`select ${row} from ${releases}
    where ${releases.orgId} = ${given.orgId} and ${releases.id} = ${given.id} and ${releases.status} in ('active', 'superseded')`,
);

const partsStatement = statement(
  'hosting.parts',
  {
    params: { ...pick(releaseParts, 'orgId', 'projectId'), digests: typed<readonly string[]>('text[]') },
    row: pick(releaseParts, 'digest', 'bytes'),
    pipelined: true,
  },
  (given, row) => sql`select ${row} from ${releaseParts} where ${releaseParts.orgId} = ${given.orgId}
    and ${releaseParts.projectId} = ${given.projectId} and ${releaseParts.digest} = any(${given.digests}::text[])`,
);
