import { ServiceError } from '../../core/errors.ts';
import { Lru } from '../../core/lru.ts';
import type { Statement } from '../../db/pool.ts';
import type { LifecycleState, Org, Tier } from '../../db/schema/orgs.ts';
import type { ProjectState } from '../../db/schema/projects.ts';
import type { Services } from '../run/context.ts';
import type { ProjectTarget } from './addressed-project.ts';

interface TargetRow {
  readonly org_id: string;
  readonly created_at: Date;
  readonly public_id: string;
  readonly host_names: readonly string[];
  readonly state: ProjectState;
  readonly archived: boolean;
  readonly server: string;
  readonly database_name: string;
  readonly role_name: string;
  readonly tier: Tier;
  readonly limit_overrides: Org['limitOverrides'];
  readonly lifecycle_state: LifecycleState;
  readonly lifecycle_entered_at: Date;
  readonly lease_expires_at: Date;
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
 * Forgets what projects were, because one was deleted or put away here, or an organization changed its state. All of
 * them: it happens seldom, and each is one look at the database.
 */
export function forgetProjectTargets(services: Services): void {
  remembered.delete(services);
  changes.set(services, (changes.get(services) ?? 0) + 1);
}

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
  const [row] = await services.db.rows<TargetRow>(targetStatement, [projectId]);
  if (row === undefined) throw new ServiceError('INVALID_AUTH');
  if (row.state === 'provisioning') throw new ServiceError('PROJECT_NOT_READY', { retryAfter: 1 });
  if (row.state !== 'ready' || row.lifecycle_state === 'purged') throw new ServiceError('PROJECT_NOT_FOUND');
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
export async function standingProjects(
  { db }: Pick<Services, 'db'>,
  projectIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.rows<{ id: string }>(standingStatement, [projectIds]);
  return new Set(rows.map(({ id }) => id));
}

const targetOf = (projectId: string, row: TargetRow): ProjectTarget => ({
  projectId,
  orgId: row.org_id,
  createdAt: row.created_at,
  publicId: row.public_id,
  hostNames: row.host_names,
  database: { server: row.server, databaseName: row.database_name, roleName: row.role_name },
  tier: row.tier,
  limitOverrides: row.limit_overrides,
  lifecycleState: row.lifecycle_state,
  lifecycleEnteredAt: row.lifecycle_entered_at,
  leaseExpiresAt: row.lease_expires_at,
});

const targetStatement: Statement = {
  name: 'rows.target',
  // Asked inside transactions, too: these may hold every connection of the pool.
  pipelined: true,
  text: `select p.org_id, p.created_at, p.public_id, p.state, p.archived_at is not null as archived, p.server, p.database_name, p.role_name,
      o.tier, o.limit_overrides, o.lifecycle_state, o.lifecycle_entered_at, o.lease_expires_at,
      array(select h.name from host_names h where h.org_id = p.org_id and h.project_id = p.id) as host_names
    from projects p join orgs o on o.id = p.org_id
    where p.id = $1 and p.deleted_at is null`,
};

const standingStatement: Statement = {
  name: 'rows.standing',
  text: `select p.id from projects p join orgs o on o.id = p.org_id
    where p.id = any($1::text[]) and p.deleted_at is null and p.archived_at is null and p.state = 'ready'
      and o.lifecycle_state <> 'purged'`,
};
