import { sql } from '../../db/drizzle.ts';
import { appVersions } from '../../db/schema/apps.ts';
import { projects } from '../../db/schema/projects.ts';
import { allOf, pick, type RowOf, setOf, statement, typed } from '../../db/sql.ts';
import { type LeasedItem, leasedStatements, putOffStatement } from '../../kernel/durability/leased-statements.ts';
import type { LeasedKind, LeasedWork } from '../../kernel/durability/leased-work.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import type { Context } from '../../kernel/run/context.ts';
import { attemptCopy, LostCopyError } from '../snapshots/shared/attempt-copy.ts';
import { type SavedParts, saveParts } from '../snapshots/shared/capture.ts';
import { appEventTypes } from './event-types.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Prepares versions that are published, on this node. */
    readonly appVersionWork: LeasedWork;
  }
}

/** How long a node has a version without a word of it, in seconds. */
const leaseSeconds = 30;

/** Most that the catalogs may answer of a schema that is published, in bytes. */
const definitionBytesMax = 32 * 1_048_576;

const leasedTable = {
  table: appVersions,
  id: appVersions.id,
  lane: appVersions.projectId,
  dueAt: appVersions.dueAt,
  lease: appVersions.lease,
};

const putOffVersion = putOffStatement(leasedTable, appVersions.attempts);

/** Versions that are prepared: each may hold the definitions of a large database. */
export const versionWork: LeasedKind = {
  statements: leasedStatements(leasedTable, leaseSeconds),
  run: prepareVersion,
  atOnce: 2,
  perLane: 1,
  renewMs: 5_000,
};

/** Saves the schema of the project without its data, and publishes the version. */
async function prepareVersion(ctx: Context, item: LeasedItem): Promise<void> {
  const [version] = await ctx.services.db.rows(beginStatement.with({ id: item.id, lease: item.lease }));
  if (version === undefined) return;
  return attemptCopy(ctx, item, {
    attempts: version.attempts,
    failed: 'A version of an app could not be prepared.',
    async run() {
      const { server, databaseName } = version;
      let tables: readonly string[] = [];
      const saved = await saveParts(ctx, version, {
        url: ctx.services.projectDatabases.adminUrl(server, databaseName),
        schemaOnly: true,
        definitionBytesMax,
        also: async (client) => {
          tables = (await client.query<{ name: string }>(tableNames)).rows.map(({ name }) => name);
        },
      });
      await unitOfWork(ctx, (work) => publish(work, item, version, { ...saved, tables }));
    },
    putOff: putOffVersion,
    fail: (message) => unitOfWork(ctx, (work) => fail(work, item, version, message)),
  });
}

const tableNames = `select c.relname as name from pg_catalog.pg_class c
  where c.relnamespace = 'public'::pg_catalog.regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname`;

interface SavedSchema extends Pick<SavedParts, 'manifest' | 'leftOut'> {
  readonly tables: readonly string[];
}

async function publish(work: Work, { id, lease }: LeasedItem, version: Prepared, saved: SavedSchema): Promise<void> {
  const contents = { ...version.contents, tables: saved.tables };
  const [published] = await work.rows(
    publishedStatement.with({
      id,
      lease,
      manifestSha256: saved.manifest.sha256,
      manifestBytes: BigInt(saved.manifest.bytes),
      contents: JSON.stringify({ ...contents, warnings: [...contents.warnings, ...saved.leftOut] }),
    }),
  );
  if (published === undefined) throw new LostCopyError('The version was taken over or deleted.');
  work.append(appendEvent({ ...ownerOf(version), type: appEventTypes.app_published, payload: toldOf(version) }));
}

async function fail(work: Work, { id, lease }: LeasedItem, version: Prepared, message: string): Promise<void> {
  const error = { code: 'APP_PUBLISH_FAILED', message };
  const [failed] = await work.rows(failedStatement.with({ id, lease, error: JSON.stringify(error) }));
  if (failed === undefined) return;
  const payload = { ...toldOf(version), error_code: error.code, message };
  work.append(appendEvent({ ...ownerOf(version), type: appEventTypes.app_publish_failed, payload }));
}

const ownerOf = ({ orgId, projectId }: Prepared) => ({ orgId, projectId });
const toldOf = ({ id, number }: Prepared) => ({ version_id: id, version: number });

const held = { ...pick(appVersions, 'id'), lease: typed<string>('text') };
const preparedColumns = { ...allOf(appVersions, ['dueAt', 'lease']), ...pick(projects, 'server', 'databaseName') };

type Prepared = RowOf<typeof preparedColumns>;

const beginStatement = statement(
  'apps.begin',
  {
    params: held,
    row: preparedColumns,
  },
  ({ id, lease }, row) => sql`update ${appVersions} ${setOf(appVersions, {
    attempts: sql`${appVersions.attempts} + 1`,
  })} from ${projects} where ${appVersions.id} = ${id} and ${appVersions.lease} = ${lease}
      and ${appVersions.deletedAt} is null and ${projects.orgId} = ${appVersions.orgId}
      and ${projects.id} = ${appVersions.projectId} and ${projects.deletedAt} is null returning ${row}`,
);

const over = { dueAt: sql`null`, lease: sql`null`, updatedAt: sql`now()` };

const publishedStatement = statement(
  'apps.published',
  {
    params: { ...held, ...pick(appVersions, 'manifestSha256', 'manifestBytes', 'contents') },
    row: pick(appVersions, 'id'),
  },
  ({ id, lease, ...set }, row) =>
    sql`update ${appVersions} ${setOf(appVersions, { ...set, ...over, status: sql`'published'` })}
      where ${appVersions.id} = ${id} and ${appVersions.lease} = ${lease} and ${appVersions.deletedAt} is null
      returning ${row}`,
);

const failedStatement = statement(
  'apps.publish-failed',
  { params: { ...held, ...pick(appVersions, 'error') }, row: pick(appVersions, 'id') },
  ({ id, lease, error }, row) => sql`update ${appVersions} ${setOf(appVersions, { ...over, error })}
    where ${appVersions.id} = ${id} and ${appVersions.lease} = ${lease} returning ${row}`,
);
