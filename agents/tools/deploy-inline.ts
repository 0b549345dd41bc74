import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { inParallel } from '../../core/in-parallel.ts';
import { movedWhileAllowed } from '../../kernel/feeds/held-read.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import { commitContent } from '../../resolvers/content/commit-content.ts';
import { planContent } from '../../resolvers/content/plan-content.ts';
import { receivePart } from '../../resolvers/content/receive-part.ts';
import { commitDeploy } from '../../resolvers/deploys/commit-deploy.ts';
import { planDeploy } from '../../resolvers/deploys/plan-deploy.ts';
import { getDeploy } from '../../resolvers/deploys/read-operations.ts';
import { followDeploy } from '../../subscriptions/deploys.ts';
import { type InlineSpec, inlineSpec } from './inline-spec.ts';
import { BodyRefusal } from './tool.ts';
import { waitMax } from './waiting.ts';

type Json = Readonly<Record<string, unknown>>;
type Plan = z.output<typeof planDeploy.wire>;
type Deploy = z.output<typeof getDeploy.wire>;

export interface InlineDeploy {
  readonly project: string;
  /** What is deployed; files may be texts and data. */
  readonly spec: Json;
  readonly key: string | undefined;
  /** Codes of warnings that are agreed to; true: all. */
  readonly allowed: readonly string[] | true;
}

/** A deploy as it stands, with what its plan has said. */
export type InlineDeployed = Deploy & Pick<Plan, 'summary' | 'is_noop' | 'warnings'>;

/** How often a deploy is planned anew that another one came before, as the SDK does. */
const conflictTries = 3;
const sentAtOnce = 4;
const steps = 4;

/** Plans, uploads what the call has brought, commits, and waits for the end as long as a call is held. */
export async function deployInline(ctx: Context, given: InlineDeploy): Promise<InlineDeployed> {
  const inline = inlineSpec(given.spec);
  const isBound = typeof (given.spec.base as Json | undefined)?.release_id === 'string';
  for (let left = conflictTries; ; left -= 1) {
    try {
      return await deployOnce(ctx, given, inline);
    } catch (error) {
      const isConflict = error instanceof ServiceError && error.code === 'BASE_RELEASE_CONFLICT';
      if (!isConflict || isBound || left <= 1) throw error;
      await delay(250 * 2 ** (conflictTries - left), undefined, { signal: ctx.signal });
    }
  }
}

/** What the operations call the project is called otherwise by the tools. */
const spelling = (own: string) => (own === 'project' ? 'project_id' : own);

async function deployOnce(
  ctx: Context,
  { project, key, allowed }: InlineDeploy,
  { spec, content }: InlineSpec,
): Promise<InlineDeployed> {
  const told = (done: number, what: string) => ctx.progress?.({ done, of: steps, what });
  told(0, 'Planning');
  const asked = { project, spec: { ...spec, project_id: project }, request_key: key };
  const plan = await planDeploy.toWire(await execute(planDeploy, ctx, asked, spelling), ctx);
  refuseWarnings(plan, allowed);
  told(1, 'Uploading');
  const missing = plan.missing_content.flatMap(({ sha256, present }) => (present ? [] : (content.get(sha256) ?? [])));
  if (missing.length > 0) await upload(ctx, project, missing);
  told(2, 'Committing');
  const committed = await execute(commitDeploy, ctx, { plan: plan.plan_id! });
  told(3, 'Deploying');
  const deploy = await ended(ctx, committed.operation.id);
  const { summary, is_noop, warnings } = plan;
  return { ...deploy, summary, is_noop, warnings };
}

/** The same road that the content of every client takes, without its requests. */
async function upload(ctx: Context, project: string, content: readonly Buffer[]): Promise<void> {
  const bySha256 = new Map(content.map((bytes) => [createHash('sha256').update(bytes).digest('hex'), bytes]));
  const wanted = [...bySha256].map(([sha256, bytes]) => ({ sha256, size: bytes.length }));
  const plan = await execute(planContent, ctx, { project, content: wanted }, spelling);
  await inParallel(plan.missing, sentAtOnce, async ({ sha256, uploadId, parts }) => {
    for (const { number, url, start, end } of parts) {
      const { searchParams } = new URL(url);
      const bytes = bySha256.get(sha256)!.subarray(start, end + 1);
      await receivePart(ctx.services, {
        uploadId,
        number: String(number),
        expires: searchParams.get('expires') ?? '',
        token: searchParams.get('token') ?? '',
        checksum: createHash('sha256').update(bytes).digest('base64'),
        announced: bytes.length,
        body: Readable.from(bytes.length === 0 ? [] : [bytes]),
      });
    }
  });
  await execute(commitContent, ctx, { project, plan: plan.planId }, spelling);
}

const endings = ['ready', 'failed', 'rolled_back', 'needs_repair', 'activation_pending'];

/** A deploy at its end, or as it stands when the call is held no longer. @throws BodyRefusal for one that failed */
async function ended(ctx: Context, operation: string): Promise<Deploy> {
  const until = performance.now() + waitMax * 1_000;
  for (;;) {
    // Begun before the deploy is read, so that nothing can come between the two.
    const { feed, head, authority, selects } = await followDeploy(ctx, { operation }).open();
    const deploy = await getDeploy.toWire(await execute(getDeploy, ctx, { operation }), ctx);
    if (deploy.status === 'ready') return deploy;
    if (endings.includes(deploy.status)) throw failed(deploy);
    const timeoutMs = Math.ceil(until - performance.now());
    if (timeoutMs <= 0) return deploy;
    await movedWhileAllowed(ctx, feed, { after: head, timeoutMs, authority, matching: selects });
  }
}

const failed = ({ operation_id, status, error }: Deploy) =>
  new BodyRefusal(409, {
    code: 'INTERNAL_ERROR',
    message: `The deploy ended as ${status}.`,
    ...error,
    operation_id,
    deploy_status: status,
  });

/** @throws BodyRefusal with the first warning that was not agreed to, as the SDK does */
function refuseWarnings({ warnings, plan_id }: Plan, allowed: InlineDeploy['allowed']): void {
  if (allowed === true) return;
  const open = warnings.filter(
    ({ code, requires_confirmation: asks }) => (asks || code === 'MISSING_REQUIRED_SECRET') && !allowed.includes(code),
  );
  const [first] = open;
  if (first === undefined) return;
  throw new BodyRefusal(409, {
    code: first.code,
    message: first.message,
    category: 'conflict',
    retryable: false,
    safe_to_retry: true,
    mutation_state: 'not_started',
    details: { plan_id, affected: first.affected ?? [], unacknowledged_warning_codes: open.map(({ code }) => code) },
    next_actions: [
      { type: 'edit_request', why: 'Name the codes in allow_warning_codes, or change the specification.' },
    ],
  });
}
