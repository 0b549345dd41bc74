import { sql } from '../../../db/drizzle.ts';
import { archiveImports } from '../../../db/schema/archives.ts';
import type { Org } from '../../../db/schema/orgs.ts';
import type { Project } from '../../../db/schema/projects.ts';
import { pick, setOf, statement, typed } from '../../../db/sql.ts';
import { type Diagnostic, diagnostic } from '../../../engines/archives/portable/diagnostics.ts';
import { DifferentRowsError, SequenceError } from '../../../engines/copies/load-rows.ts';
import { manifestDigest } from '../../../engines/release/digests.ts';
import { specOf } from '../../../engines/release/write-spec.ts';
import { forgetProjectTargets } from '../../../kernel/access/project-target.ts';
import type { LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../../kernel/feeds/append-event.ts';
import { type ImagesBySha256, publishAssets } from '../../assets/shared/publish-assets.ts';
import { bringRelease } from '../../deploys/shared/bring-release.ts';
import { deleteInSteps } from '../../projects/shared/begin-deletion.ts';
import { lockProject } from '../../projects/shared/lock-project.ts';
import { readyProjectStatement } from '../../projects/shared/ready-project.ts';
import { LostCopyError } from '../../snapshots/shared/attempt-copy.ts';
import { goneOfCopies } from '../../snapshots/shared/gone-of-copies.ts';
import { archiveEventTypes } from '../event-types.ts';
import type { Importable } from './check.ts';

type Held = Pick<LeasedItem, 'id' | 'lease'>;

/** An import in the hands of a node. */
export interface Importing {
  readonly attempts: number;
  readonly made: Pick<typeof archiveImports.$inferSelect, 'id' | 'operationId' | 'archiveSha256'>;
  readonly project: Project;
  readonly org: Org;
}

interface Opening {
  readonly importing: Importing;
  readonly importable: Importable;
  readonly images: ImagesBySha256;
}

/** Makes the project of an import ready, with its files and its release. @throws LostCopyError */
export async function openImport(
  work: Work,
  { id, lease }: Held,
  { importing: { project, org, made }, importable: { state, functions, assets: slice }, images }: Opening,
): Promise<void> {
  const owner = { orgId: org.id, projectId: project.id };
  if ((await lockProject(work, project.id)) === undefined) throw new LostCopyError('The project was deleted.');
  await work.rows(readyProjectStatement.with({ orgId: org.id, id: project.id }));
  const assets = slice === undefined ? undefined : { slice, images };
  const builds = new Map(
    functions.map(({ name, artifact_digest: digest, artifact_size: bundleSize, build }) => [
      name,
      {
        fingerprint: build.fingerprint,
        codeHash: build.code_hash,
        runtimeVersion: build.runtime_version,
        depsResolved: build.deps_resolved,
        // Packages are known where they were chosen; a rebuild chooses anew.
        lock: null,
        bundleSha256: digest.slice('sha256:'.length),
        bundleSize,
        mapSha256: build.map_sha256,
      },
    ]),
  );
  let releaseId: string | null = null;
  if (state !== null) {
    const digest = manifestDigest(specOf(state));
    releaseId = await bringRelease(work, {
      scope: { org, project },
      operationId: made.operationId,
      state,
      manifestDigest: digest,
      builds,
      assets,
    });
  } else if (assets !== undefined) await publishAssets(work.rows, owner, assets.slice, images);
  const [opened] = await work.rows(importedStatement.with({ id, lease, releaseId }));
  if (opened === undefined) throw new LostCopyError('The import was taken over.');
  await work.rows(letGoStatement.with({ id }));
  const payload = { import_id: id, project_id: project.id };
  work.append(appendEvent({ ...owner, type: archiveEventTypes.archive_imported, payload }));
  work.afterCommit(() => forgetProjectTargets(work.services));
}

/** Why an import came to nothing, for whoever asked for it. */
export function faultsOf(error: unknown, reason: string): readonly Diagnostic[] {
  const { found } = (error ?? {}) as { readonly found?: readonly Diagnostic[] };
  if (found !== undefined && found.length > 0) return found;
  const code =
    error instanceof SequenceError
      ? 'DATABASE_SEQUENCE_RESTORE_FAILED'
      : error instanceof DifferentRowsError
        ? 'IMPORT_VERIFY_FAILED'
        : 'IMPORT_CONFORMANCE_FAILED';
  return [diagnostic(code, 'blocking', reason, { resource_type: 'project' })];
}

/** Notes that an import came to nothing: what was made of its project is dropped. */
export async function failImport(work: Work, { id, lease }: Held, found: readonly Diagnostic[]): Promise<void> {
  const [failed] = await work.rows(failStatement.with({ id, lease, found: JSON.stringify(found) }));
  if (failed === undefined) return;
  await work.rows(letGoStatement.with({ id }));
  const { orgId, projectId } = failed;
  const project = await lockProject(work, projectId);
  if (project !== undefined) await deleteInSteps(work, project, 'projects.delete');
  const [first] = found;
  const payload = {
    import_id: id,
    project_id: projectId,
    error_code: first?.code ?? 'IMPORT_CONFORMANCE_FAILED',
    message: first?.message ?? '',
  };
  work.append(appendEvent({ orgId, projectId: null, type: archiveEventTypes.archive_import_failed, payload }));
}

const held = { ...pick(archiveImports, 'id'), lease: typed<string>('text') };
const over = { dueAt: sql`null`, lease: sql`null`, updatedAt: sql`now()` };

const importedStatement = statement(
  'archive-imports.imported',
  { params: { ...held, ...pick(archiveImports, 'releaseId') }, row: pick(archiveImports, 'id') },
  ({ id, lease, releaseId }, row) =>
    sql`update ${archiveImports} ${setOf(archiveImports, {
      ...over,
      releaseId,
      status: sql`'imported'`,
    })} where ${archiveImports.id} = ${id} and ${archiveImports.lease} = ${lease} returning ${row}`,
);

const failStatement = statement(
  'archive-imports.fail',
  { params: { ...held, found: typed<string>('jsonb') }, row: pick(archiveImports, 'orgId', 'projectId') },
  ({ id, lease, found }, row) =>
    sql`update ${archiveImports} ${setOf(archiveImports, {
      ...over,
      status: sql`'failed'`,
      diagnostics: sql`${archiveImports.diagnostics} || ${found}::jsonb`,
    })} where ${archiveImports.id} = ${id} and ${archiveImports.lease} = ${lease} returning ${row}`,
);

const letGoStatement = statement(
  'archive-imports.let-go',
  { params: pick(archiveImports, 'id') },
  ({ id }) => sql`with ${goneOfCopies(sql`select ${id}::text`)} select`,
);
