import { createHash } from 'node:crypto';
import { z } from 'zod';
import { cacheControlOf } from '../../engines/hosting/cache-headers.ts';
import type { Diagnosis } from '../../engines/hosting/diagnose.ts';
import { isPackable, packedFrom } from '../../engines/hosting/encoding.ts';
import type { StaticFile } from '../../engines/release/model.ts';
import { routeTargetWire } from '../../engines/release/wire.ts';
import type { Site } from './live-sites.ts';

/** What a public address answers. */
export interface HostResolution {
  readonly hostname: string;
  /** Undefined for a host that is nobody's, or not for the caller to know of. */
  readonly bound?: {
    readonly projectId: string;
    /** The host is one deployment's own. */
    readonly isPreview: boolean;
    /** Nothing is served of a project that is put away. */
    readonly isArchived: boolean;
    readonly site: Site | null;
    readonly diagnosis: Diagnosis;
  };
}

const text = z.string().nullable();

/** Contract 03, section 2.10. */
export const hostResolutionWire = z
  .object({
    hostname: z.string(),
    host_binding_id: text,
    binding_status: text,
    project_id: text,
    channel: text,
    release_id: text,
    release_generation: z.int().nullable(),
    route_manifest_sha256: text,
    static_manifest_sha256: text,
    static_manifest_metadata: z.null(),
    normalized_path: text,
    match: z.string(),
    route: z
      .object({ pattern: z.string(), methods: z.array(z.string()).nullable(), target: routeTargetWire })
      .nullable(),
    asset_path: text,
    reachability_authority: text,
    direct: z.boolean().nullable(),
    static_sha256: text,
    content_type: text,
    cache_class: text,
    cache_policy: text,
    authorization_result: z.string(),
    cas_object: z
      .object({
        sha256: z.string(),
        exists: z.boolean(),
        expected_size: z.int(),
        actual_size: z.int().nullable(),
      })
      .nullable(),
    response_variant: z
      .object({
        kind: z.string(),
        varies_by: z.array(z.string()),
        hostname: z.string(),
        release_id: z.string(),
        release_generation: z.int().nullable(),
        path: z.string(),
        raw_static_sha256: z.string(),
        variant_inputs_hash: z.string(),
      })
      .nullable(),
    allow: z.array(z.string()).nullable(),
    route_pattern: text,
    target_type: z.enum(['function', 'static']).nullable(),
    target_name: text,
    target_file: text,
    authorized: z.boolean(),
    fallback_state: z.string(),
    error_code: text,
    legacy_immutable_risk: z.array(z.string()),
    emergency_fallback: z.null(),
    edge_propagation: z.null(),
    result: z.int().describe('The status that the request gets.'),
  })
  .meta({ id: 'HostResolution' });

type Wire = z.output<typeof hostResolutionWire>;

const nothing = {
  host_binding_id: null,
  binding_status: null,
  project_id: null,
  channel: null,
  release_id: null,
  release_generation: null,
  route_manifest_sha256: null,
  static_manifest_sha256: null,
  static_manifest_metadata: null,
  normalized_path: null,
  match: 'host_missing',
  route: null,
  asset_path: null,
  reachability_authority: null,
  direct: null,
  static_sha256: null,
  content_type: null,
  cache_class: null,
  cache_policy: null,
  authorization_result: 'not_applicable',
  cas_object: null,
  response_variant: null,
  allow: null,
  route_pattern: null,
  target_type: null,
  target_name: null,
  target_file: null,
  authorized: false,
  fallback_state: 'unavailable',
  error_code: 'HOST_NOT_FOUND',
  legacy_immutable_risk: [],
  emergency_fallback: null,
  edge_propagation: null,
  result: 404,
} satisfies Omit<Wire, 'hostname'>;

/** What every request gets for a project that is put away. */
const archived = { binding_status: 'archived', authorized: false, error_code: 'FORBIDDEN', result: 403 };

const fileToWire = ({ assetPath, authority, direct, sha256, contentType, cacheClass }: StaticFile) => ({
  asset_path: assetPath,
  reachability_authority: authority,
  direct,
  static_sha256: sha256,
  content_type: contentType,
  cache_class: cacheClass,
  cache_policy: cacheControlOf(cacheClass),
});

/** A file that is packed as its reader takes it has several forms at one address. */
function variantToWire(hostname: string, site: Site, path: string, file: StaticFile): Wire['response_variant'] {
  if (!isPackable(file.contentType) || file.size < packedFrom) return null;
  const { releaseId, generation } = site;
  const inputs = JSON.stringify([hostname, releaseId, generation, path, file.sha256]);
  return {
    kind: 'content_encoding',
    varies_by: ['accept-encoding'],
    hostname,
    release_id: releaseId,
    release_generation: generation,
    path,
    raw_static_sha256: file.sha256,
    variant_inputs_hash: createHash('sha256').update(inputs).digest('hex'),
  };
}

export function hostResolutionToWire({ hostname, bound }: HostResolution): Wire {
  if (bound === undefined) return { ...nothing, hostname };
  const { site, diagnosis } = bound;
  const { resolution, object } = diagnosis;
  const { route, file, path, functionName } = resolution;
  return {
    ...nothing,
    hostname,
    host_binding_id: hostname,
    binding_status: 'active',
    project_id: bound.projectId,
    channel: bound.isPreview ? 'preview' : 'production',
    ...(site === null
      ? {}
      : {
          release_id: site.releaseId,
          release_generation: site.generation,
          route_manifest_sha256: site.routesSha256,
          static_manifest_sha256: site.staticSha256,
        }),
    normalized_path: path,
    match: resolution.match,
    route: route === null ? null : { pattern: route.pattern, methods: copyOf(route.methods), target: route.target },
    ...(file === null ? {} : fileToWire(file)),
    authorization_result: diagnosis.authorization,
    cas_object:
      file === null || object === undefined
        ? null
        : {
            sha256: file.sha256,
            exists: object.actualSize !== null,
            expected_size: file.size,
            actual_size: object.actualSize,
          },
    response_variant:
      file === null || site === null || path === null ? null : variantToWire(hostname, site, path, file),
    allow: copyOf(resolution.allow),
    route_pattern: route?.pattern ?? null,
    target_type: functionName !== null ? 'function' : (route?.target.type ?? (file === null ? null : 'static')),
    target_name: functionName ?? (route?.target.type === 'function' ? route.target.name : null),
    target_file: file?.assetPath ?? null,
    authorized: diagnosis.authorized,
    fallback_state: diagnosis.fallback,
    error_code: diagnosis.error,
    result: diagnosis.result,
    ...(bound.isArchived ? archived : {}),
  };
}

const copyOf = (list: readonly string[] | null): string[] | null => (list === null ? null : [...list]);
