import type {
  CacheClass,
  ContentRef,
  FunctionTrigger,
  I18n,
  PublicPaths,
  ReleasedFunction,
  RoleGate,
  RouteEntry,
  SiteFile,
} from '../model.ts';
import type { Json } from './fields.ts';

/** The release that a deploy starts from. */
export type BaseSelector =
  | { readonly kind: 'current' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'release'; readonly releaseId: string };

/** A migration with its SQL, in the specification or uploaded. */
export interface SpecMigration {
  readonly id: string;
  readonly checksum: string;
  readonly transaction: 'required' | 'none';
  readonly sql: string | ContentRef;
}

/** A function as it is named; what is undefined is kept, or has its default. */
export interface SpecFunction {
  readonly code: Pick<ReleasedFunction, 'files' | 'entrypoint' | 'codeHash'> | undefined;
  readonly timeoutSeconds: number | undefined;
  readonly memoryMb: number | undefined;
  readonly schedule: string | null | undefined;
  readonly deps: readonly string[] | undefined;
  readonly triggers: readonly FunctionTrigger[] | undefined;
  readonly requireAuth: boolean | undefined;
  readonly requireRole: RoleGate | null | undefined;
  readonly class: ReleasedFunction['class'] | undefined;
  readonly capabilities: readonly string[] | undefined;
}

/** Either all there is, or what is set and what goes. */
export type Change<Value> =
  | { readonly kind: 'replace'; readonly entries: ReadonlyMap<string, Value> }
  | { readonly kind: 'patch'; readonly set: ReadonlyMap<string, Value>; readonly delete: readonly string[] };

/** Keys that a client was shown before it has them deleted. */
export interface PruneConfirmation {
  readonly baseRevision: string;
  readonly deleteSetDigest: string;
  readonly expectedDeleteCount: number;
}

export interface AssetPut extends ContentRef {
  readonly key: string;
  readonly contentType: string;
  readonly visibility: 'public' | 'private';
  readonly immutable: boolean;
  readonly metadata: Json | null;
  readonly exifPolicy: 'keep' | 'strip';
}

export interface SpecAssets {
  readonly put: readonly AssetPut[];
  readonly delete: readonly string[];
  readonly sync: { readonly prefix: string; readonly confirm: PruneConfirmation | undefined } | undefined;
}

/** A request that a rehearsal makes. */
export interface Check {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly status: readonly number[];
}

/** A specification that was read: every member is what it has to be by itself. Undefined slices are carried forward. */
export interface ReleaseSpec {
  readonly projectId: string;
  readonly base: BaseSelector;
  readonly migrations: readonly SpecMigration[];
  readonly expose: Json | undefined;
  readonly zeroDowntime: boolean;
  readonly secrets: { readonly require: readonly string[]; readonly delete: readonly string[] };
  readonly functions: Change<SpecFunction> | undefined;
  readonly site: Change<SiteFile> | undefined;
  readonly publicPaths: PublicPaths | undefined;
  /** Null: nobody may embed the site. */
  readonly frameAncestors: readonly string[] | null | undefined;
  readonly assets: SpecAssets | undefined;
  readonly subdomains:
    | {
        readonly set: readonly string[] | undefined;
        readonly add: readonly string[];
        readonly remove: readonly string[];
      }
    | undefined;
  readonly routes: readonly RouteEntry[] | undefined;
  /** Null: none any more. */
  readonly i18n: I18n | null | undefined;
  readonly checks: readonly Check[];
}

/** What a public path of the explicit table says. */
export interface PublicPathEntry {
  readonly asset: string;
  readonly cacheClass?: CacheClass;
}
