import { sql } from '../../db/drizzle.ts';
import { type ThresholdLevel, usageThresholds } from '../../db/schema/notices.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { projects, projectUsage } from '../../db/schema/projects.ts';
import { computed, excluded, insertInto, namesOf, pick, type RowOf, setOf, statement, typed } from '../../db/sql.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import { knownStorageOf } from '../../kernel/limits/storage.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Task } from '../../kernel/run/task.ts';
import { eventMail } from './event-mail.ts';
import { recipientsOfOrg } from './recipients.ts';
import { type Fact, tell } from './tell.ts';

/** The job that looks how near organizations are to their limits. */
export const watchThresholdsTask = 'watch_thresholds';

/** Organizations that are looked at together. */
const batch = 200;

/** From which part of a limit on somebody is told, and below which all is well again. */
const warnFrom = 0.8;
const wellBelow = 0.75;

/** Tells whoever answers for an organization that a limit comes near, or is reached: once each until all is well again. */
export const watchThresholds: Task = async ({ ctx }) => {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    ctx.signal.throwIfAborted();
    const found = await ctx.services.db.rows(orgsStatement.with({ after, limit: batch }));
    for (const use of await usesOf(ctx, found)) await settle(ctx, use);
    if (found.length < batch) return;
    after = found.at(-1)!.id;
  }
};

interface Use {
  readonly org: Pick<Watched, 'id' | 'displayName'>;
  readonly resource: 'api_calls' | 'storage_bytes';
  readonly value: number;
  readonly limit: number;
}

/** What is used of each limit, where that is enough to be told of, or was. */
async function usesOf({ services }: Context, found: readonly Watched[]): Promise<Use[]> {
  const orgIds = found.map(({ id }) => id);
  const stored = await services.db.rows(projectsStatement.with({ orgIds }));
  const sizes = await knownStorageOf(services, stored, true);
  const storage = new Map<string, number>();
  for (const [at, { orgId }] of stored.entries()) storage.set(orgId, (storage.get(orgId) ?? 0) + sizes[at]!);
  return found.flatMap((org): Use[] => {
    const limits = limitsOf(org);
    const uses: Use[] = [
      { org, resource: 'api_calls', value: Number(org.apiCalls), limit: limits.apiCalls },
      { org, resource: 'storage_bytes', value: storage.get(org.id) ?? 0, limit: limits.storageBytes },
    ];
    return uses.filter((use) => use.value >= use.limit * warnFrom || org.crossed.includes(use.resource));
  });
}

const levelOf = ({ value, limit }: Use): ThresholdLevel | 'between' | 'well' =>
  value >= limit ? 'critical' : value >= limit * warnFrom ? 'warn' : value >= limit * wellBelow ? 'between' : 'well';

async function settle(ctx: Context, use: Use): Promise<void> {
  const level = levelOf(use);
  const { resource, value } = use;
  const key = { orgId: use.org.id, resource };
  if (level === 'between') return;
  await unitOfWork(ctx, async (work) => {
    if (level === 'well') {
      await work.rows(wellStatement.with(key));
      return;
    }
    const [before] = await work.rows(beforeStatement.with(key));
    const [crossed] = await work.rows(crossStatement.with({ ...key, level, lastValue: String(value) }));
    if (before === undefined || (before.level === 'warn' && level === 'critical'))
      await tellCrossed(work, use, level, crossed!.crossedAt);
  });
}

async function tellCrossed(work: Work, use: Use, level: ThresholdLevel, at: Date): Promise<void> {
  const { org, resource, value, limit } = use;
  const type = level === 'critical' ? 'limit_reached' : 'limit_near';
  const payload = { resource, level, value, limit, percent: Math.floor((value / limit) * 100) };
  const about = { orgId: org.id, orgName: org.displayName, projectId: null, projectName: null };
  const actions = [{ type: 'check_usage', command: 'svc tier status', why: 'See what is used.' }] as const;
  const fact: Fact = {
    fact: `${org.id}:threshold:${resource}:${level}:${at.toISOString()}`,
    kind: 'threshold_alert',
    type,
    class: 'lifecycle',
    orgId: org.id,
    projectId: null,
    occurredAt: at,
    payload,
    nextActions: actions,
  };
  await tell(work, fact, await work.rows(recipientsOfOrg.with({ orgId: org.id })), {
    urgency: 'critical',
    mailFor: (reader) => eventMail({ ...fact, ...about }, actions, work.services.settings, reader),
  });
}

const watchedRow = {
  ...pick(orgs, 'id', 'displayName', 'tier', 'limitOverrides'),
  apiCalls: computed<bigint>(
    'bigint',
    sql`(select coalesce(sum(${projectUsage.apiCalls}), 0)::bigint from ${projectUsage}
      where ${projectUsage.orgId} = ${orgs.id} and ${projectUsage.since} = ${orgs.usageSince})`,
  ),
  /** Limits that somebody was told of. */
  crossed: computed<readonly string[]>(
    'text[]',
    sql`array(select ${usageThresholds.resource} from ${usageThresholds} where ${usageThresholds.orgId} = ${orgs.id})`,
  ),
};
type Watched = RowOf<typeof watchedRow>;

const orgsStatement = statement(
  'notices.watched-orgs',
  { params: { after: typed<string>('uuid'), limit: typed<number>('bigint') }, row: watchedRow },
  ({ after, limit }, row) => sql`select ${row} from ${orgs}
    where ${orgs.id} > ${after} and ${orgs.lifecycleState} <> 'purged' order by ${orgs.id} limit ${limit}`,
);

const projectsStatement = statement(
  'notices.watched-projects',
  {
    params: { orgIds: typed<readonly string[]>('uuid[]') },
    row: pick(projects, 'id', 'orgId', 'state', 'server', 'databaseName'),
  },
  ({ orgIds }, row) => sql`select ${row} from ${projects}
    where ${projects.orgId} = any(${orgIds}::uuid[]) and ${projects.state} = 'ready' and ${projects.deletedAt} is null`,
);

const beforeStatement = statement(
  'notices.threshold',
  { params: pick(usageThresholds, 'orgId', 'resource'), row: pick(usageThresholds, 'level') },
  ({ orgId, resource }, row) => sql`select ${row} from ${usageThresholds}
    where ${usageThresholds.orgId} = ${orgId} and ${usageThresholds.resource} = ${resource} for update`,
);

const crossStatement = statement(
  'notices.cross-threshold',
  { params: pick(usageThresholds, 'orgId', 'resource', 'level', 'lastValue'), row: pick(usageThresholds, 'crossedAt') },
  (given, row) => sql`${insertInto(usageThresholds, given)}
    on conflict (${namesOf(usageThresholds.orgId, usageThresholds.resource)}) do update ${setOf(usageThresholds, {
      lastValue: excluded(usageThresholds.lastValue),
      level: excluded(usageThresholds.level),
      crossedAt: sql`case when ${usageThresholds.level} = ${excluded(usageThresholds.level)}
        then ${usageThresholds.crossedAt} else now() end`,
    })} returning ${row}`,
);

const wellStatement = statement(
  'notices.end-threshold',
  { params: pick(usageThresholds, 'orgId', 'resource') },
  ({ orgId, resource }) => sql`delete from ${usageThresholds}
    where ${usageThresholds.orgId} = ${orgId} and ${usageThresholds.resource} = ${resource}`,
);
