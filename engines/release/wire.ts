import { z } from 'zod';
import type { ReleaseDiff } from './diff.ts';
import { routesDigest } from './digests.ts';
import type { ReleaseState, RouteEntry } from './model.ts';
import type { ReleasePlan } from './plan-release.ts';
import type { Warning } from './warnings/warning.ts';

/** Version of the shapes below, as clients know it. */
export const shapesVersion = 'agent-deploy-observability.v1' as const;

const names = { added: z.array(z.string()), removed: z.array(z.string()) };
const totals = z.object({ added: z.int(), removed: z.int(), changed: z.int() }).optional();

export const warningWire = z
  .object({
    code: z.string(),
    severity: z.enum(['info', 'warn', 'high']),
    requires_confirmation: z.boolean(),
    message: z.string(),
    affected: z.array(z.string()).optional(),
    details: z.record(z.string(), z.unknown()).optional(),
    confidence: z.literal('heuristic').optional(),
  })
  .meta({ id: 'DeployWarning' });

export const routeTargetWire = z.union([
  z.object({ type: z.literal('function'), name: z.string() }),
  z.object({ type: z.literal('static'), file: z.string() }),
]);

export const routeWire = z
  .object({
    pattern: z.string(),
    kind: z.enum(['exact', 'prefix']),
    prefix: z.string().nullable(),
    methods: z.array(z.string()).nullable(),
    target: routeTargetWire,
    pricing: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'RouteEntry' });

/** The buckets of a diff. Contract 03, section 2.3. */
export const diffShape = {
  site: z.object({
    added: z.array(z.object({ path: z.string(), sha256: z.string(), content_type: z.string() })),
    removed: z.array(z.string()),
    changed: z.array(
      z
        .object({
          path: z.string(),
          sha256_old: z.string(),
          sha256_new: z.string(),
          content_type_old: z.string(),
          content_type_new: z.string(),
          content_type_inferred: z.literal(true).optional(),
        })
        .meta({ id: 'SiteDiff' }),
    ),
    totals,
  }),
  functions: z.object({
    ...names,
    changed: z.array(z.object({ name: z.string(), fields_changed: z.array(z.string()) })),
  }),
  secrets: z.object(names),
  subdomains: z.object(names),
  routes: z
    .object({
      manifest_sha256_old: z.string().nullable(),
      manifest_sha256_new: z.string().nullable(),
      added: z.array(routeWire),
      removed: z.array(routeWire),
      changed: z.array(
        z.object({ pattern: z.string(), before: routeWire, after: routeWire, fields_changed: z.array(z.string()) }),
      ),
    })
    .meta({ id: 'RoutesDiff' }),
  static_assets: z
    .object({
      unchanged: z.int(),
      changed: z.int(),
      added: z.int(),
      removed: z.int(),
      newly_uploaded_cas_bytes: z.int(),
      reused_cas_bytes: z.int(),
      deployment_copy_bytes_eliminated: z.int(),
      legacy_immutable_warnings: z.array(z.record(z.string(), z.unknown())),
      previous_immutable_failures: z.array(
        z.object({ path: z.string(), previous_sha256: z.string(), candidate_sha256: z.string() }),
      ),
      cas_authorization_failures: z.array(z.string()),
    })
    .meta({ id: 'StaticAssetsDiff' }),
  /** Settings that are different and that no bucket shows. */
  settings: z.object({ changed: z.array(z.string()) }),
};

export const warningToWire = (one: Warning): z.output<typeof warningWire> => ({
  code: one.code,
  severity: one.severity,
  requires_confirmation: one.requiresConfirmation,
  message: one.message,
  ...(one.affected === undefined ? {} : { affected: [...one.affected] }),
  ...(one.details === undefined ? {} : { details: { ...one.details } }),
  ...(one.confidence === undefined ? {} : { confidence: one.confidence }),
});

export const routeToWire = (one: RouteEntry): z.output<typeof routeWire> => ({
  pattern: one.pattern,
  kind: one.kind,
  prefix: one.prefix,
  methods: one.methods === null ? null : [...one.methods],
  target: one.target,
  ...(one.pricing === undefined
    ? {}
    : {
        pricing: {
          mode: one.pricing.mode,
          amount_usd_micros: one.pricing.amountUsdMicros,
          pay_to: one.pricing.payTo,
          networks: one.pricing.networks,
          ...(one.pricing.receipt === undefined ? {} : { receipt: one.pricing.receipt }),
        },
      }),
});

/**
 * A diff as clients know it.
 *
 * @param most entries of each bucket of the site
 * @param content of a plan: what is uploaded for it, and what is there
 */
