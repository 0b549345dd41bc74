import type { SiteQuery } from './site.graphql.ts';

export type Project = NonNullable<SiteQuery['project']>;

/** Whence a public path is. */
type Authority = 'implicit_file_path' | 'explicit_public_path' | 'route_static_alias';

/** A path of the site that the public may ask for. */
export interface PublicPath {
  readonly public_path: string;
  readonly asset_path: string;
  readonly reachability_authority: Authority;
  readonly cache_class: string;
  readonly content_type: string;
}

export interface Route {
  readonly pattern: string;
  readonly methods: readonly string[] | null;
  readonly target:
    | { readonly type: 'function'; readonly name: string }
    | { readonly type: 'static'; readonly file: string };
}

export interface SiteFile {
  readonly path: string;
  readonly content_sha256: string;
  readonly content_type: string;
}

/** What the live release holds, as the gateway tells it. */
export interface Inventory {
  readonly operation_id: string | null;
  readonly site: { readonly paths: readonly SiteFile[] };
  readonly static_public_paths: readonly PublicPath[];
  readonly routes: { readonly entries: readonly Route[] };
}

/** What the live release holds; undefined for a project without one. */
export const inventoryOf = ({ activeRelease }: Project): Inventory | undefined =>
  activeRelease?.releaseId == null ? undefined : (activeRelease.inventory as unknown as Inventory);

/** Where the site is found: at its name, or at the host that it has from the start. */
export const addressOf = ({ siteUrl, hostUrl }: Project): string => siteUrl ?? hostUrl;

export const authorityNames: Readonly<Record<Authority, string>> = {
  implicit_file_path: 'its file path',
  explicit_public_path: 'the list of public paths',
  route_static_alias: 'a route',
};

const cacheNames: Readonly<Record<string, string>> = {
  immutable_versioned: 'kept for a year',
  html: 'checked on every visit',
  revalidating_asset: 'checked on every visit',
};

/** How browsers keep a file, in words. */
export const cacheName = (cacheClass: string): string => cacheNames[cacheClass] ?? cacheClass;
