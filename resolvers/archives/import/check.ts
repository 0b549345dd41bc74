import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { templateVersion } from '../../../db/project-template.ts';
import type { Org } from '../../../db/schema/orgs.ts';
import { schemaFaults } from '../../../engines/archives/check-schema.ts';
import { type Diagnostic, diagnostic } from '../../../engines/archives/portable/diagnostics.ts';
import { blobPath, documents } from '../../../engines/archives/portable/format.ts';
import type { ReadArchive } from '../../../engines/archives/portable/verify.ts';
import { type ProjectFacts, projectFacts } from '../../../engines/archives/project-facts.ts';
import { fingerprintOf } from '../../../engines/functions/bundle.ts';
import { canonicalJson } from '../../../engines/release/canonical-json.ts';
import { SpecError } from '../../../engines/release/errors.ts';
import type { ReleasedFunction, ReleaseState } from '../../../engines/release/model.ts';
import { planRelease } from '../../../engines/release/plan-release.ts';
import { readSpec } from '../../../engines/release/spec/read-spec.ts';
import type { SpecAssets } from '../../../engines/release/spec/release-spec.ts';
import { portableState } from '../../../engines/release/write-spec.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { functionLimitsOf } from '../../deploys/shared/function-limits.ts';

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const hex = z.string().regex(/^[0-9a-f]{64}$/);

const storageShape = z.object({
  objects: z.array(
    z.object({
      key: z.string(),
      visibility: z.string(),
      content_type: z.string(),
      immutable: z.boolean().default(true),
      size: z.int().nonnegative(),
      digest,
      metadata: z.record(z.string(), z.unknown()).nullish(),
      exif_policy: z.string().optional(),
    }),
  ),
});

const runtimeShape = z.object({
  functions: z
    .array(
      z.object({
        name: z.string(),
        artifact_digest: digest,
        build: z.object({
          fingerprint: hex,
          runtime_version: z.string().max(64),
          code_hash: hex,
          deps_resolved: z.record(z.string().max(256), z.string().max(256)),
          map_sha256: hex,
        }),
      }),
    )
    .default([]),
});

const migrationsShape = z.object({
  migrations: z
    .array(
      z.object({
        migration_id: z.string().min(1).max(256),
        checksum_hex: hex,
        transaction: z.enum(['required', 'none']),
      }),
    )
    .default([]),
});

const tablesShape = z.object({
  tables: z.array(
    z.object({
      id: z.string(),
      schema: z.string().default('public'),
      name: z.string().min(1),
      copy_path: z.string(),
      row_count: z.int().nonnegative(),
      columns: z.array(z.object({ name: z.string().min(1) })),
    }),
  ),
});

const sequencesShape = z.object({
  sequences: z.array(
    z.object({
      schema: z.string().default('public'),
      name: z.string().min(1),
      value: z.string().regex(/^-?\d{1,19}$/),
      is_called: z.boolean(),
    }),
  ),
});

export type ArchivedTable = z.infer<typeof tablesShape>['tables'][number];

/** A function with what it was built to. */
export type ArchivedFunction = z.infer<typeof runtimeShape>['functions'][number] & { readonly artifact_size: number };

/** What a project is made from. */
export interface Importable {
  /** Null: the archive has no release. */
  readonly state: ReleaseState | null;
  readonly functions: readonly ArchivedFunction[];
  readonly assets: SpecAssets | undefined;
  readonly tables: readonly ArchivedTable[];
  readonly sequences: z.infer<typeof sequencesShape>['sequences'];
  readonly facts: ProjectFacts;
}

/** The diagnostics that keep an archive from being imported. */
export const blocking = (found: readonly Diagnostic[]): boolean =>
  found.some(({ severity }) => severity === 'blocking');

/** An id of the right form: what is planned has to be for some project. */
const anyProject = 'prj_imported';

/**
 * Reads what an archive would make, as this gateway would run it. Nothing is run.
 *
 * @param archive that was verified
 */
