import { sql } from '../../../db/drizzle.ts';
import { archiveImports } from '../../../db/schema/archives.ts';
import { orgs } from '../../../db/schema/orgs.ts';
import { projects } from '../../../db/schema/projects.ts';
import { allOf, computed, partOf, pick, prefixed, setOf, statement, typed } from '../../../db/sql.ts';
import { ArchiveSource } from '../../../engines/archives/archive-source.ts';
import type { Diagnostic } from '../../../engines/archives/portable/diagnostics.ts';
import { blobPath } from '../../../engines/archives/portable/format.ts';
import { readTar } from '../../../engines/archives/portable/tar-read.ts';
import { readArchive } from '../../../engines/archives/portable/verify.ts';
import { projectColumns, projectOf } from '../../../kernel/access/project-columns.ts';
import {
  heldStatement,
  type LeasedItem,
  leasedStatements,
  putOffStatement,
} from '../../../kernel/durability/leased-statements.ts';
import type { LeasedKind, LeasedWork } from '../../../kernel/durability/leased-work.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { examineImages } from '../../assets/shared/examine-images.ts';
import { bringContent } from '../../content/shared/bring-content.ts';
import { findOrgContent } from '../../content/shared/org-uploads.ts';
import { storing } from '../../content/shared/storing.ts';
import { lockProject } from '../../projects/shared/lock-project.ts';
import { asOwn, attemptCopy, LostCopyError } from '../../snapshots/shared/attempt-copy.ts';
import { partsOf } from '../../snapshots/shared/capture.ts';
import { placeFilled } from '../../snapshots/shared/place-copy.ts';
import { type Importable, readImportable } from './check.ts';
import { fillImported } from './fill-imported.ts';
import { failImport, faultsOf, type Importing, openImport } from './settle-import.ts';

declare module '../../../kernel/run/context.ts' {
  interface Services {
    /** Makes projects of archives on this node. */
    readonly archiveImportWork: LeasedWork;
  }
}

/** How long a node has an import without a word of it, in seconds. */
const leaseSeconds = 30;

const leasedTable = {
  table: archiveImports,
  id: archiveImports.id,
  lane: archiveImports.lane,
  dueAt: archiveImports.dueAt,
  lease: archiveImports.lease,
};

const heldImport = heldStatement(leasedTable);
const putOffImport = putOffStatement(leasedTable, archiveImports.attempts);

/** Imports that are made, in turns between organizations. */
export const archiveImportWork: LeasedKind = {
  statements: leasedStatements(leasedTable, leaseSeconds),
  run: makeImport,
  atOnce: 2,
  perLane: 1,
  renewMs: 5_000,
};

/** What lies in the archive is other than what was looked at, or the gateway would make something else of it by now. */
class RefusedArchiveError extends Error {
  override readonly name = 'UnrestorableError';
  readonly found: readonly Diagnostic[];

  constructor(found: readonly Diagnostic[]) {
    super(found[0]?.message ?? 'The archive cannot be read any more.');
    this.found = found;
  }
}

/** Makes a project of an archive: its database, its content, then its release. Each step may be repeated by another node. */
async function makeImport(ctx: Context, item: LeasedItem): Promise<void> {
  const importing = await begin(ctx, item);
  if (importing === undefined) return;
  let failure: unknown;
  return attemptCopy(ctx, item, {
    attempts: importing.attempts,
    failed: 'An archive could not be imported.',
    run: () =>
      make(ctx, item, importing).catch((error: unknown) => {
        failure = error;
        throw error;
      }),
    putOff: putOffImport,
    fail: (reason) => unitOfWork(ctx, (work) => failImport(work, item, faultsOf(failure, reason))),
  });
}