export function diffToWire(
  { site, functions, secrets, subdomains, routes, static: files, settings }: ReleaseDiff,
  most: number,
  content: ReleasePlan['content'] = [],
) {
  const cut = <Entry>(list: readonly Entry[]): Entry[] => list.slice(0, most);
  const isCut = [site.added, site.removed, site.changed].some(({ length }) => length > most);
  const list = ({ added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] }) => ({
    added: [...added],
    removed: [...removed],
  });
  const bytes = (present: boolean) => content.reduce((sum, one) => (one.present === present ? sum + one.size : sum), 0);
  return {
    site: {
      added: cut(site.added).map(({ path, sha256, contentType }) => ({ path, sha256, content_type: contentType })),
      removed: cut(site.removed),
      changed: cut(site.changed).map((one) => ({
        path: one.path,
        sha256_old: one.sha256Old,
        sha256_new: one.sha256New,
        content_type_old: one.contentTypeOld,
        content_type_new: one.contentTypeNew,
        ...(one.inferred ? { content_type_inferred: true as const } : {}),
      })),
      ...(isCut
        ? { totals: { added: site.added.length, removed: site.removed.length, changed: site.changed.length } }
        : {}),
    },
    functions: {
      ...list(functions),
      changed: functions.changed.map(({ name, fieldsChanged }) => ({ name, fields_changed: [...fieldsChanged] })),
    },
    secrets: list(secrets),
    subdomains: list(subdomains),
    routes: {
      manifest_sha256_old: routes.digestOld,
      manifest_sha256_new: routes.digestNew,
      added: routes.added.map(routeToWire),
      removed: routes.removed.map(routeToWire),
      changed: routes.changed.map(({ pattern, before, after, fieldsChanged }) => ({
        pattern,
        before: routeToWire(before),
        after: routeToWire(after),
        fields_changed: [...fieldsChanged],
      })),
    },
    static_assets: {
      unchanged: files.unchanged,
      changed: files.changed,
      added: files.added,
      removed: files.removed,
      newly_uploaded_cas_bytes: bytes(false),
      reused_cas_bytes: bytes(true),
      deployment_copy_bytes_eliminated: files.unchangedBytes,
      legacy_immutable_warnings: [],
      previous_immutable_failures: files.immutableChanges.map((one) => ({
        path: one.path,
        previous_sha256: one.previousSha256,
        candidate_sha256: one.candidateSha256,
      })),
      cas_authorization_failures: [],
    },
    settings: { changed: [...settings] },
  };
}

export const manifestMetadataWire = z
  .object({
    file_count: z.int(),
    total_bytes: z.int(),
    cache_classes: z.record(z.string(), z.int()),
    cache_class_sources: z.record(z.string(), z.int()),
    spa_fallback: z.string().nullable(),
  })
  .nullable();

/** What of an inventory a release itself says. Contract 03, section 2.8. */
export const inventoryShape = {
  static_manifest_metadata: manifestMetadataWire,
  site: z.object({
    paths: z.array(z.object({ path: z.string(), content_sha256: z.string(), content_type: z.string() })),
    totals: z.object({ paths: z.int() }).optional(),
  }),
  static_public_paths: z.array(
    z.object({
      public_path: z.string(),
      asset_path: z.string(),
      reachability_authority: z.enum(['implicit_file_path', 'explicit_public_path', 'route_static_alias']),
      direct: z.boolean(),
      cache_class: z.string(),
      content_type: z.string(),
      route_id: z.string().optional(),
      methods: z.array(z.string()).optional(),
    }),
  ),
  functions: z.array(
    z.object({
      name: z.string(),
      code_hash: z.string(),
      runtime: z.string(),
      timeout_seconds: z.int(),
      memory_mb: z.int(),
      schedule: z.string().nullable(),
    }),
  ),
  secrets: z.object({ keys: z.array(z.string()) }),
  subdomains: z.object({ names: z.array(z.string()) }),
  routes: z.object({ manifest_sha256: z.string().nullable(), entries: z.array(routeWire) }),
  i18n: z.object({ defaultLocale: z.string(), locales: z.array(z.string()), detect: z.array(z.string()) }).nullable(),
  embedding: z.object({ frame_ancestors: z.array(z.string()) }).nullable(),
};

const count = (values: Iterable<string>): Record<string, number> => {
  // Classes have names of a client's choice, `constructor` among them.
  const found = new Map<string, number>();
  for (const one of values) found.set(one, (found.get(one) ?? 0) + 1);
  return Object.fromEntries(found);
};

/** The static manifest in figures; null without files. */
export function manifestMetadata({ manifest }: Pick<ReleaseState, 'manifest'>): z.output<typeof manifestMetadataWire> {
  const files = [...manifest.files.values()];
  if (files.length === 0) return null;
  return {
    file_count: files.length,
    total_bytes: files.reduce((sum, { size }) => sum + size, 0),
    cache_classes: count(files.map(({ cacheClass }) => cacheClass)),
    cache_class_sources: count(files.map(({ cacheClassSource }) => cacheClassSource)),
    spa_fallback: manifest.spaFallback,
  };
}

/** @param siteLimit paths that are shown */
export function inventoryToWire(state: ReleaseState, siteLimit: number) {
  const { site, manifest, functions, routes, i18n, frameAncestors } = state;
  return {
    static_manifest_metadata: manifestMetadata(state),
    site: {
      paths: [...site].slice(0, siteLimit).map(([path, { sha256, contentType }]) => ({
        path,
        content_sha256: sha256,
        content_type: contentType,
      })),
      ...(site.size > siteLimit ? { totals: { paths: site.size } } : {}),
    },
    static_public_paths: [...manifest.files].slice(0, siteLimit).map(([path, file]) => ({
      public_path: path,
      asset_path: file.assetPath,
      reachability_authority: file.authority,
      direct: file.direct,
      cache_class: file.cacheClass,
      content_type: file.contentType,
      ...(file.routeId === undefined ? {} : { route_id: file.routeId, methods: [...(file.methods ?? [])] }),
    })),
    functions: [...functions].map(([name, one]) => ({
      name,
      code_hash: one.codeHash,
      runtime: one.runtime,
      timeout_seconds: one.timeoutSeconds,
      memory_mb: one.memoryMb,
      schedule: one.schedule,
    })),
    secrets: { keys: [...state.secretKeys] },
    subdomains: { names: [...state.subdomains] },
    routes: { manifest_sha256: routesDigest(routes), entries: routes.map(routeToWire) },
    i18n:
      i18n === null
        ? null
        : { defaultLocale: i18n.defaultLocale, locales: [...i18n.locales], detect: [...i18n.detect] },
    embedding: frameAncestors === null ? null : { frame_ancestors: [...frameAncestors] },
  };
}