export function readImportable(
  services: Pick<Services, 'settings'>,
  org: Pick<Org, 'tier'>,
  { json, files, sql }: Pick<ReadArchive, 'json' | 'files' | 'sql'>,
): { readonly importable: Importable | undefined; readonly found: Diagnostic[] } {
  const found: Diagnostic[] = [];
  for (const [path, text] of sql) found.push(...schemaFaults(text, path));
  const read = <Value>(name: keyof typeof documents, shape: z.ZodType<Value>): Value | undefined => {
    const { path } = documents[name];
    const parsed = shape.safeParse(json.get(path));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    found.push(
      diagnostic(
        'ARCHIVE_MALFORMED_JSON',
        'blocking',
        `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
        { path },
      ),
    );
    return undefined;
  };
  const [facts, tables, sequences, storage, runtime] = [
    read('fact_set', projectFacts),
    read('database.tables', tablesShape),
    read('database.sequences', sequencesShape),
    read('storage.index', storageShape),
    read('runtime.index', runtimeShape),
  ];
  if (!facts || !tables || !sequences || !storage || !runtime) return { importable: undefined, found };
  for (const { schema, name } of [...tables.tables, ...sequences.sequences])
    if (schema !== 'public')
      found.push(unsafe(`${name.slice(0, 63)} is in the schema ${schema.slice(0, 63)}, and only public is brought.`));
  if (facts.database.template_version > templateVersion)
    found.push(nonconforming('The archive is of a newer gateway: its tables of the platform are not known here.'));
  const release = releaseOf(services, org, { json, files }, storage, found);
  const functions: ReadonlyMap<string, ReleasedFunction> = release?.state?.functions ?? new Map();
  for (const { name } of runtime.functions)
    if (!functions.has(name))
      found.push(nonconforming(`The function ${name.slice(0, 64)} is not part of the release.`));
  for (const name of functions.keys())
    if (!runtime.functions.some((one) => one.name === name))
      found.push(nonconforming(`The function ${name} comes without what it was built to.`));
  for (const { name, build } of runtime.functions) {
    const fn = functions.get(name);
    // A later deploy goes by the fingerprint: one that is of other source would run this bundle in its place.
    if (
      fn !== undefined &&
      (build.code_hash !== fn.codeHash ||
        build.fingerprint !== fingerprintOf(fn.codeHash, fn.deps, build.runtime_version))
    )
      found.push(nonconforming(`The function ${name} is said to be built from other source than the archive has.`));
    if (!files.has(blobPath(build.map_sha256)))
      found.push(diagnostic('ARCHIVE_BLOB_MISSING', 'blocking', 'The archive lacks the map of a function.', {}));
  }
  if (release === undefined || blocking(found)) return { importable: undefined, found };
  return {
    importable: {
      ...release,
      functions: runtime.functions.map((one) => ({
        ...one,
        artifact_size: files.get(blobPath(one.artifact_digest.slice('sha256:'.length)))?.size ?? 0,
      })),
      tables: tables.tables,
      sequences: sequences.sequences,
      facts,
    },
    found,
  };
}

const unsafe = (message: string) =>
  diagnostic('DATABASE_SCHEMA_UNSAFE', 'blocking', message, { resource_type: 'database' });

const nonconforming = (message: string) =>
  diagnostic('IMPORT_CONFORMANCE_FAILED', 'blocking', message, { resource_type: 'release' });

/** The release as it would be planned here, and the files. @returns undefined where it is refused, which is then noted */
function releaseOf(
  services: Pick<Services, 'settings'>,
  org: Pick<Org, 'tier'>,
  { json, files }: Pick<ReadArchive, 'json' | 'files'>,
  storage: z.infer<typeof storageShape>,
  found: Diagnostic[],
): Pick<Importable, 'state' | 'assets'> | undefined {
  const given = json.get(documents.release_spec.path) as Readonly<Record<string, unknown>>;
  const portable = json.get(documents.portable_release_state.path) as Readonly<Record<string, unknown>>;
  const migrations = migrationsShape.safeParse(portable);
  if (!migrations.success) {
    found.push(nonconforming('The state of the release cannot be read.'));
    return undefined;
  }
  const hasRelease = Object.keys(given).length > 0;
  const puts = storage.objects.map((one) => ({
    key: one.key,
    sha256: one.digest.slice('sha256:'.length),
    size_bytes: one.size,
    content_type: one.content_type,
    visibility: one.visibility,
    immutable: one.immutable,
    ...(one.metadata == null ? {} : { metadata: one.metadata }),
    ...(one.exif_policy === undefined ? {} : { exif_policy: one.exif_policy }),
  }));
  try {
    const limits = functionLimitsOf(org, services.settings.leases);
    // A release without anything is a release nonetheless: names that are set to none change nothing.
    const spec = readSpec(
      {
        ...given,
        project_id: anyProject,
        subdomains: { set: [] },
        ...(puts.length === 0 ? {} : { assets: { put: puts } }),
      },
      limits,
    );
    if (spec.migrations.length > 0)
      throw new SpecError('INVALID_SPEC', 'The release has migrations, which were run where it was exported.');
    const { state } = planRelease({
      spec,
      base: null,
      limits,
      facts: {
        secretKeys: new Set(),
        registry: new Map(),
        migrationSql: new Map(),
        held: new Map([...files].map(([path, { size }]) => [path.slice(blobPath('').length), size])),
        assets: new Map(),
        storage: { usedBytes: 0, assetKeys: 0 },
        embeddingCatalogue: new Set(services.settings.embeddingOrigins.keys()),
        routesEnabled: true,
        functionsElsewhere: 0,
        schedulesElsewhere: 0,
      },
    });
    if (!hasRelease) return { state: null, assets: spec.assets };
    const whole: ReleaseState = {
      ...state,
      migrations: migrations.data.migrations.map(({ migration_id: id, checksum_hex: checksum, transaction }) => ({
        id,
        checksum,
        transaction,
      })),
    };
    // What is made here is what was there.
    if (canonicalJson(JSON.parse(JSON.stringify(portableState(whole)))) !== canonicalJson(portable))
      found.push(nonconforming('The release would be another one here than it was where it was exported.'));
    return { state: whole, assets: spec.assets };
  } catch (error) {
    if (!(error instanceof SpecError) && !(error instanceof ServiceError)) throw error;
    found.push(nonconforming(error.message));
    return undefined;
  }
}
