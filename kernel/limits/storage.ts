import { type SQL, sql } from '../../db/drizzle.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { contentObjects } from '../../db/schema/content.ts';
import type { Org } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { computed, pick, statement, typed } from '../../db/sql.ts';
import type { Services } from '../run/context.ts';
import { limitsOf } from './limits.ts';
import { quotaExceeded } from './quota.ts';

interface StoredProject extends Pick<ProjectDatabase, 'server' | 'databaseName'> {
  readonly id: string;
  readonly orgId: string;
  readonly state: string;
}

type Storing = Pick<Services, 'db' | 'projectDatabases'>;

/**
 * What projects store, in bytes, in the order given: their databases and their content. Before a project is ready there
 * may be no database yet, and once it is deleted there is none.
 */
export async function storageOfProjects(services: Storing, asked: readonly StoredProject[]): Promise<number[]> {
  const parts = await partsOf(services, asked, contentStatement);
  return parts.map(({ database, content }) => database + content);
}

/** The same for charts, in which a database that cannot be measured now is no fall: 0 then. */
export async function knownStorageOf(
  services: Storing,
  asked: readonly StoredProject[],
  isInBackground = false,
): Promise<number[]> {
  const parts = await partsOf(services, asked, isInBackground ? backgroundContentStatement : contentStatement);
  return parts.map(({ database, content }) => (database === 0 ? 0 : database + content));
}

async function partsOf(
  services: Storing,
  asked: readonly StoredProject[],
  contentOf: typeof contentStatement,
): Promise<{ readonly database: number; readonly content: number }[]> {
  const stored = asked.filter(({ state }) => state === 'ready');
  if (stored.length === 0) return asked.map(() => ({ database: 0, content: 0 }));
  const [sizes, rows] = await Promise.all([
    services.projectDatabases.sizesBytes(stored),
    services.db.rows(
      contentOf.with({
        orgIds: [...new Set(stored.map(({ orgId }) => orgId))],
        ids: stored.map(({ id }) => id),
      }),
    ),
  ]);
  const databases = new Map(stored.map(({ id }, at) => [id, sizes[at]!]));
  const contents = new Map(rows.map(({ projectId, bytes }) => [projectId, Number(bytes)]));
  return asked.map(({ id }) => ({ database: databases.get(id) ?? 0, content: contents.get(id) ?? 0 }));
}

/** What all projects of an organization store, in bytes. */
export async function storageOfOrg(services: Storing, orgId: string): Promise<number> {
  const found = await services.db.rows(projectsStatement.with({ orgId }));
  return (await storageOfProjects(services, found)).reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * Refuses what an organization has no room for.
 *
 * @param more bytes that it would store beside what it does
 * @param what it is that would take them, for the message. @default none
 * @throws QUOTA_EXCEEDED
 */
export async function refuseOverStorage(
  services: Storing,
  org: Pick<Org, 'id' | 'tier' | 'limitOverrides'>,
  more: number,
  what?: string,
): Promise<void> {
  const stored = await storageOfOrg(services, org.id);
  const limit = limitsOf(org).storageBytes;
  if (stored + more <= limit) return;
  const message = `${what} would take ${more} bytes more, which is more than the organization has left.`;
  const quota = { scope: 'organization', metric: 'storage_bytes', ...(what === undefined ? {} : { message }) } as const;
  throw quotaExceeded(quota, limit, stored);
}

const projectsStatement = statement(
  'storage.projects',
  { params: pick(projects, 'orgId'), row: pick(projects, 'id', 'orgId', 'state', 'server', 'databaseName') },
  ({ orgId }, row) => sql`select ${row} from ${projects}
    where ${projects.orgId} = ${orgId} and ${projects.state} = 'ready' and ${projects.deletedAt} is null`,
);

/**
 * Bytes of a project that do not count while they wait to be removed, because no asset names them any more. More than that
 * counts until it is gone, so that nobody fills the store by putting and deleting.
 */
const uncountedMax = 256 * 1024 * 1024;

const sum = (when: SQL) => sql`coalesce(sum(${contentObjects.size}) filter (where ${when}), 0)`;

const contentByProject = (name: string) =>
  statement(
    name,
    {
      params: { orgIds: typed<readonly string[]>('uuid[]'), ids: typed<readonly string[]>('text[]') },
      row: {
        projectId: contentObjects.projectId,
        bytes: computed<bigint>(
          'bigint',
          sql`(sum(${contentObjects.size}) - least(${sum(sql`${contentObjects.givenUp}`)}, ${sql.raw(String(uncountedMax))}))::bigint`,
        ),
      },
    },
    ({ orgIds, ids }, row) => sql`select ${row} from ${contentObjects}
      where ${contentObjects.orgId} = any(${orgIds}::uuid[]) and ${contentObjects.projectId} = any(${ids}::text[])
      group by ${contentObjects.projectId}`,
  );

const contentStatement = contentByProject('storage.content');
const backgroundContentStatement = contentByProject('traffic.content');
