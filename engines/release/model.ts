/** Bytes by their SHA-256 (64 lower-case hex digits) and length. */
export interface ContentRef {
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
}

/** A file of a site, by its path. */
export interface SiteFile extends ContentRef {
  readonly contentType: string;
  /** Nobody declared the type: it is the one of the extension. */
  readonly inferred: boolean;
}

/** How long a browser may keep a file. Unknown classes are kept as they were given, and served as `revalidating_asset`. */
export type CacheClass = 'html' | 'immutable_versioned' | 'revalidating_asset' | (string & {});

/** Whence a file's cache class is. */
export type CacheClassSource = 'declared' | 'inferred_html' | 'inferred_sha_filename' | 'downgraded' | 'legacy';

/** Which files of a site have URLs: those of their names, or a table's alone. */
export type PublicPaths =
  | { readonly mode: 'implicit' }
  | {
      readonly mode: 'explicit';
      /** By public path. */
      readonly table: ReadonlyMap<string, { readonly asset: string; readonly cacheClass?: CacheClass }>;
    };

/** Who said that a file is public. */
export type Reachability = 'implicit_file_path' | 'explicit_public_path' | 'route_static_alias';

/** A file at a public path. */
export interface StaticFile extends ContentRef {
  readonly contentType: string;
  readonly cacheClass: CacheClass;
  readonly cacheClassSource: CacheClassSource;
  /** Its path in the site. */
  readonly assetPath: string;
  readonly authority: Reachability;
  /** Served at this path as such; false where only a route's alias leads to it. */
  readonly direct: boolean;
  /** The pattern of the route whose alias it is. */
  readonly routeId?: string;
  readonly methods?: readonly string[];
}

/** What a host serves without a function. Contract 03, section 2.11.8. */
export interface StaticManifest {
  readonly mode: PublicPaths['mode'];
  /** By public path, in canonical form. */
  readonly files: ReadonlyMap<string, StaticFile>;
  /** The public path of the file that answers what nothing else does. */
  readonly spaFallback: string | null;
}

export type RouteTarget =
  | { readonly type: 'function'; readonly name: string }
  | { readonly type: 'static'; readonly file: string };

/** A price of each call of a routed function. */
export interface RoutePricing {
  readonly mode: 'always';
  readonly amountUsdMicros: number;
  readonly payTo: 'org_default_payout';
  readonly networks: readonly ('mainnet' | 'testnet')[];
  readonly receipt?: 'on_fulfillment';
}

export interface RouteEntry {
  readonly pattern: string;
  readonly kind: 'exact' | 'prefix';
  /** The pattern without its `*`. */
  readonly prefix: string | null;
  /** Null: all. */
  readonly methods: readonly string[] | null;
  readonly target: RouteTarget;
  readonly pricing?: RoutePricing;
  readonly acknowledgeReadonly?: true;
}

/** What starts a run of a function. */
export interface FunctionTrigger {
  readonly id: string;
  readonly type: 'schedule' | 'email';
  readonly cron?: string;
  readonly timezone?: string;
  readonly mailbox?: string;
  readonly events?: readonly string[];
  readonly run: {
    readonly eventType: string;
    readonly payload: Readonly<Record<string, unknown>>;
    readonly retry?: Readonly<Record<string, unknown>>;
    readonly expiresAfterSeconds?: number;
  };
}

/** Who may call a function: users with a role that the project's own table tells. */
export interface RoleGate {
  readonly table: string;
  readonly idColumn: string;
  readonly roleColumn: string;
  readonly allowed: readonly string[];
  /** In seconds. */
  readonly cacheTtl: number;
  readonly onDeny: 'envelope' | 'redirect';
  readonly signInPath: string | null;
}

export interface ReleasedFunction {
  readonly runtime: 'node22';
  /** By path; one entry for a function of one file. */
  readonly files: ReadonlyMap<string, ContentRef>;
  readonly entrypoint: string;
  /** SHA-256 of the source, or of the canonical map of its files. */
  readonly codeHash: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly schedule: string | null;
  readonly deps: readonly string[];
  readonly triggers: readonly FunctionTrigger[];
  readonly requireAuth: boolean;
  readonly requireRole: RoleGate | null;
  readonly class: 'standard' | 'ssr';
  readonly capabilities: readonly string[];
}

/** A change of a project's schema, run once. */
export interface Migration {
  readonly id: string;
  /** SHA-256 of its SQL. */
  readonly checksum: string;
  readonly transaction: 'required' | 'none';
}

export interface I18n {
  readonly defaultLocale: string;
  readonly locales: readonly string[];
  /** `accept-language` and `cookie:<name>`, in the order in which they are asked. */
  readonly detect: readonly string[];
  readonly unknownLocalePolicy: 'reject' | 'pass-through';
}

/** All that a release is: what a project serves, and what it needs for it. Contract 03, section 2.12. */
export interface ReleaseState {
  readonly site: ReadonlyMap<string, SiteFile>;
  readonly publicPaths: PublicPaths;
  readonly manifest: StaticManifest;
  readonly functions: ReadonlyMap<string, ReleasedFunction>;
  /** Sorted. */
  readonly secretKeys: readonly string[];
  /** Names below the platform's domain, sorted. */
  readonly subdomains: readonly string[];
  /** In the order in which they are matched. */
  readonly routes: readonly RouteEntry[];
  /** In the order in which they were run. */
  readonly migrations: readonly Migration[];
  /** The expose manifest as it was given; null: none was deployed. */
  readonly expose: Readonly<Record<string, unknown>> | null;
  readonly i18n: I18n | null;
  /** Keys of the catalogue of origins that may embed the site; null: none may. */
  readonly frameAncestors: readonly string[] | null;
}

/** The release of a project that has none. */
export const emptyRelease: ReleaseState = {
  site: new Map(),
  publicPaths: { mode: 'implicit' },
  manifest: { mode: 'implicit', files: new Map(), spaFallback: null },
  functions: new Map(),
  secretKeys: [],
  subdomains: [],
  routes: [],
  migrations: [],
  expose: null,
  i18n: null,
  frameAncestors: null,
};
