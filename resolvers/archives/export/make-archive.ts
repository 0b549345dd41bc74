import { sql } from '../../../db/drizzle.ts';
import { projectArchives } from '../../../db/schema/archives.ts';
import { projects } from '../../../db/schema/projects.ts';
import { allOf, pick, type RowOf, setOf, statement, typed } from '../../../db/sql.ts';
import { savePortable } from '../../../engines/archives/save-portable.ts';
import { Spool } from '../../../engines/archives/spool.ts';
import { ChangedBytesError, LargeArchiveError, writeArchive } from '../../../engines/archives/write-archive.ts';
import { MissingObjectError } from '../../../engines/objects/object-store.ts';
import { type LeasedItem, leasedStatements, putOffStatement } from '../../../kernel/durability/leased-statements.ts';
import type { LeasedKind, LeasedWork } from '../../../kernel/durability/leased-work.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { storing } from '../../content/shared/storing.ts';
import { attemptCopy } from '../../snapshots/shared/attempt-copy.ts';
import { partsOf } from '../../snapshots/shared/capture.ts';
import { collect } from './collect.ts';
import { capabilitiesOf, consistencyOf, reportsOf } from './describe.ts';
import { platformMembers } from './members.ts';
import { failArchive, settleArchive } from './settle-archive.ts';

declare module '../../../kernel/run/context.ts' {
  interface Services {
    /** Exports projects on this node. */
    readonly projectArchiveWork: LeasedWork;
  }
}

/** How long a node has an export without a word of it, in seconds. */
const leaseSeconds = 30;

const leasedTable = {
  table: projectArchives,
  id: projectArchives.id,
  lane: projectArchives.projectId,
  dueAt: projectArchives.dueAt,
  lease: projectArchives.lease,
};

const putOffArchive = putOffStatement(leasedTable, projectArchives.attempts);

/** Exports that are made: each has an archive on the disk of its node. */
export const projectArchiveWork: LeasedKind = {
  statements: leasedStatements(leasedTable, leaseSeconds),
  run: makeArchive,
  atOnce: 2,
  perLane: 1,
  renewMs: 5_000,
};

/** The project went on changing while it was read. */
class RestlessError extends Error {
  override readonly name = 'RestlessError';
}

const movedMax = 5;

/** Exports a project. May be repeated by another node. */
async function makeArchive(ctx: Context, item: LeasedItem): Promise<void> {
  const [exported] = await ctx.services.db.rows(beginStatement.with({ id: item.id, lease: item.lease }));
  if (exported === undefined) return;
  return attemptCopy(ctx, item, {
    attempts: exported.attempts,
    failed: 'A project could not be exported.',
    async run() {
      const made = await writeOnce(ctx, exported).catch((error: unknown) => asFailure(error));
      if ('code' in made) return unitOfWork(ctx, (work) => failArchive(work, item, made));
      return unitOfWork(ctx, (work) => settleArchive(work, item, made));
    },
    putOff: putOffArchive,
    fail: (message) => unitOfWork(ctx, (work) => failArchive(work, item, { code: 'ARCHIVE_EXPORT_FAILED', message })),
  });
}

/** What another attempt would find again, by the code that tells of it. @throws any other error */
function asFailure(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof LargeArchiveError) return { code: 'ARCHIVE_SIZE_LIMIT_EXCEEDED', message: error.message };
  if (error instanceof RestlessError) return { code: 'STORAGE_OBJECT_CHANGED_DURING_EXPORT', message: error.message };
  if (error instanceof ChangedBytesError) return { code: 'STORAGE_OBJECT_DIGEST_MISMATCH', message: error.message };
  if (error instanceof MissingObjectError)
    return { code: 'STORAGE_OBJECT_DIGEST_MISMATCH', message: 'Bytes of a file of the project are not there.' };
  throw error;
}

async function writeOnce(ctx: Context, archive: Exported) {
  const { services } = ctx;
  const owner = { orgId: archive.orgId, projectId: archive.projectId };
  const { authExport } = archive;
  const url = services.projectDatabases.adminUrl(archive.server, archive.databaseName);
  const spool = new Spool();
  const parts = partsOf(ctx, archive.id);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const collected = await collect(services, owner);
      let isSame = true;
      const database = await savePortable({
        url,
        spool,
        withUsers: authExport === 'stubs',
        signal: ctx.signal,
        // What is read before and after the moment of the database is of that moment, where it is the same.
        async also() {
          isSame = (await collect(services, owner)).revision === collected.revision;
        },
      });
      if (!isSame) {
        if (attempt === movedMax)
          throw new RestlessError('Files or the release changed whenever the project was read.');
        continue;
      }
      const content = await platformMembers(services.objects, collected, authExport);
      const exported = { collected, database, authExport, members: [...database.members, ...content] };
      const reports = reportsOf(exported);
      const consistency = consistencyOf(collected);
      const written = writeArchive({
        members: [...exported.members, ...reports.members],
        capabilities: capabilitiesOf(exported),
        consistency,
      });
      const { sha256, bytes } = await storing(services, () => parts.plain(abortable(written.tar, ctx.signal)));
      const { exportReport, portabilityReport } = reports;
      return {
        sha256,
        byteCount: BigInt(bytes),
        digest: written.digest,
        activeReleaseId: collected.releaseId,
        consistency: JSON.stringify(consistency),
        exportReport: JSON.stringify(exportReport),
        portabilityReport: JSON.stringify(portabilityReport),
      };
    }
  } finally {
    await Promise.all([parts.close(), spool.close()]);
  }
}

async function* abortable<Piece>(pieces: AsyncIterable<Piece>, signal: AbortSignal): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    yield piece;
  }
}

const exportedColumns = { ...allOf(projectArchives, ['dueAt', 'lease']), ...pick(projects, 'server', 'databaseName') };
type Exported = RowOf<typeof exportedColumns>;

const beginStatement = statement(
  'archives.begin',
  { params: { ...pick(projectArchives, 'id'), lease: typed<string>('text') }, row: exportedColumns },
  ({ id, lease }, row) => sql`update ${projectArchives} ${setOf(projectArchives, {
    attempts: sql`${projectArchives.attempts} + 1`,
  })} from ${projects} where ${projectArchives.id} = ${id} and ${projectArchives.lease} = ${lease}
      and ${projects.orgId} = ${projectArchives.orgId} and ${projects.id} = ${projectArchives.projectId}
      and ${projects.deletedAt} is null returning ${row}`,
);