async function make(ctx: Context, item: LeasedItem, importing: Importing): Promise<void> {
  const { services } = ctx;
  const { project, org, made } = importing;
  const scope = { org, project };
  const { archiveSha256: sha256 } = made;
  // For another day, whatever it takes.
  await findOrgContent(ctx, org.id, sha256);
  const chunks = await storing(services, () => services.objects.read(sha256));
  const archive = await readArchive(readTar(chunks), 'tar');
  const { importable, found } = readImportable(services, org, archive);
  if (!archive.verification.ok || importable === undefined)
    throw new RefusedArchiveError([...archive.verification.diagnostics, ...found]);
  const source = new ArchiveSource(services.objects, sha256, archive.files);
  const fill = () => fillImported(ctx, source, importable, { database: project, operationId: made.operationId });
  await placeFilled(ctx, fill, project, item, heldImport);
  await storeContent(ctx, item, source, importable, scope);
  const images = await examineImages(ctx, scope, importable.assets?.put ?? []);
  await unitOfWork(ctx, (work) => openImport(work, item, { importing, importable, images })).catch(asOwn);
}

/** Has the project hold the bytes of its files and functions. */
async function storeContent(
  ctx: Context,
  { id }: LeasedItem,
  source: ArchiveSource,
  importable: Importable,
  { org, project }: Pick<Importing, 'org' | 'project'>,
): Promise<void> {
  const parts = partsOf(ctx, id);
  const { released, named } = contentOf(importable);
  try {
    await storing(ctx.services, async () => {
      for (const sha256 of new Set([...released, ...named])) {
        ctx.signal.throwIfAborted();
        await parts.plain(source.file(blobPath(sha256)));
      }
    });
  } finally {
    await parts.close();
  }
  const owner = { orgId: org.id, projectId: project.id };
  const sized = (all: Iterable<string>) =>
    [...all].map((sha256) => ({ sha256, size: source.fileOf(blobPath(sha256)).size }));
  await unitOfWork(ctx, async (work) => {
    if ((await lockProject(work, project.id)) === undefined) throw new LostCopyError('The project was deleted.');
    await bringContent(work, owner, sized(released), true);
    await bringContent(work, owner, sized(named), false);
  });
}

/** The SHA-256 of all that a release names, and of all that files do. */
function contentOf({ state, functions, assets }: Importable) {
  const released = new Set<string>();
  for (const { sha256 } of state?.site.values() ?? []) released.add(sha256);
  for (const { files } of state?.functions.values() ?? [])
    for (const { sha256 } of files.values()) released.add(sha256);
  for (const { artifact_digest: digest, build } of functions)
    released.add(digest.slice('sha256:'.length)).add(build.map_sha256);
  return { released, named: new Set((assets?.put ?? []).map(({ sha256 }) => sha256)) };
}

const importColumns = allOf(archiveImports, ['dueAt', 'lease']);
const orgColumns = allOf(orgs);
const orgOf = partOf('org.', orgColumns);
const madeOf = partOf('made.', importColumns);

async function begin(ctx: Context, { id, lease }: LeasedItem): Promise<Importing | undefined> {
  const [row] = await ctx.services.db.rows(beginStatement.with({ id, lease }));
  if (row === undefined) return undefined;
  return { attempts: row.attempts, made: madeOf(row)!, project: projectOf(row)!, org: orgOf(row)! };
}

const beginStatement = statement(
  'archive-imports.begin',
  {
    params: { ...pick(archiveImports, 'id'), lease: typed<string>('text') },
    row: {
      ...prefixed('made.', importColumns),
      ...prefixed('project.', projectColumns),
      ...prefixed('org.', orgColumns),
      attempts: computed<number>('integer', sql`begun.attempts`),
    },
  },
  ({ id, lease }, row) => sql`with begun as (
      update ${archiveImports} ${setOf(archiveImports, { attempts: sql`${archiveImports.attempts} + 1` })}
      where ${archiveImports.id} = ${id} and ${archiveImports.lease} = ${lease}
      returning ${archiveImports.id} as id, ${archiveImports.attempts} as attempts
    )
    select ${row} from begun join ${archiveImports} on ${archiveImports.id} = begun.id
    join ${projects} on ${projects.orgId} = ${archiveImports.orgId} and ${projects.id} = ${archiveImports.projectId}
      and ${projects.deletedAt} is null
    join ${orgs} on ${orgs.id} = ${archiveImports.orgId}`,
);
