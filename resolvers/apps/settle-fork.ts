import { sql } from '../../db/drizzle.ts';
import { appForks, type appVersions } from '../../db/schema/apps.ts';
import type { Org } from '../../db/schema/orgs.ts';
import type { Project } from '../../db/schema/projects.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import { forgetProjectTargets } from '../../kernel/access/project-target.ts';
import type { LeasedItem } from '../../kernel/durability/leased-statements.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import { copyRelease } from '../deploys/shared/copy-release.ts';
import { startRun } from '../functions/shared/start-run.ts';
import { lockBalance, post, settleHold } from '../ledger/shared/ledger.ts';
import { deleteInSteps } from '../projects/shared/begin-deletion.ts';
import { lockProject } from '../projects/shared/lock-project.ts';
import { readyProjectStatement } from '../projects/shared/ready-project.ts';
import { LostCopyError } from '../snapshots/shared/attempt-copy.ts';
import { appEventTypes } from './event-types.ts';

type Held = Pick<LeasedItem, 'id' | 'lease'>;

/** What is made. */
export interface Making {
  readonly fork: Pick<typeof appForks.$inferSelect, 'id' | 'operationId' | 'subdomain' | 'bootstrap' | 'price'>;
  readonly project: Project;
  readonly org: Org;
  readonly version: Pick<typeof appVersions.$inferSelect, 'id' | 'orgId' | 'projectId' | 'releaseId'>;
}

/**
 * Makes the project of a fork ready, with the release of the version, pays whoever published it, and has its function
 * `bootstrap` run where variables were given.
 *
 * @throws LostCopyError
 */
export async function openFork(
  work: Work,
  { id, lease }: Held,
  { fork, project, org, version }: Making,
): Promise<void> {
  const owner = { orgId: org.id, projectId: id };
  if ((await lockProject(work, id)) === undefined) throw new LostCopyError('The fork was deleted.');
  await work.rows(readyProjectStatement.with({ orgId: org.id, id }));
  const releaseId = await copyRelease(work, {
    source: { orgId: version.orgId, projectId: version.projectId },
    releaseId: version.releaseId,
    scope: { org, project },
    operationId: fork.operationId,
    subdomains: fork.subdomain === null ? [] : [fork.subdomain],
  });
  if (releaseId === null) throw new Error('The release of the version is not there any more.');
  if (fork.price > 0n)
    await payPublisher(work, { id, payer: org.id, payee: version.orgId, amount: fork.price }, version.id);
  const runId =
    fork.bootstrap === null
      ? undefined
      : await startRun(work, {
          ...owner,
          function: 'bootstrap',
          eventType: 'app.forked',
          idempotencyKey: `fork-${id}`,
          payload: fork.bootstrap,
        });
  const [opened] = await work.rows(openStatement.with({ id, lease, releaseId, runId: runId ?? null }));
  if (opened === undefined) throw new LostCopyError('The fork was taken over.');
  const payload = { version_id: version.id, project_id: id };
  work.append(appendEvent({ ...owner, type: appEventTypes.app_forked, payload }));
  work.afterCommit(() => forgetProjectTargets(work.services));
}

interface Payment {
  readonly id: string;
  readonly payer: string;
  readonly payee: string;
  readonly amount: bigint;
}

/** Takes what was held for a fork, and credits it to whoever published the version. */
async function payPublisher(work: Work, { id, payer, payee, amount }: Payment, versionId: string): Promise<void> {
  // Of two who fork each other's apps neither waits for the other.
  for (const orgId of [payer, payee].sort()) await lockBalance(work, orgId);
  const reference = { type: 'app_fork', id };
  const metadata = { version_id: versionId };
  await settleHold(work, { orgId: payer, reference, kind: 'app_fork', captured: amount, metadata });
  await post(work, { orgId: payee, direction: 'credit', kind: 'app_sale', amount, reference, metadata });
}

/** Notes that a fork came to nothing: what was made of its project is dropped, and what was held for it can be spent again. */
export async function failFork(work: Work, { id, lease }: Held, message: string): Promise<void> {
  const project = await lockProject(work, id);
  const error = { code: 'APP_FORK_FAILED', message };
  const [failed] = await work.rows(failStatement.with({ id, lease, error: JSON.stringify(error) }));
  if (failed === undefined || project === undefined) return;
  const { orgId, price, versionId } = failed;
  if (price > 0n) await giveBack(work, orgId, id);
  await deleteInSteps(work, project, 'projects.delete');
  const payload = { version_id: versionId, project_id: id, error_code: error.code, message };
  work.append(appendEvent({ orgId, projectId: null, type: appEventTypes.app_fork_failed, payload }));
}

/** Gives back what was held for a fork. */
export const giveBack = (work: Work, orgId: string, id: string) =>
  settleHold(work, { orgId, reference: { type: 'app_fork', id }, kind: 'app_fork', captured: 0n });

const held = { ...pick(appForks, 'id'), lease: typed<string>('text') };

const over = { dueAt: sql`null`, lease: sql`null`, bootstrap: sql`null`, updatedAt: sql`now()` };

const openStatement = statement(
  'forks.open',
  { params: { ...held, ...pick(appForks, 'releaseId', 'runId') }, row: pick(appForks, 'id') },
  ({ id, lease, ...set }, row) => sql`update ${appForks} ${setOf(appForks, { ...set, ...over, status: sql`'ready'` })}
    where ${appForks.id} = ${id} and ${appForks.lease} = ${lease} returning ${row}`,
);

const failStatement = statement(
  'forks.fail',
  { params: { ...held, ...pick(appForks, 'error') }, row: pick(appForks, 'orgId', 'price', 'versionId') },
  ({ id, lease, error }, row) => sql`update ${appForks} ${setOf(appForks, { ...over, error, status: sql`'failed'` })}
    where ${appForks.id} = ${id} and ${appForks.lease} = ${lease} returning ${row}`,
);
