import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { appVersions } from '../../../db/schema/apps.ts';
import { archiveImports, projectArchives } from '../../../db/schema/archives.ts';
import { liveReleases } from '../../../db/schema/releases.ts';
import { projectSnapshots, type SnapshotFacts, snapshotObjects } from '../../../db/schema/snapshots.ts';
import { insertSelect, pick, statement } from '../../../db/sql.ts';
import { savedDatabase } from '../../../engines/copies/archive.ts';
import { ObjectParts } from '../../../engines/copies/object-parts.ts';
import type { Part } from '../../../engines/copies/parts.ts';
import type { Saved } from '../../../engines/copies/save-database.ts';
import { type SaveProjectOptions, savedTemplate, saveProjectDatabase } from '../../../engines/copies/save-project.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { keepContentLock } from '../../content/shared/content-lock.ts';
import { storing } from '../../content/shared/storing.ts';
import type { Snapshot } from './snapshot-row.ts';

/** What a snapshot says of itself, beside its parts in the object store. */
export const manifestShape = z.object({
  format: z.literal(1),
  project: z.string(),
  capturedAt: z.iso.datetime(),
  ...savedTemplate.shape,
  saved: savedDatabase,
  leftOut: z.array(z.string()),
});

type SnapshotManifest = z.infer<typeof manifestShape>;

/** What was taken. */
export interface Captured {
  readonly manifest: Part;
  readonly facts: SnapshotFacts;
  readonly capturedAt: Date;
  readonly liveReleaseId: string | null;
}

/** Somebody has deleted the snapshot that is being taken. */
export class SnapshotGoneError extends Error {
  override readonly name = 'SnapshotGoneError';
}

/** Longest wait for a change of a table's definition to end, in milliseconds. */
const lockMs = 30_000;

/**
 * Takes a snapshot of a database that is used meanwhile: nobody is disconnected, and no writer waits. What it stores is
 * held by the snapshot from before it is stored. Memory holds a few buffers and the definitions.
 *
 * @param url the way into the database as the administrator of its server
 */
export async function captureDatabase(
  ctx: Context,
  snapshot: Pick<Snapshot, 'id' | 'orgId' | 'projectId'>,
  url: string,
): Promise<Captured> {
  const { db } = ctx.services;
  const [live] = await db.rows(liveStatement.with({ orgId: snapshot.orgId, projectId: snapshot.projectId }));
  const { manifest, database, leftOut, capturedAt } = await saveParts(ctx, snapshot, { url });
  const rowsOf = (schema: string, name?: string) =>
    database.tables
      .filter((table) => table.schema === schema && (name === undefined || table.name === name))
      .reduce((sum, { rows }) => sum + rows, 0);
  return {
    manifest,
    facts: {
      tables: database.tables.filter(({ schema }) => schema === 'public').length,
      rows: rowsOf('public'),
      users: rowsOf('auth', 'users'),
      passkeys: rowsOf('auth', 'passkeys'),
      leftOut,
    },
    capturedAt,
    liveReleaseId: live?.releaseId ?? null,
  };
}

/** What was stored of a database, with the list of it. */
export interface SavedParts extends Omit<Saved, 'withoutKey'> {
  readonly manifest: Part;
  readonly capturedAt: Date;
}

/** Stores a database of a project in the object store, and the list of what was stored, for whoever holds it under its id. */
export async function saveParts(
  ctx: Context,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  options: Pick<SaveProjectOptions, 'url' | 'schemaOnly' | 'definitionBytesMax' | 'also'>,
): Promise<SavedParts> {
  const parts = partsOf(ctx, id);
  let capturedAt = ctx.services.now();
  try {
    return await storing(ctx.services, async () => {
      const { database, template, leftOut } = await saveProjectDatabase({
        ...options,
        store: parts,
        lockMs,
        signal: ctx.signal,
        also: async (client) => {
          capturedAt = (await client.query<{ at: Date }>('select pg_catalog.now() as at')).rows[0]!.at;
          await options.also?.(client);
        },
      });
      const manifest: SnapshotManifest = {
        format: 1,
        project: projectId,
        capturedAt: capturedAt.toISOString(),
        ...template,
        saved: database,
        leftOut: [...leftOut],
      };
      return { manifest: await parts.plainText(JSON.stringify(manifest)), database, leftOut, capturedAt };
    });
  } finally {
    await parts.close();
  }
}

/** The parts of a snapshot, of a version of an app, or of an archive, in the object store. */
export const partsOf = (ctx: Context, snapshotId: string): ObjectParts =>
  new ObjectParts({
    objects: ctx.services.objects,
    newUploadId: () => ctx.services.newId('upl'),
    // What is removed at this moment is seen to be held, or was removed before it is looked for.
    hold: ({ sha256, bytes }) =>
      unitOfWork(ctx, async (work) => {
        await work.rows(keepContentLock.with({}));
        const held = await work.rows(holdStatement.with({ snapshotId, sha256, size: BigInt(bytes) }));
        if (held.length === 0) throw new SnapshotGoneError('The snapshot was deleted.');
      }),
  });

const liveStatement = statement(
  'snapshots.live-release',
  { params: pick(liveReleases, 'orgId', 'projectId'), row: pick(liveReleases, 'releaseId') },
  (given, row) => sql`select ${row} from ${liveReleases}
    where ${liveReleases.orgId} = ${given.orgId} and ${liveReleases.projectId} = ${given.projectId}`,
);

const holdStatement = statement(
  'snapshots.hold',
  { params: pick(snapshotObjects, 'snapshotId', 'sha256', 'size'), row: pick(snapshotObjects, 'sha256') },
  ({ snapshotId, sha256, size }, row) =>
    sql`${insertSelect(
      snapshotObjects,
      { snapshotId: sql`${snapshotId}::text`, sha256: sql`${sha256}::text`, size: sql`${size}::bigint` },
      sql`where exists (select from ${projectSnapshots} where ${projectSnapshots.id} = ${snapshotId})
        or exists (select from ${appVersions} where ${appVersions.id} = ${snapshotId})
        or exists (select from ${projectArchives} where ${projectArchives.id} = ${snapshotId}
          and ${projectArchives.status} = 'running')
        or exists (select from ${archiveImports} where ${archiveImports.id} = ${snapshotId}
          and ${archiveImports.dueAt} is not null)`,
    )} on conflict (snapshot_id, sha256) do update set size = excluded.size returning ${row}`,
);
