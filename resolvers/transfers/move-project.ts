import { getTableName, type SQL, sql, type Table } from '../../db/drizzle.ts';
import { appForks, appVersions } from '../../db/schema/apps.ts';
import { projectArchives } from '../../db/schema/archives.ts';
import { assets, assetVersions } from '../../db/schema/assets.ts';
import { cachedPages, cacheGenerations } from '../../db/schema/cached-pages.ts';
import { feedChanges } from '../../db/schema/changes.ts';
import { contentObjects, contentPlans, contentUploads } from '../../db/schema/content.ts';
import {
  errorCounts,
  errorFingerprints,
  errorProjects,
  errorReleases,
  functionInvocations,
  releaseActivations,
} from '../../db/schema/errors.ts';
import { appEventKeys } from '../../db/schema/events.ts';
import { functionMailTriggers } from '../../db/schema/function-mail-triggers.ts';
import { functionRuns } from '../../db/schema/function-runs.ts';
import { functionSchedules } from '../../db/schema/function-schedules.ts';
import { functionBuilds, functionLogs, releaseFunctions } from '../../db/schema/functions.ts';
import { hostNames, projectDomains, subdomains } from '../../db/schema/hosts.ts';
import { platformIncidentProjects } from '../../db/schema/incidents.ts';
import { jobArtifacts, jobCallbacks, jobLogs, managedJobs } from '../../db/schema/jobs.ts';
import { mailAddresses, mailDomains, receiveTests } from '../../db/schema/mail-domains.ts';
import { mailboxWebhookDeliveries, mailboxWebhooks } from '../../db/schema/mailbox-webhooks.ts';
import { mailboxes, mailboxMessages } from '../../db/schema/mailboxes.ts';
import { projectCredentials } from '../../db/schema/project-credentials.ts';
import { deployRehearsals } from '../../db/schema/rehearsals.ts';
import {
  deployEvents,
  deployOperations,
  deployPlans,
  liveReleases,
  releaseParts,
  releases,
} from '../../db/schema/releases.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { savedQueries } from '../../db/schema/saved-queries.ts';
import { projectSecrets } from '../../db/schema/secrets.ts';
import { projectRestores, projectSnapshots } from '../../db/schema/snapshots.ts';
import { projectMetrics, projectRequests } from '../../db/schema/traffic.ts';
import { nameOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';

/** Whose project becomes whose. */
export interface Move {
  readonly projectId: string;
  readonly from: string;
  readonly to: string;
}

/**
 * What belongs to a project and goes with it. What an organization did, owes or has learnt stays where it is: its trail, its
 * events, its rooms, its money, its signers, its vaults, and whom it let in.
 */
export const movedTables = [
  appVersions,
  assetVersions,
  assets,
  cacheGenerations,
  cachedPages,
  contentObjects,
  contentPlans,
  contentUploads,
  deployEvents,
  deployOperations,
  deployPlans,
  deployRehearsals,
  errorCounts,
  errorFingerprints,
  errorProjects,
  errorReleases,
  functionBuilds,
  functionInvocations,
  functionLogs,
  functionMailTriggers,
  functionRuns,
  functionSchedules,
  hostNames,
  jobArtifacts,
  jobCallbacks,
  jobLogs,
  liveReleases,
  mailAddresses,
  mailDomains,
  mailboxMessages,
  mailboxWebhookDeliveries,
  mailboxWebhooks,
  mailboxes,
  managedJobs,
  platformIncidentProjects,
  projectArchives,
  projectCredentials,
  projectDomains,
  projectMetrics,
  projectRequests,
  projectRestores,
  projectSecrets,
  projectSnapshots,
  receiveTests,
  releaseActivations,
  releaseFunctions,
  releaseParts,
  releases,
  savedQueries,
  subdomains,
] as const;

/**
 * Gives all rows of a project to another organization, in the transaction of the transfer; the project's own row is the
 * caller's. A straggler of a request that was on its way when the project moved before is of nobody any more: it makes room.
 */
export async function moveProject(work: Work, move: Move): Promise<void> {
  const { projectId, to } = move;
  await work.rows(forgetKeys.with({ projectId }));
  for (const one of [...clearStatements, ...feeds.map(({ clear }) => clear)])
    await work.rows(one.with({ projectId, to }));
  for (const one of [...moveStatements, ...feeds.map(({ move }) => move), moveFork]) await work.rows(one.with(move));
}

const there = { projectId: typed<string>('text'), to: typed<string>('uuid') };
const params = { ...there, from: typed<string>('uuid') };
const named = (table: Table) => getTableName(table).replaceAll('_', '-');

const clearStatements = movedTables.map((table) =>
  statement(
    `transfers.clear-${named(table)}`,
    { params: there },
    ({ projectId, to }) => sql`delete from ${table} where ${table.orgId} = ${to} and ${table.projectId} = ${projectId}`,
  ),
);

const moveStatements = movedTables.map((table) =>
  statement(
    `transfers.move-${named(table)}`,
    { params },
    ({ projectId, from, to }) => sql`update ${table} set ${nameOf(table.orgId)} = ${to}
      where ${table.orgId} = ${from} and ${table.projectId} = ${projectId}`,
  ),
);

/** The feeds of the project itself, and those of its mailboxes. */
const feeds = [feedHeads, feedChanges].map((feed) => {
  const isOfProject = (projectId: SQL) => sql`((${feed.feedId} = ${projectId}
      and ${feed.kind} in ('deploys', 'function_logs', 'function_runs', 'job_logs'))
    or (${feed.kind} = 'mail' and ${feed.feedId} in (
      select ${mailboxes.id} from ${mailboxes} where ${mailboxes.projectId} = ${projectId})))`;
  return {
    clear: statement(
      `transfers.clear-${named(feed)}`,
      { params: there },
      ({ projectId, to }) => sql`delete from ${feed} where ${feed.orgId} = ${to} and ${isOfProject(projectId)}`,
    ),
    move: statement(
      `transfers.move-${named(feed)}`,
      { params },
      ({ projectId, from, to }) => sql`update ${feed} set ${nameOf(feed.orgId)} = ${to}
        where ${feed.orgId} = ${from} and ${isOfProject(projectId)}`,
    ),
  };
});

// They name places in the events of the organization, which stay there.
const forgetKeys = statement(
  'transfers.forget-event-keys',
  { params: pick(appEventKeys, 'projectId') },
  ({ projectId }) => sql`delete from ${appEventKeys} where ${appEventKeys.projectId} = ${projectId}`,
);

const moveFork = statement(
  'transfers.move-fork',
  { params },
  ({
    projectId,
    from,
    to,
  }) => sql`update ${appForks} ${setOf(appForks, { orgId: sql`${to}::uuid`, lane: sql`(${to}::uuid)::text` })}
    where ${appForks.id} = ${projectId} and ${appForks.orgId} = ${from}`,
);
