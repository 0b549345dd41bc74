import { draftName } from '../../../db/copy-names.ts';
import type { ProjectDatabase } from '../../../db/project-databases.ts';
import { upgradeProject } from '../../../db/project-upgrade.ts';
import type { Rows } from '../../../db/statement.ts';
import { withClient } from '../../../db/with-client.ts';
import { DamagedPartError } from '../../../engines/copies/parts.ts';
import { restoreProject } from '../../../engines/copies/restore-project.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { storing } from '../../content/shared/storing.ts';
import { manifestStatement } from '../restore/restore-row.ts';
import { manifestShape, partsOf } from './capture.ts';

/** Something of a snapshot cannot be brought back. */
export class UnrestorableError extends Error {
  override readonly name = 'UnrestorableError';
}

const tenantHour = 3_600_000;

/** What of sign-in a snapshot brings back, where that is asked for: never sessions, nor what is under way. */
const restoredAuth = new Set(['users', 'identities', 'passkeys']);

/** What a database is filled with. */
export interface Filling {
  /** The snapshot, or what else holds the parts. */
  readonly snapshotId: string;
  /** The list of the parts. @default that of the snapshot */
  readonly manifest?: { readonly sha256: string; readonly bytes: number };
  /** Whether users and passkeys come back, too. */
  readonly withAuth: boolean;
  /** Longest that statements of the tenant's own may take together, in milliseconds. @default an hour */
  readonly tenantMs?: number;
}

/**
 * Fills a new database beside the place of a project's from a snapshot, compares it with what was saved, and brings it to the version
 * of this gateway. One that another attempt has left is dropped first.
 */
export async function fillDraft(ctx: Context, filling: Filling, database: ProjectDatabase): Promise<void> {
  const { db, projectDatabases } = ctx.services;
  const draft = draftName(database.databaseName);
  const { sha256, bytes } = filling.manifest ?? (await manifestOf(db.rows, filling.snapshotId));
  const parts = partsOf(ctx, filling.snapshotId);
  await storing(ctx.services, async () => {
    const text = await parts.readPlainText({ sha256, bytes, content: sha256 });
    const { saved, templateVersion, live } = manifestShape.parse(JSON.parse(text));
    const unfilled = await restoreProject({
      databases: projectDatabases,
      project: { ...database, templateVersion, live, saved },
      draft,
      store: parts,
      onBytes: () => ctx.signal.throwIfAborted(),
      projectMs: filling.tenantMs ?? tenantHour,
      platformRows: ({ schema, name }) => schema !== 'auth' || (filling.withAuth && restoredAuth.has(name)),
    });
    if (unfilled.length > 0) throw new UnrestorableError(`${unfilled.join('. ')}.`);
  });
  await withClient(projectDatabases.adminUrl(database.server, draft), upgradeProject, { name: 'restore' });
}

/** @throws DamagedPartError when there is no such snapshot, or it is not ready */
async function manifestOf(
  rows: Rows,
  snapshotId: string,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const [named] = await rows(manifestStatement.with({ id: snapshotId }));
  if (named?.manifestSha256 == null) throw new DamagedPartError(snapshotId, 'is missing');
  return { sha256: named.manifestSha256, bytes: Number(named.manifestBytes) };
}
