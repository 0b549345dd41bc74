import { sql } from '../../../db/drizzle.ts';
import { type DeployStatus, deployOperations } from '../../../db/schema/releases.ts';
import { pick, type RowOf, setOf, statement, typed } from '../../../db/sql.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import { unitOfWork, type Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { ImagesBySha256 } from '../../assets/shared/publish-assets.ts';
import type { ComputedPlan } from '../computed-plan.ts';
import { appendDeployEvent } from '../deploy-feed.ts';
import { operationColumns } from '../deploy-operation.ts';
import type { ReleaseOwner } from '../release-store.ts';

/** Phases of a deploy, as its events name them. Contract 03, section 2.6. */
export type Phase = 'validate' | 'stage' | 'migrate-gate' | 'migrate' | 'schema-settle' | 'activate' | 'ready';

/** Another process works on the deploy now: whatever this one still has in hand is none of its business. */
export class LostLeaseError extends Error {
  override readonly name = 'LostLeaseError';
}

/** How long a process that works on a deploy is believed to be alive, in seconds. */
export const leaseSeconds = 30;

const takenColumns = { ...operationColumns, attempt: deployOperations.attempt };

type TakenOperation = RowOf<typeof takenColumns>;

/** A deploy in the hands of this process. */
export interface Deploying {
  readonly ctx: Context;
  readonly scope: Pick<ProjectScope, 'org' | 'project'>;
  readonly owner: ReleaseOwner;
  readonly operation: TakenOperation;
  /** Where it stands now. */
  readonly at: { status: DeployStatus };
  /** What is to be staged, once this process has validated it: no other deploy of the project runs meanwhile. */
  planned?: ComputedPlan | undefined;
  /** Images of its assets, from when they were looked at on. */
  images?: ImagesBySha256;
}

/** Takes a deploy that no other process works on; undefined when one does, or when it has ended. */
export async function takeOperation({ services }: Context, id: string): Promise<TakenOperation | undefined> {
  const [taken] = await services.db.rows(takeStatement.with({ id }));
  return taken;
}

/** Keeps a deploy from being taken by others, until the answered function is called. */
export function keepLease({ ctx, operation: { id, attempt } }: Deploying): () => void {
  const timer = setInterval(
    () => void ctx.services.db.rows(extendStatement.with({ id, attempt })).catch(() => undefined),
    (leaseSeconds * 1000) / 3,
  );
  timer.unref();
  return () => clearInterval(timer);
}

/** Lets go of a deploy, so that the next attempt need not wait for the lease. */
export const releaseLease = async ({ ctx, operation: { id, attempt } }: Deploying): Promise<void> =>
  void (await ctx.services.db.rows(releaseStatement.with({ id, attempt })));

/** What a phase writes when it is over. */
export interface Step {
  readonly phase: Phase;
  readonly status: 'started' | 'done' | 'skipped' | 'failed';
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Writes where a deploy stands, with what is told of it, and whatever goes with that, in one transaction.
 *
 * @param next the state that it is in then; undefined: it stays
 * @throws LostLeaseError
 */
export async function settle(
  deploying: Deploying,
  next: DeployStatus | undefined,
  steps: readonly Step[],
  also: (work: Work) => Promise<void> = async () => undefined,
): Promise<void> {
  const { ctx, owner, operation, at } = deploying;
  await unitOfWork(ctx, async (work) => {
    const held = await work.rows(
      settleStatement.with({ id: operation.id, attempt: operation.attempt, status: next ?? null }),
    );
    if (held.length === 0) throw new LostLeaseError(`The deploy ${operation.id} was taken over.`);
    await also(work);
    for (const step of steps)
      for (const event of eventsOf(deploying, step)) work.append(appendDeployEvent(owner, operation.id, event));
  });
  if (next !== undefined) at.status = next;
}

/** Clients of two ages read the short form and the long one. */
function eventsOf({ ctx, operation: { id, projectId } }: Deploying, { phase, status, message, details }: Step) {
  const now = ctx.services.now().toISOString();
  const detail = {
    type: 'commit.phase.detail',
    operation_id: id,
    project_id: projectId,
    phase,
    status,
    message: message ?? null,
    details: details ?? {},
    created_at: now,
    updated_at: now,
  };
  return status === 'skipped' ? [detail] : [{ type: 'commit.phase', phase, status }, detail];
}

const running = sql.raw(
  `'committing', 'staging', 'gating', 'migrating', 'schema_settling', 'activating', 'activation_pending'`,
);
const leased = sql.raw(`now() + make_interval(secs => ${leaseSeconds})`);
const held = { id: deployOperations.id, attempt: deployOperations.attempt };

const takeStatement = statement(
  'deploys.take',
  { params: pick(deployOperations, 'id'), row: takenColumns },
  ({ id }, row) => sql`update ${deployOperations} ${setOf(deployOperations, {
    leaseUntil: leased,
    attempt: sql`${deployOperations.attempt} + 1`,
  })} where ${deployOperations.id} = ${id} and ${deployOperations.status} in (${running})
      and (${deployOperations.leaseUntil} is null or ${deployOperations.leaseUntil} < now()) returning ${row}`,
);

const extendStatement = statement(
  'deploys.extend',
  { params: held },
  ({ id, attempt }) => sql`update ${deployOperations} ${setOf(deployOperations, { leaseUntil: leased })}
    where ${deployOperations.id} = ${id} and ${deployOperations.attempt} = ${attempt}`,
);

const releaseStatement = statement(
  'deploys.release',
  { params: held },
  ({ id, attempt }) => sql`update ${deployOperations} ${setOf(deployOperations, { leaseUntil: sql`null` })}
    where ${deployOperations.id} = ${id} and ${deployOperations.attempt} = ${attempt}`,
);

const settleStatement = statement(
  'deploys.settle',
  { params: { ...held, status: typed<DeployStatus | null>('text') }, row: pick(deployOperations, 'id') },
  ({ id, attempt, status }, row) => sql`update ${deployOperations} ${setOf(deployOperations, {
    status: sql`coalesce(${status}::text, ${deployOperations.status})`,
    leaseUntil: leased,
    updatedAt: sql`now()`,
  })} where ${deployOperations.id} = ${id} and ${deployOperations.attempt} = ${attempt}
      and ${deployOperations.status} in (${running}) returning ${row}`,
);
