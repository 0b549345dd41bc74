import { ServiceError } from '../../../core/errors.ts';
import { networkOf } from '../../../core/network-of.ts';
import type { Authority, OrgScope } from '../../access/access.ts';
import { callerKey } from '../../access/caller.ts';
import { aboveCeiling } from '../../access/step-up.ts';
import { chargeBudget } from '../../limits/budgets.ts';
import { limitsOf, outsideRate } from '../../limits/limits.ts';
import { assertWithinRate } from '../../limits/rate-limit.ts';
import type { CalledAs } from '../../traffic/subject.ts';
import { orgOf, projectOf } from '../operation.ts';
import type { Run } from '../run.ts';

/**
 * Admits the caller and takes from its rate. Limits belong to the organization, so they are known only once it is;
 * refusals and calls outside any organization have a small allowance of their own.
 */
export async function authorise(run: Run): Promise<void> {
  const { op, ctx, caller, input } = run;
  const { rateLimiter } = ctx.services;
  // An IPv6 client has more addresses than there are buckets.
  const network = networkOf(ctx.request.address);
  const who = callerKey(caller, network);
  // Many clients share a project's key: one that is refused does not hold up the others.
  const refused = `refused:${who}${caller.kind === 'project_key' ? `:${network}` : ''}`;
  const pays = caller.kind !== 'admin' && ctx.causedByOthers === undefined;
  // A caller who was refused too often is not looked up again.
  if (pays) assertWithinRate(rateLimiter.peek(refused, outsideRate));
  try {
    run.scope = await op.access.authorise(ctx, caller, input, run.ahead);
  } catch (error) {
    if (error instanceof ServiceError && ctx.causedByOthers === undefined)
      assertWithinRate(rateLimiter.take(refused, outsideRate));
    throw op.kind === 'mutation' && op.writeApproval !== undefined
      ? await aboveCeiling(ctx, caller, op.writeApproval, input, error)
      : error;
  }
  run.projectId ??= projectOf(run.scope);
  const { authority } = run.scope as Partial<OrgScope>;
  if (run.projectId !== undefined && authority !== undefined)
    ctx.subject?.admit(run.projectId, byAuthority[authority.kind], 'operation');
  const org = orgOf(run.scope);
  if (org === undefined) {
    if (pays) assertWithinRate(rateLimiter.take(`outside:${who}`, outsideRate));
    return;
  }
  if (ctx.causedByOthers === true) return;
  const limits = limitsOf(org);
  const rate =
    op.kind === 'query'
      ? { perSecond: limits.readsPerSecond, burst: limits.readsBurst }
      : { perSecond: limits.writesPerSecond, burst: limits.writesBurst };
  assertWithinRate(rateLimiter.take(`${op.kind}:${org.id}:${who}`, rate));
  ctx.onAdmitted?.();
}

/** Takes from what the operation says a client may have of it; the platform admin is not counted. */
export function spendBudget({ op, ctx, caller, input }: Run): void {
  const budget = caller.kind === 'admin' ? undefined : op.budget?.(input);
  if (budget !== undefined) chargeBudget(ctx, budget);
}

/** As what an operation was called, for the project's count of its requests. */
const byAuthority = {
  membership: 'member',
  grant: 'guest',
  delegate: 'delegate',
  service_key: 'service',
  anon_key: 'anon',
  admin: 'admin',
  system: 'admin',
} as const satisfies Readonly<Record<Authority['kind'], CalledAs>>;
