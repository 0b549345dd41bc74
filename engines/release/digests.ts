import { createHash } from 'node:crypto';
import { inCodePointOrder, writeCanonical } from './canonical-json.ts';
import type { ReleaseState, RouteEntry, StaticManifest } from './model.ts';

/** What a digest is of: digests of different things never meet. Contract 03, section 2.13. */
type Identity =
  | 'svc-portable-manifest-v1:'
  | 'svc-materialized-release-v1:'
  | 'svc-evaluated-plan-v1:'
  | 'svc-reviewed-plan-v1:';

/** Characters that are gathered before they are hashed: no text of a whole release is ever in memory. */
const gathered = 65_536;

/** SHA-256 of texts, one after the other. */
function hashOf(identity: Identity | '', write: (emit: (text: string) => void) => void): string {
  const hash = createHash('sha256').update(identity);
  let pending = '';
  write((text) => {
    pending += text;
    if (pending.length < gathered) return;
    hash.update(pending);
    pending = '';
  });
  return hash.update(pending).digest('hex');
}

/** SHA-256 of a value's canonical form. */
const digestOf = (identity: Identity | '', value: unknown): string =>
  hashOf(identity, (emit) => writeCanonical(value, emit));

/** Members of a specification that do not say what is deployed. */
const portable = [
  'project',
  'project_id',
  'idempotency_key',
  'idempotencyKey',
  'base',
  '$schema',
  'verify',
  'x-svc-omitted_features',
];

/** SHA-256 of a specification as it was sent, whatever project it is for and whatever it starts from. */
export const manifestDigest = (spec: Readonly<Record<string, unknown>>): string =>
  digestOf(
    'svc-portable-manifest-v1:',
    Object.fromEntries(Object.entries(spec).filter(([name]) => !portable.includes(name))),
  );

/** SHA-256 of a table of routes; null where there are none. */
export const routesDigest = (routes: readonly RouteEntry[]): string | null =>
  routes.length === 0
    ? null
    : digestOf(
        '',
        routes.map(({ acknowledgeReadonly: _acknowledged, ...route }) => route),
      );

/** SHA-256 of what is served without a function. */
export const staticDigest = ({ mode, files, spaFallback }: StaticManifest): string =>
  hashOf('', (emit) => {
    writeCanonical({ version: 'svc.static_manifest.v1', public_path_mode: mode, spa_fallback: spaFallback }, emit);
    for (const [path, file] of inCodePointOrder(files, ([key]) => key)) {
      const { assetPath, authority, cacheClass, cacheClassSource, contentType, direct, methods, routeId, sha256 } =
        file;
      // Written out, since a hundred thousand of them are too many to have their members sorted.
      const members = [
        assetPath,
        authority,
        cacheClass,
        cacheClassSource,
        contentType,
        direct,
        methods,
        routeId,
        sha256,
      ];
      emit(JSON.stringify([path, file.size, ...members]));
    }
  });

/** SHA-256 of all that a release is. Whether somebody declared a media type is no part of it. */
export const releaseDigest = ({ site, manifest, ...rest }: ReleaseState): string =>
  hashOf('svc-materialized-release-v1:', (emit) => {
    writeCanonical({ ...rest, manifest: staticDigest(manifest) }, emit);
    for (const [path, { sha256, size, contentType }] of inCodePointOrder(site, ([key]) => key))
      emit(JSON.stringify([path, sha256, size, contentType]));
  });

/** What somebody approved of: the plan as it was shown. */
export const planFingerprint = (facts: Readonly<Record<string, unknown>>): string =>
  digestOf('svc-reviewed-plan-v1:', facts);

/** SHA-256 of plain data. */
export const dataDigest = (value: unknown): string => digestOf('', value);
