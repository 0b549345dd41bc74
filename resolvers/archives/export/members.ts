import type { AuthExport } from '../../../db/schema/archives.ts';
import { blobPath, blobType } from '../../../engines/archives/portable/format.ts';
import type { Bytes } from '../../../engines/archives/spool.ts';
import { jsonMember, type Member, textMember } from '../../../engines/archives/write-archive.ts';
import type { ObjectStore } from '../../../engines/objects/object-store.ts';
import { portableState, specOf } from '../../../engines/release/write-spec.ts';
import type { Collected } from './collect.ts';

interface Ref {
  readonly sha256: string;
  readonly size: number;
}

/** Everything of an archive but the database and the reports: the release, files, functions, users and secrets that it needs. */
export async function platformMembers(
  objects: Pick<ObjectStore, 'read' | 'size'>,
  { state, builds, assets }: Collected,
  authExport: AuthExport,
): Promise<Member[]> {
  const blob = (name: string, { sha256, size }: Ref): Member => {
    const bytes: Bytes = { sha256, size, open: () => objects.read(sha256) };
    return { name: `blob.${name}`, mediaType: blobType, path: blobPath(sha256), bytes };
  };
  const path = (sha256: string) => ({ digest: `sha256:${sha256}`, path: blobPath(sha256) });
  const named = [...builds].sort(([one], [other]) => (one < other ? -1 : 1));
  const maps = await Promise.all(
    named.map(async ([name, { mapSha256: sha256 }]) =>
      blob(`function_map.${name}`, { sha256, size: (await objects.size(sha256)) ?? 0 }),
    ),
  );
  const functions = named.map(([name, build]) => ({
    name,
    runtime: 'node22',
    entrypoint: state!.functions.get(name)?.entrypoint,
    artifact_digest: path(build.bundleSha256).digest,
    artifact_path: path(build.bundleSha256).path,
    class: state!.functions.get(name)?.class,
    build: {
      fingerprint: build.fingerprint,
      runtime_version: build.runtimeVersion,
      code_hash: build.codeHash,
      deps_resolved: build.depsResolved,
      map_sha256: build.mapSha256,
    },
  }));
  const refs = new Map<string, Ref>();
  for (const one of state?.site.values() ?? []) refs.set(one.sha256, one);
  for (const { files } of state?.functions.values() ?? []) for (const one of files.values()) refs.set(one.sha256, one);
  const keys = state?.secretKeys ?? [];
  return [
    jsonMember('release_spec', state === null ? {} : specOf(state)),
    jsonMember('portable_release_state', state === null ? {} : portableState(state)),
    jsonMember('auth.config', {
      schema_version: 'svc.project_archive.auth_config.v1',
      auth_export: authExport,
      subject_id_namespace: 'svc.project_user.v1',
    }),
    jsonMember('storage.index', {
      schema_version: 'svc.project_archive.storage_index.v1',
      objects: assets.map((one) => ({
        key: one.key,
        visibility: one.visibility,
        content_type: one.contentType,
        immutable: one.immutable,
        size: one.size,
        digest: path(one.sha256).digest,
        blob_path: path(one.sha256).path,
        ...(one.metadata === null ? {} : { metadata: one.metadata }),
        ...(one.exifPolicy === 'keep' ? {} : { exif_policy: one.exifPolicy }),
      })),
    }),
    jsonMember('runtime.index', { schema_version: 'svc.project_archive.runtime_index.v1', functions }),
    jsonMember('secret_requirements', {
      schema_version: 'svc.project_archive.secret_requirements.v1',
      secrets: keys.map((name) => ({ name, required: true })),
    }),
    textMember('secret_env_template', templateOf(keys)),
    ...[...refs.values()].map((one) => blob(`content.${one.sha256}`, one)),
    ...[...new Map(assets.map((one) => [one.sha256, one])).values()].map((one) => blob(`storage.${one.sha256}`, one)),
    ...named.map(([name, build]) => blob(`function.${name}`, { sha256: build.bundleSha256, size: build.bundleSize })),
    ...maps,
  ];
}

/** A file for whoever imports the project to fill in. */
const templateOf = (keys: readonly string[]): string =>
  [
    '# Values of the secrets that the project needs. Keep the file to yourself.',
    ...keys.map((key) => `${key}=`),
    '',
  ].join('\n');
