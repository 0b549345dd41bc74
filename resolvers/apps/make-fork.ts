import { sql } from '../../db/drizzle.ts';
import { appForks, appVersions } from '../../db/schema/apps.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { allOf, computed, partOf, pick, prefixed, setOf, statement, typed } from '../../db/sql.ts';
import { DamagedPartError } from '../../engines/copies/parts.ts';
import { projectColumns, projectOf } from '../../kernel/access/project-columns.ts';
import {
  heldStatement,
  type LeasedItem,
  leasedStatements,
  putOffStatement,
} from '../../kernel/durability/leased-statements.ts';
import type { LeasedKind, LeasedWork } from '../../kernel/durability/leased-work.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { asOwn, attemptCopy } from '../snapshots/shared/attempt-copy.ts';
import { placeCopy } from '../snapshots/shared/place-copy.ts';
import { failFork, openFork } from './settle-fork.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Makes forks on this node. */
    readonly appForkWork: LeasedWork;
  }
}

/** How long a node has a fork without a word of it, in seconds. */
const leaseSeconds = 30;

/** Longest that the statements of a schema may take together, in milliseconds: there are no rows. */
const schemaMs = 120_000;

const leasedTable = {
  table: appForks,
  id: appForks.id,
  lane: appForks.lane,
  dueAt: appForks.dueAt,
  lease: appForks.lease,
};

const heldFork = heldStatement(leasedTable);
const putOffFork = putOffStatement(leasedTable, appForks.attempts);

/** Forks that are made, in turns between organizations. */
export const forkWork: LeasedKind = {
  statements: leasedStatements(leasedTable, leaseSeconds),
  run: makeFork,
  atOnce: 4,
  perLane: 2,
  renewMs: 5_000,
};

/**
 * Makes a fork: its database, out of a schema whose statements run as the new project's own role, then its release. Each step
 * may be repeated by another node.
 */
async function makeFork(ctx: Context, item: LeasedItem): Promise<void> {
  const [row] = await ctx.services.db.rows(beginStatement.with({ id: item.id, lease: item.lease }));
  if (row === undefined) return;
  const making = { fork: forkOf(row)!, project: projectOf(row)!, org: orgOf(row)!, version: versionOf(row) };
  return attemptCopy(ctx, item, {
    attempts: row.attempts,
    failed: 'A fork of an app could not be made.',
    async run() {
      const { version, project } = making;
      const { id = '', manifestSha256: sha256 = null, manifestBytes: bytes } = version ?? {};
      if (sha256 === null) throw new DamagedPartError(id, 'is not there any more');
      const manifest = { sha256, bytes: Number(bytes) };
      const filling = { snapshotId: id, manifest, withAuth: false, tenantMs: schemaMs };
      await placeCopy(ctx, filling, project, item, heldFork);
      await unitOfWork(ctx, (work) => openFork(work, item, { ...making, version: version! })).catch(asOwn);
    },
    putOff: putOffFork,
    fail: (reason) => unitOfWork(ctx, (work) => failFork(work, item, reason)),
  });
}

const forkOf = partOf('fork.', allOf(appForks, ['dueAt', 'lease']));
const orgColumns = allOf(orgs);
const orgOf = partOf('org.', orgColumns);
const versionColumns = allOf(appVersions, ['dueAt', 'lease', 'attempts']);
const versionOf = partOf('version.', versionColumns);

// A version that was deleted is there until no fork is made of it any more; one whose project is gone is not.
const beginStatement = statement(
  'forks.begin',
  {
    params: { ...pick(appForks, 'id'), lease: typed<string>('text') },
    row: {
      ...prefixed('fork.', allOf(appForks, ['dueAt', 'lease'])),
      ...prefixed('project.', projectColumns),
      ...prefixed('org.', orgColumns),
      ...prefixed('version.', versionColumns),
      attempts: computed<number>('integer', sql`begun.attempts`),
    },
  },
  ({ id, lease }, row) => sql`with begun as (
      update ${appForks} ${setOf(appForks, { attempts: sql`${appForks.attempts} + 1` })}
      where ${appForks.id} = ${id} and ${appForks.lease} = ${lease} returning ${appForks.id} as id, ${appForks.attempts} as attempts
    )
    select ${row} from begun join ${appForks} on ${appForks.id} = begun.id
    join ${projects} on ${projects.orgId} = ${appForks.orgId} and ${projects.id} = ${appForks.id}
      and ${projects.deletedAt} is null
    join ${orgs} on ${orgs.id} = ${appForks.orgId}
    left join ${appVersions} on ${appVersions.id} = ${appForks.versionId}`,
);
