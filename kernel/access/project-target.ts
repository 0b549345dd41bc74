import { ServiceError } from '../../core/errors.ts';
import { Lru } from '../../core/lru.ts';
import { sql } from '../../db/drizzle.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { hostNames } from '../../db/schema/hosts.ts';
import { type LifecycleState, type Org, orgs, type Tier } from '../../db/schema/orgs.ts';
import { type BranchFacts, projects } from '../../db/schema/projects.ts';
import { computed, pick, type RowOf, statement, typed } from '../../db/sql.ts';
import type { Services } from '../run/context.ts';

/** What a request inside a project needs to know of it. */
export interface ProjectTarget {
  readonly projectId: string;
  readonly orgId: string;
  /** Its keys are made from it. */
  readonly createdAt: Date;
  /** When it came to its organization from another one: its service key is made from it. */
  readonly transferredAt: Date | null;
  /** Names the project's hosts. */
  readonly publicId: string;
  /** Names of hosts that the project has claimed, beside the one that comes from its public id. */
  readonly hostNames: readonly string[];
  readonly database: ProjectDatabase;
  /** Null for a project that is no branch. */
  readonly branch: BranchFacts | null;
  /** Rows that one PATCH or DELETE may change where its request says nothing of that; null for any number. */
  readonly maxAffected: number | null;
  readonly tier: Tier;
  readonly limitOverrides: Org['limitOverrides'];
  readonly lifecycleState: LifecycleState;
  readonly lifecycleEnteredAt: Date;
  readonly leaseExpiresAt: Date;
}

/** How long a project is remembered as it was, in milliseconds: a page asks for many lists at once. */
const rememberedMs = 1_000;

interface Remembered {
  readonly target: ProjectTarget;
  readonly until: number;
}

const remembered = new WeakMap<Services, Lru<Remembered>>();
/** The latest change on this node: what was asked for before it may not be remembered after it. */
const changes = new WeakMap<Services, number>();

/**
 * Forgets the remembered projects, because one was deleted, archived or set otherwise here, or an organization changed its state. All of
 * them: it happens seldom, and each is one look at the database.
 */
export function forgetProjectTargets(services: Services): void {
  remembered.delete(services);
  changes.set(services, (changes.get(services) ?? 0) + 1);
}

/** Rises whenever this node forgets the remembered projects. */
export const projectTargetsVersion = (services: Services): number => changes.get(services) ?? 0;

/**
 * The project that a key names.
 *
 * @throws INVALID_AUTH when it is gone, PROJECT_NOT_READY while it is being made, FORBIDDEN while it is archived
 */
export async function findProjectTarget(services: Services, projectId: string): Promise<ProjectTarget> {
  let known = remembered.get(services);
  if (known === undefined) remembered.set(services, (known = new Lru({ entries: 10_000, bytes: 10_000 })));
  const found = known.get(projectId);
  const now = performance.now();
  if (found !== undefined && found.until > now) return found.target;
  const asked = changes.get(services);
  const [row] = await services.db.rows(targetStatement.with({ id: projectId }));
  if (row === undefined) throw new ServiceError('INVALID_AUTH');
  if (row.state === 'provisioning') throw new ServiceError('PROJECT_NOT_READY', { retryAfter: 1 });
  if (row.state !== 'ready' || row.lifecycleState === 'purged') throw new ServiceError('PROJECT_NOT_FOUND');
  if (row.archived)
    throw new ServiceError('FORBIDDEN', {
      label: 'project_archived',
      message: 'The project is put away; its rows are served again once it is reactivated.',
      details: { project_id: projectId },
    });
  const target = targetOf(projectId, row);
  if (changes.get(services) === asked) known.set(projectId, { target, until: now + rememberedMs }, 1);
  return target;
}

/** Those of some projects that {@link findProjectTarget} would find, asked of the database. */
export async function activeProjects(
  { db }: Pick<Services, 'db'>,
  projectIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.rows(statusStatement.with({ ids: projectIds }));
  return new Set(rows.map(({ id }) => id));
}

const targetOf = (projectId: string, row: TargetRow): ProjectTarget => ({
  projectId,
  orgId: row.orgId,
  createdAt: row.createdAt,
  transferredAt: row.transferredAt,
  publicId: row.publicId,
  hostNames: row.hostNames,
  database: { server: row.server, databaseName: row.databaseName, roleName: row.roleName },
  branch: row.branch,
  maxAffected: row.maxAffected,
  tier: row.tier,
  limitOverrides: row.limitOverrides,
  lifecycleState: row.lifecycleState,
  lifecycleEnteredAt: row.lifecycleEnteredAt,
  leaseExpiresAt: row.leaseExpiresAt,
});

const target = {
  ...pick(
    projects,
    'orgId',
    'createdAt',
    'transferredAt',
    'publicId',
    'state',
    'server',
    'databaseName',
    'roleName',
    'maxAffected',
    'branch',
  ),
  ...pick(orgs, 'tier', 'limitOverrides', 'lifecycleState', 'lifecycleEnteredAt', 'leaseExpiresAt'),
  archived: computed<boolean>('boolean', sql`${projects.archivedAt} is not null`),
  hostNames: computed<readonly string[]>(
    'text[]',
    sql`array(select ${hostNames.name} from ${hostNames}
      where ${hostNames.orgId} = ${projects.orgId} and ${hostNames.projectId} = ${projects.id})`,
  ),
};
type TargetRow = RowOf<typeof target>;

const targetStatement = statement(
  'rows.target',
  // Asked inside transactions, too: these may hold every connection of the pool.
  { params: pick(projects, 'id'), row: target, pipelined: true },
  ({ id }, row) => sql`select ${row} from ${projects} join ${orgs} on ${orgs.id} = ${projects.orgId}
    where ${projects.id} = ${id} and ${projects.deletedAt} is null`,
);

const statusStatement = statement(
  'rows.standing',
  { params: { ids: typed<readonly string[]>('text[]') }, row: pick(projects, 'id') },
  ({ ids }, row) => sql`select ${row} from ${projects} join ${orgs} on ${orgs.id} = ${projects.orgId}
    where ${projects.id} = any(${ids}::text[]) and ${projects.deletedAt} is null and ${projects.archivedAt} is null
      and ${projects.state} = 'ready' and ${orgs.lifecycleState} <> 'purged'`,
);
