import { draftName } from '../../../db/copy-names.ts';
import type { ProjectDatabase } from '../../../db/project-databases.ts';
import { upgradeProject } from '../../../db/project-upgrade.ts';
import { withClient } from '../../../db/with-client.ts';
import type { ArchiveSource } from '../../../engines/archives/archive-source.ts';
import { documents } from '../../../engines/archives/portable/format.ts';
import { Lines, subjectOf } from '../../../engines/archives/portable/read-files.ts';
import { writeFacts, writeUserStubs } from '../../../engines/archives/project-facts.ts';
import { restoreProject } from '../../../engines/copies/restore-project.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { storing } from '../../content/shared/storing.ts';
import { UnrestorableError } from '../../snapshots/shared/fill-draft.ts';
import type { Importable } from './check.ts';

/** Longest that statements of an archive may take together, in milliseconds. */
const tenantMs = 600_000;

/** Users that one statement makes. */
const usersAtOnce = 1_000;

/**
 * Fills a new database beside the place of a project's from an archive. Everything that the archive defines is run by the
 * project's own role, which may do there what it may do on any day and nothing elsewhere.
 */
export async function fillImported(
  ctx: Context,
  source: ArchiveSource,
  { tables, sequences, facts }: Importable,
  { database, operationId }: { readonly database: ProjectDatabase; readonly operationId: string },
): Promise<void> {
  const { projectDatabases } = ctx.services;
  const draft = draftName(database.databaseName);
  const { template_version: templateVersion, live, filled_views: views } = facts.database;
  await storing(ctx.services, async () => {
    const saved = [];
    for (const { schema, name, columns, row_count: rows, copy_path: path } of tables)
      saved.push({ schema, name, columns: columns.map((one) => one.name), rows, parts: await source.rowsOf(path) });
    const unfilled = await restoreProject({
      databases: projectDatabases,
      project: {
        ...database,
        templateVersion,
        live,
        saved: {
          tables: saved,
          sequences: sequences.map(({ schema, name, value, is_called: called }) => ({ schema, name, value, called })),
          before: source.partOf(documents['database.pre_data_sql'].path),
          after: source.partOf(documents['database.post_data_sql'].path),
          extensions: [],
          filled: views.map((name) => ({ schema: 'public', name })),
        },
      },
      draft,
      store: source,
      onBytes: () => ctx.signal.throwIfAborted(),
      projectMs: tenantMs,
    });
    if (unfilled.length > 0) throw new UnrestorableError(`${unfilled.join('. ')}.`);
  });
  const url = projectDatabases.adminUrl(database.server, draft);
  await withClient(
    url,
    async (client) => {
      await writeFacts(client, facts, operationId);
      for await (const ids of usersOf(source)) await writeUserStubs(client, ids);
      await upgradeProject(client);
    },
    { name: 'import' },
  );
}

/** The users of an archive, some at a time. */
async function* usersOf(source: ArchiveSource): AsyncGenerator<readonly string[]> {
  const { path } = documents['auth.subjects'];
  if (!source.has(path)) return;
  let ids: string[] = [];
  const lines = new Lines((line) => ids.push(subjectOf(JSON.parse(Buffer.from(line).toString('utf8')))));
  for await (const piece of source.file(path)) {
    lines.take(piece);
    for (; ids.length >= usersAtOnce; ids = ids.slice(usersAtOnce)) yield ids.slice(0, usersAtOnce);
  }
  lines.end();
  if (ids.length > 0) yield ids;
}
