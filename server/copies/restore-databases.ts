import type { KeyRing } from '../../core/keys.ts';
import { acquireNodeLock } from '../../db/node-lock.ts';
import { ProjectDatabases } from '../../db/project-databases.ts';
import { templateVersion } from '../../db/project-template.ts';
import { withClient } from '../../db/with-client.ts';
import type { SavedDatabase } from '../../engines/copies/archive.ts';
import type { ContentStore } from '../../engines/copies/content-store.ts';
import { quoted } from '../../engines/copies/names.ts';
import { restoreProject } from '../../engines/copies/restore-project.ts';
import type { Manifest, SavedProject } from './manifest.ts';
import type { Report } from './report.ts';
import { controlState, finishControl, restoreControl } from './restore-control.ts';
import { RestoreError } from './restore-error.ts';

export interface RestoreDatabasesOptions {
  readonly manifest: Manifest;
  readonly store: ContentStore;
  readonly controlUrl: string;
  readonly servers: Readonly<Record<string, string>>;
  readonly keys: KeyRing;
  /** Whether a restore of this backup was begun before, and its data folder is not in place yet. */
  readonly resumed: boolean;
  /** Databases of projects that are made empty, by name. */
  readonly leaveOut: ReadonlySet<string>;
  /** Longest that one project may take, in milliseconds. */
  readonly projectMs: number;
  readonly report: Report;
  readonly signal: AbortSignal;
}

const draftOf = ({ databaseName }: SavedProject) => `restoring_${databaseName}`;
/** What a database says of the restore that made it, until that has finished. */
const commentOf = (run: string, isEmpty: boolean) => `svc restore ${run}${isEmpty ? ', left out' : ''}`;

/**
 * Fills servers with an installation. Databases of projects are filled under other names and get their own when all are
 * verified; the control database, which names them, is committed last. A process that is killed leaves databases that
 * nothing refers to, and another one goes on from there.
 *
 * @returns what could not be brought back, in sentences
 */
export async function restoreDatabases(options: RestoreDatabasesOptions): Promise<string[]> {
  const { manifest, controlUrl, servers, keys, leaveOut, report } = options;
  const lock = await acquireNodeLock({
    url: controlUrl,
    shared: false,
    log: { info: () => undefined, error: () => undefined },
    waitMs: 1_000,
  });
  const databases = new ProjectDatabases({ servers, keys, warn: () => undefined });
  try {
    const state = await controlState(controlUrl);
    if (state === 'used' || (state !== 'empty' && state.finished && !options.resumed))
      throw new RestoreError('The control database is not empty; name an empty one by DATABASE_URL.');
    if (state !== 'empty' && state.run !== manifest.id)
      throw new RestoreError(`A restore of the backup ${state.run} was cut short here; go on with --run ${state.run}.`);
    // What was asked for came too late once the control database names the projects.
    const notes =
      state === 'empty'
        ? await fill(options, databases)
        : [...leaveOut].map((name) => `${name}: It was made by the restore that was cut short, and stays as it is.`);
    report.step('finish');
    for (const { server, databaseName } of manifest.projects)
      await onServer(servers, server, (query) => query(`comment on database ${quoted(databaseName)} is null`));
    await finishControl(controlUrl);
    return notes;
  } finally {
    await databases.close();
    await lock.release();
  }
}

async function fill(options: RestoreDatabasesOptions, databases: ProjectDatabases): Promise<string[]> {
  const { manifest, store, controlUrl, servers, leaveOut, report, signal } = options;
  const notes: string[] = [];
  const done = new Set<string>();
  const comesBack = (project: SavedProject): project is SavedProject & { saved: SavedDatabase } =>
    project.saved !== null && !leaveOut.has(project.databaseName);
  // Looked at before anything is made: another installation may have its databases on this server.
  for (const project of manifest.projects) {
    const comment = await commentedAs(servers, project.server, project.databaseName);
    if (comment === undefined) continue;
    if (comment !== commentOf(manifest.id, false) && comment !== commentOf(manifest.id, true))
      throw new RestoreError(
        `The server ${project.server} has a database ${project.databaseName} already; restore to another server.`,
      );
    if (comment === commentOf(manifest.id, !comesBack(project))) done.add(project.databaseName);
    // A restore that was cut short made it, and what is to be left out was another choice then.
    else
      await onServer(servers, project.server, (query) =>
        query(`drop database ${quoted(project.databaseName)} with (force)`),
      );
  }
  report.step('roles');
  await databases.bootstrap();
  for (const project of manifest.projects) {
    signal.throwIfAborted();
    const { databaseName, server } = project;
    const draft = draftOf(project);
    const comment = commentOf(manifest.id, !comesBack(project));
    if (!comesBack(project)) notes.push(`${databaseName}: It is empty.`);
    if (done.has(databaseName) || (await commentedAs(servers, server, draft)) === comment) continue;
    report.step('project', { database: databaseName });
    if (!comesBack(project)) {
      await databases.makeDraft(project, draft, project.templateVersion || templateVersion);
      await databases.settleDraft(project, draft);
    } else {
      const left = await restoreProject({
        databases,
        project,
        draft,
        store,
        onBytes: report.done,
        onLoaded: () => report.step('project-loaded', { database: databaseName }),
        projectMs: options.projectMs,
      }).catch((error: Error) => {
        throw new RestoreError(
          `The database ${databaseName} of the project ${project.id} cannot be restored: ${error.message.replace(/\.$/, '')}. Nothing was changed. Leave it empty with --leave-out ${databaseName}.`,
        );
      });
      notes.push(...left.map((one) => `${databaseName}: ${one}`));
    }
    await onServer(servers, server, (query) => query(`comment on database ${quoted(draft)} is '${comment}'`));
    report.step('project-verified', { database: databaseName });
  }
  report.step('control');
  await restoreControl({
    url: controlUrl,
    run: manifest.id,
    saved: manifest.control,
    store,
    report,
    beforeCommit: async () => {
      report.step('publish');
      for (const project of manifest.projects) {
        if (done.has(project.databaseName)) continue;
        await onServer(servers, project.server, (query) =>
          query(`alter database ${quoted(draftOf(project))} rename to ${quoted(project.databaseName)}`),
        );
      }
    },
  });
  return notes;
}

/** On a database that is none of those that are renamed. */
function onServer<Result>(
  servers: RestoreDatabasesOptions['servers'],
  server: string,
  run: (
    query: (text: string, values?: readonly unknown[]) => Promise<{ rows: Record<string, unknown>[] }>,
  ) => Promise<Result>,
): Promise<Result> {
  return withClient(servers[server]!, (client) => run((text, values = []) => client.query(text, [...values])));
}

/** The comment of a database, empty without one; undefined where there is no such database. */
function commentedAs(
  servers: RestoreDatabasesOptions['servers'],
  server: string,
  name: string,
): Promise<string | undefined> {
  return onServer(servers, server, async (query) => {
    const text = `select coalesce(pg_catalog.shobj_description(oid, 'pg_database'), '') as comment
      from pg_catalog.pg_database where datname = $1`;
    return (await query(text, [name])).rows[0]?.comment as string | undefined;
  });
}
