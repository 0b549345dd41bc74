import type pg from 'pg';
import { draftName, formerName } from '../../../db/copy-names.ts';
import type { ProjectDatabase, ProjectDatabases } from '../../../db/project-databases.ts';
import { upgradeProject } from '../../../db/project-upgrade.ts';
import { readCatalog } from '../../../engines/copies/catalog.ts';
import { copyAcross } from '../../../engines/copies/copy-rows.ts';
import { quotedTable } from '../../../engines/copies/names.ts';
import { plainClient } from '../../../engines/copies/snapshot.ts';

/** What of sign-in stays as it is, also where users come from a snapshot: how users sign in, and what tokens are signed with. */
const keptAuth = new Set(['settings', 'signing_keys', 'throttles']);

/**
 * Carries what a restore does not touch from the database that is replaced, which nobody writes to any more, to the one that
 * takes its place: users with their sessions, or where users are restored, only how they sign in.
 */
export async function carryOver(
  databases: ProjectDatabases,
  { server, databaseName }: ProjectDatabase,
  withAuth: boolean,
): Promise<void> {
  const open = (name: string) => plainClient(databases.adminUrl(server, name), { tablesAlone: true });
  const clients: pg.Client[] = [];
  try {
    const former = await open(formerName(databaseName));
    clients.push(former);
    const draft = await open(draftName(databaseName));
    clients.push(draft);
    await upgradeProject(former);
    const isKept = ({ schema, name }: { readonly schema: string; readonly name: string }) =>
      schema === 'auth' && (!withAuth || keptAuth.has(name));
    const { tables } = await readCatalog(former, isKept);
    await draft.query('begin');
    await draft.query(`truncate ${tables.map(quotedTable).join(', ')}`);
    for (const table of tables) await copyAcross(former, draft, table);
    await draft.query('update _svc.ddl_version set version = greatest(version, $1::bigint) + 1', [
      (await former.query<{ version: string }>('select version::text from _svc.ddl_version')).rows[0]!.version,
    ]);
    await draft.query('commit');
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}
