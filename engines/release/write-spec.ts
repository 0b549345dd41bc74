import { inCodePointOrder } from './canonical-json.ts';
import type { FunctionTrigger, ReleasedFunction, ReleaseState, RoleGate } from './model.ts';
import { routeToWire } from './wire.ts';

type Json = Readonly<Record<string, unknown>>;

const ref = ({ sha256, size }: { readonly sha256: string; readonly size: number }) => ({ sha256, size });

/**
 * The specification that would make a release: for a project without one, whichever it is. Names below the platform's domain
 * stay with the project that has them, and migrations were run: neither is in it.
 */
export function specOf(state: ReleaseState): Json {
  const { site, publicPaths, functions, secretKeys, routes, expose, i18n, frameAncestors } = state;
  return {
    ...(expose === null ? {} : { database: { expose } }),
    ...(secretKeys.length === 0 ? {} : { secrets: { require: secretKeys } }),
    functions: { replace: Object.fromEntries([...functions].map(([name, one]) => [name, functionOf(one)])) },
    site: {
      replace: Object.fromEntries(
        [...site].map(([path, file]) => [path, { ...ref(file), content_type: file.contentType }]),
      ),
      public_paths:
        publicPaths.mode === 'implicit'
          ? { mode: 'implicit' }
          : {
              mode: 'explicit',
              replace: Object.fromEntries(
                [...publicPaths.table].map(([path, { asset, cacheClass }]) => [
                  path,
                  { asset, ...(cacheClass === undefined ? {} : { cache_class: cacheClass }) },
                ]),
              ),
            },
      ...(frameAncestors === null ? {} : { embedding: { frame_ancestors: frameAncestors } }),
    },
    ...(routes.length === 0
      ? {}
      : {
          routes: {
            replace: routes.map((one) => {
              const { pattern, methods, target, pricing } = routeToWire(one);
              return {
                pattern,
                ...(methods === null ? {} : { methods }),
                target,
                ...(pricing === undefined ? {} : { pricing }),
                ...(one.acknowledgeReadonly === true ? { acknowledge_readonly: true } : {}),
              };
            }),
          },
        }),
    ...(i18n === null
      ? {}
      : {
          i18n: {
            default_locale: i18n.defaultLocale,
            locales: i18n.locales,
            detect: i18n.detect,
            unknown_locale_policy: i18n.unknownLocalePolicy,
          },
        }),
  };
}

/** The name that the code of a function of one file has. */
const singleFile = 'index.mjs';

function functionOf(one: ReleasedFunction): Json {
  const only = one.files.size === 1 ? one.files.get(singleFile) : undefined;
  const isSource = only !== undefined && only.sha256 === one.codeHash;
  return {
    runtime: one.runtime,
    ...(isSource
      ? { source: ref(only) }
      : {
          files: Object.fromEntries([...one.files].map(([path, file]) => [path, ref(file)])),
          entrypoint: one.entrypoint,
        }),
    config: { timeout_seconds: one.timeoutSeconds, memory_mb: one.memoryMb },
    schedule: one.schedule,
    deps: one.deps,
    triggers: one.triggers.map(triggerOf),
    require_auth: one.requireAuth,
    require_role: one.requireRole === null ? null : gateOf(one.requireRole),
    class: one.class,
    capabilities: one.capabilities,
  };
}

const triggerOf = ({ id, type, cron, timezone, mailbox, events, run }: FunctionTrigger): Json => ({
  id,
  type,
  ...(type === 'schedule' ? { cron, timezone } : { mailbox, events }),
  run: {
    event_type: run.eventType,
    payload: run.payload,
    ...(run.retry === undefined ? {} : { retry: run.retry }),
    ...(run.expiresAfterSeconds === undefined ? {} : { expires_after_seconds: run.expiresAfterSeconds }),
  },
});

const gateOf = (gate: RoleGate): Json => ({
  table: gate.table,
  id_column: gate.idColumn,
  role_column: gate.roleColumn,
  allowed: gate.allowed,
  cache_ttl: gate.cacheTtl,
  on_deny: gate.onDeny,
  ...(gate.signInPath === null ? {} : { sign_in_path: gate.signInPath }),
});

/** A release that was planned has its files in another order than one that was read. */
const inKeys = <Value>(entries: ReadonlyMap<string, Value>) => inCodePointOrder(entries, ([key]) => key);

/** What a release amounts to, on whatever platform: lists come in the order of their keys. Contract 03, section 2.12. */
export const portableState = (state: ReleaseState): Json => ({
  site: {
    paths: inKeys(state.site).map(([path, { sha256, size, contentType }]) => ({
      path,
      content_sha256: sha256,
      content_type: contentType,
      size_bytes: size,
    })),
  },
  static_manifest: {
    public_path_mode: state.manifest.mode,
    spa_fallback: state.manifest.spaFallback,
    files: inKeys(state.manifest.files).map(([path, file]) => ({
      public_path: path,
      asset_path: file.assetPath,
      content_sha256: file.sha256,
      cache_class: file.cacheClass,
      authority: file.authority,
    })),
  },
  functions: inKeys(state.functions).map(([name, one]) => ({
    name,
    code_hash: one.codeHash,
    runtime: one.runtime,
    timeout_seconds: one.timeoutSeconds,
    memory_mb: one.memoryMb,
    schedule: one.schedule,
    triggers: one.triggers.map(triggerOf),
    deps: one.deps,
    require_auth: one.requireAuth,
    require_role: one.requireRole === null ? null : gateOf(one.requireRole),
    class: one.class,
    capabilities: one.capabilities,
  })),
  secrets: { keys: state.secretKeys },
  subdomains: { names: [] },
  routes: state.routes.map(routeToWire),
  migrations: state.migrations.map(({ id, checksum, transaction }) => ({
    migration_id: id,
    checksum_hex: checksum,
    transaction,
  })),
  i18n: state.i18n,
  embedding: state.frameAncestors === null ? null : { frame_ancestors: state.frameAncestors },
});
