import { createHash } from 'node:crypto';
import {
  type BypassReason,
  bypassOfRequest,
  freshnessOf,
  type Header,
  type RenderedPage,
} from '../../../engines/page-cache/cacheable.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { findPageStatement, firstGenerationStatement, keepPageStatement } from './page-rows.ts';

declare module '../../../kernel/run/context.ts' {
  interface Services {
    /** Pages that functions of the class `ssr` have rendered. */
    readonly pageCache: PageCache;
  }
}

/** What a page is kept under. Contract 03, section 3.8. */
export interface PageAddress {
  readonly orgId: string;
  readonly projectId: string;
  /** In lower case, without a port. */
  readonly host: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** Empty for a release without locales. */
  readonly locale: string;
  readonly releaseId: string;
  /** Of the project while the release is live; null for a release that is shown by its own host. */
  readonly releaseGeneration: number | null;
}

/** What of a request decides whether a cache may answer it. */
export interface PageRequest {
  readonly method: string;
  readonly headers: { readonly authorization?: string | undefined };
  /** The route has a gate, or the visitor is signed in, or pays. */
  readonly usesAuth: boolean;
}

/** A page that is answered again. */
export interface CachedPage {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Buffer;
}

/** A page that is not there: whoever makes it hands it in. */
export interface PageMiss {
  readonly address: PageAddress & { readonly releaseGeneration: number };
  /** The generation of the host when the page began to be made; null while nothing was ever kept for it. */
  readonly generation: bigint | null;
}

/** What an answer says of the cache. Contract 03, section 3.8. */
export type CacheHeaders = Readonly<Partial<Record<`x-svc-cache${'' | '-age' | '-reason'}`, string>>>;

export type PageLookup =
  | { readonly found: 'hit'; readonly page: CachedPage; readonly headers: CacheHeaders }
  | { readonly found: 'miss'; readonly miss: PageMiss }
  | { readonly found: 'bypass'; readonly headers: CacheHeaders };

const bypass = (reason: BypassReason): CacheHeaders => ({ 'x-svc-cache': 'BYPASS', 'x-svc-cache-reason': reason });

/** The name of a page among those of its project. */
export const pageKeyOf = ({
  host,
  target,
  locale,
  releaseId,
}: Omit<PageAddress, 'releaseGeneration' | 'orgId' | 'projectId'>) =>
  createHash('sha256')
    .update(JSON.stringify([host, target, locale, releaseId]))
    .digest('hex');

/**
 * Keeps rendered pages in the database, so that all nodes answer the same and an invalidation holds everywhere at once. A
 * handler calls {@link look} first, and on a miss {@link keep} with what it has made.
 */
export class PageCache {
  readonly #db: Pick<Services['db'], 'rows'>;

  constructor(db: Pick<Services['db'], 'rows'>) {
    this.#db = db;
  }

  /** The page that answers a request, or what is needed to keep the one that is made for it. */
  async look(address: PageAddress, request: PageRequest): Promise<PageLookup> {
    const reason = bypassOfRequest(request.method, request.headers, request.usesAuth);
    if (reason !== undefined) return { found: 'bypass', headers: bypass(reason) };
    const { releaseGeneration, orgId, projectId, host } = address;
    if (releaseGeneration === null) return { found: 'bypass', headers: bypass('preview') };
    const [row] = await this.#db.rows(
      findPageStatement.with({
        orgId,
        projectId,
        host,
        key: pageKeyOf(address),
        releaseGeneration: BigInt(releaseGeneration),
      }),
    );
    const { status = null, headers = null, body = null, age = null, hostGeneration = null } = row ?? {};
    if (status === null)
      return { found: 'miss', miss: { address: { ...address, releaseGeneration }, generation: hostGeneration } };
    return {
      found: 'hit',
      page: { status, headers: headers!, body: body! },
      headers: { 'x-svc-cache': 'HIT', 'x-svc-cache-age': String(Math.max(0, Math.floor(age!))) },
    };
  }

  /**
   * Keeps what was made for a miss, where it may be: not when the host was invalidated or another release went live since.
   *
   * @returns what the answer says of it
   */
  async keep({ address, generation }: PageMiss, page: RenderedPage): Promise<CacheHeaders> {
    const freshness = freshnessOf(page);
    if ('reason' in freshness) return bypass(freshness.reason);
    const { orgId, projectId, host, target, locale, releaseId, releaseGeneration } = address;
    if (generation === null) await this.#db.rows(firstGenerationStatement.with({ orgId, projectId, host }));
    const body = Buffer.from(page.body);
    const kept = await this.#db.rows(
      keepPageStatement.with({
        orgId,
        projectId,
        key: pageKeyOf(address),
        host,
        target,
        locale,
        releaseId,
        releaseGeneration: BigInt(releaseGeneration),
        generation: generation ?? 0n,
        status: page.status,
        headers: JSON.stringify(page.headers),
        body,
        bytes: body.length,
        sha256: createHash('sha256').update(body).digest('hex'),
        seconds: freshness.seconds,
      }),
    );
    return kept.length === 0 ? bypass('superseded') : { 'x-svc-cache': 'MISS' };
  }
}
