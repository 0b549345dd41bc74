import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { onNamedOrOwnProject, type ProjectScope } from '../../kernel/access/access.ts';
import type { Context } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { findHost } from '../hosts/shared/find-host.ts';
import { findAsset, ofProject } from './asset.ts';
import { findBlob } from './served-blob.ts';
import { assetActions } from './shared/actions.ts';

/** What an address of an asset serves, and what it should. */
export interface AssetDiagnosis {
  readonly projectId: string;
  readonly key: string;
  readonly expected: string | null;
  readonly observed: string | null;
  readonly canonicalUrl: string;
  readonly kind: 'blob-mutable' | 'blob-immutable';
  readonly isPrivate: boolean;
  readonly observedAt: Date;
}

/** Any text may be an address that the project does not have. */
export const publicUrl = z
  .string()
  .min(1)
  .max(4_096)
  .describe('Address of an asset, `https://…/_blob/…`.')
  .meta({ examples: ['https://pr-abc.example.com/_blob/images/logo.png'] });

/** `GET /storage/v1/blobs/diagnose`. Contract 03, section 4.5. */
export const diagnoseAssetUrl = query({
  name: 'assets.diagnoseUrl',
  tool: 'diagnose_public_url',
  command: 'assets diagnose',
  summary: 'What an address of an asset serves, against what the project has under its key.',
  access: onNamedOrOwnProject(assetActions['project:assets:read']),
  input: z.object({ ...ofProject, url: publicUrl }),
  handler: (ctx, { url }): Promise<AssetDiagnosis> => diagnose(ctx, url),
  wire: z.object({
    project_id: z.string(),
    key: z.string(),
    expected_sha256: z.string().nullable(),
    observed_sha256: z.string().nullable(),
    vantage: z.string(),
    probe_method: z.literal('GET_RANGE_0_0'),
    accept_encoding: z.string(),
    observed_at: z.iso.datetime(),
    probe_may_have_warmed_cache: z.boolean(),
    canonical_url: z.string(),
    path_kind: z.enum(['blob-mutable', 'blob-immutable']),
    cache: z.object({
      x_cache: z.string().nullable(),
      age_seconds: z.number().nullable(),
      cache_kind: z.string().nullable(),
    }),
    invalidation: z.object({ id: z.string().nullable(), status: z.string().nullable() }),
    hint: z.string(),
  }),
  toWire: (found) => ({
    project_id: found.projectId,
    key: found.key,
    expected_sha256: found.expected,
    observed_sha256: found.observed,
    vantage,
    probe_method: 'GET_RANGE_0_0' as const,
    accept_encoding: 'identity',
    observed_at: found.observedAt.toISOString(),
    probe_may_have_warmed_cache: true,
    canonical_url: found.canonicalUrl,
    path_kind: found.kind,
    cache: {
      x_cache: null,
      age_seconds: null,
      cache_kind: found.observed === null ? null : found.kind.replace('blob-', ''),
    },
    invalidation: { id: null, status: null },
    hint: hintOf(found),
  }),
});

/** Who looked: the gateway has no edge of its own, so nobody stands between it and its store. */
export const vantage = 'gateway';

const hintOf = ({ expected, observed, isPrivate, kind }: AssetDiagnosis): string => {
  if (isPrivate) return 'The asset is private: it is served by signed addresses alone.';
  if (observed === null) return 'Nothing is served there: no asset of the project has this key or version.';
  if (expected === null)
    return 'The asset was deleted; this address of one of its versions serves until its bytes are removed.';
  if (kind === 'blob-immutable' && observed !== expected)
    return 'An earlier version is served, for good: that is what this address is for. The key has newer bytes.';
  return 'What the project has is served.';
};

/** @throws HOST_NOT_FOUND for an address that is not the project’s, VALIDATION_FAILED for one of no asset */
export async function diagnose(
  { services, org, project }: Context & ProjectScope,
  address: string,
): Promise<AssetDiagnosis> {
  const url = URL.parse(address);
  const hosted = url === null ? undefined : await findHost(services, url.hostname.toLowerCase(), () => undefined);
  if (url === null || hosted?.projectId !== project.id)
    throw new ServiceError('HOST_NOT_FOUND', { details: { host: url?.hostname ?? address.slice(0, 256) } });
  if (!url.pathname.startsWith('/_blob/')) throw invalidField('url', 'must be an address below /_blob/');
  const path = decodedPath(url.pathname.slice('/_blob/'.length));
  const owner = { orgId: org.id, projectId: project.id };
  const blob = await findBlob(services, owner, path);
  const key = blob?.key ?? path;
  const asset = await findAsset(services.db.rows, owner, key);
  const isPrivate = blob?.visibility === 'private';
  return {
    projectId: project.id,
    key,
    expected: asset?.sha256 ?? null,
    observed: blob === undefined || isPrivate ? null : blob.sha256,
    canonicalUrl: `${url.origin}${url.pathname}`,
    kind: blob?.isVersion === true ? 'blob-immutable' : 'blob-mutable',
    isPrivate,
    observedAt: services.now(),
  };
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    throw new ServiceError('VALIDATION_FAILED', { cause: error, details: { field: 'url' } });
  }
}
