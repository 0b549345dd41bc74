import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../core/errors.ts';
import { inParallel } from '../../core/in-parallel.ts';
import type { Check } from '../../engines/release/spec/release-spec.ts';
import type { Context } from '../../kernel/run/context.ts';
import { entryPoints } from '../deploys/shared/deploy-apart.ts';
import type { RehearsalReport } from '../deploys/shared/rehearsal-report.ts';
import { secretKeysOf } from '../deploys/shared/secret-keys.ts';
import { type BranchScope, originOfBranch } from './branch-scope.ts';

type ReportedCheck = RehearsalReport['checks'][number];

/** What of a branch is looked at. */
interface CheckedBranch {
  readonly scope: BranchScope;
  /** The project that it was made from. */
  readonly source: BranchScope;
  /** The release that went live there. */
  readonly releaseId: string;
  readonly declared: readonly Check[];
}

/** Checks that are made at a time: a project has as many calls at a time. */
const atOnce = 4;
/** Longest that one check waits for an answer, in milliseconds. */
const timeoutMs = 15_000;
/** Looks for the new release, and the pause between them in milliseconds: other nodes hear of it within a second. */
const staleLooks = 12;
const staleMs = 250;

/** Asks a branch, at its host and function by function, whether it serves what the plan says. */
export async function runChecks(ctx: Context, branch: CheckedBranch): Promise<ReportedCheck[]> {
  const { services } = ctx;
  const { scope, releaseId, declared } = branch;
  const owner = { orgId: scope.org.id, projectId: scope.project.id };
  const paths = await entryPoints(ctx, owner, releaseId);
  const names = [...((await services.sites.release(owner.orgId, releaseId))?.functions.keys() ?? [])];
  const pending = [
    ...paths.map((path) => () => askHost(ctx, branch, 'static', { name: path, path, method: 'GET', status: [200] })),
    ...names.map((name) => () => callFunction(ctx, branch, name)),
    ...declared.map((check) => () => askHost(ctx, branch, 'declared', check)),
  ];
  return inParallel(pending, atOnce, (check) => check());
}

const since = (from: number): number => Math.round(performance.now() - from);

/** Asks the host of the branch, as its visitors do. */
async function askHost(
  ctx: Context,
  { scope, releaseId }: CheckedBranch,
  type: 'static' | 'declared',
  { name, path, method, status }: Check,
): Promise<ReportedCheck> {
  const from = performance.now();
  const page = { origin: originOfBranch(ctx, scope), isPlatforms: true, path, method, withBody: false, timeoutMs };
  let answer = await ctx.services.hostProbe.ask(page, ctx.signal);
  for (let look = 1; look < staleLooks && isStale(answer.response, releaseId); look += 1) {
    await sleep(staleMs, undefined, { signal: ctx.signal });
    answer = await ctx.services.hostProbe.ask(page, ctx.signal);
  }
  ctx.signal.throwIfAborted();
  const actual = answer.response?.status ?? null;
  const passed = actual !== null && status.includes(actual);
  return {
    name,
    type,
    status: passed ? 'passed' : 'failed',
    target: path,
    method,
    expected_status: [...status],
    actual_status: actual,
    duration_ms: since(from),
    ...(passed ? {} : { error: refusedAnswer(actual, answer.error) }),
  };
}

/** Whether a node answered that has not heard of the release yet. What has no release on it is told by its status. */
function isStale(response: Response | undefined, releaseId: string): boolean {
  const shown = response?.headers.get('x-svc-release-id') ?? null;
  return shown !== null && shown !== releaseId;
}

const refusedAnswer = (actual: number | null, reason: string | undefined) =>
  actual === null
    ? { code: 'CHECK_NOT_ANSWERED', message: `The host did not answer: ${reason}.` }
    : { code: 'CHECK_STATUS_MISMATCH', message: `The host answered with ${actual}.` };

/**
 * Calls a function by GET without a body, past its gate. It responds when it answers, whatever the status. One that throws
 * then may need a body: this says nothing of it. So does the failure of one whose project has secrets, since a branch has none.
 */
async function callFunction(
  ctx: Context,
  { scope, source, releaseId }: CheckedBranch,
  name: string,
): Promise<ReportedCheck> {
  const { services } = ctx;
  const { org, project } = scope;
  const from = performance.now();
  const told = { name, type: 'function', target: name, method: 'GET' } as const;
  const { timeoutSeconds, memoryMb } = (await services.sites.release(org.id, releaseId))!.functions.get(name)!;
  const called = {
    orgId: org.id,
    projectId: project.id,
    createdAt: project.createdAt,
    transferredAt: project.transferredAt,
    releaseId,
    name,
    timeoutSeconds,
    memoryMb,
  };
  const requestId = `req_${randomBytes(16).toString('hex')}`;
  try {
    const { status } = await services.functions.call(called, {
      requestId,
      method: 'GET',
      url: `${originOfBranch(ctx, scope)}/functions/v1/${name}`,
      headers: [
        ['x-svc-project-id', project.id],
        ['x-svc-release-id', releaseId],
        ['x-svc-function-name', name],
        ['x-svc-request-id', requestId],
      ],
      signal: ctx.signal,
    });
    return { ...told, status: 'passed', actual_status: status, duration_ms: since(from) };
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    const secrets = await secretKeysOf(services, { orgId: source.org.id, projectId: source.project.id });
    const because = reasonToSkip(error, secrets.size);
    const { code, message, details } = error;
    return {
      ...told,
      status: because === undefined ? 'failed' : 'skipped',
      actual_status: null,
      duration_ms: since(from),
      error: { code, message: because === undefined ? message : `${message} ${because}`, details },
    };
  }
}

/** Why the failure of a function says nothing of the plan; undefined where it does. */
function reasonToSkip({ code }: ServiceError, secrets: number): string | undefined {
  if (code === 'FUNCTION_FAILED') return 'It was asked by GET without a body, and may need one: declare a check of it.';
  return secrets === 0 ? undefined : 'The project has secrets, which its branch has not.';
}
