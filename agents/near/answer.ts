import { createHmac } from 'node:crypto';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sameSecret, sha256Hex } from '../../core/keys.ts';
import { networkOf } from '../../core/network-of.ts';
import { textFault } from '../../core/text.ts';
import { assertWithinRate } from '../../kernel/limits/rate-limit.ts';
import { asRefusal } from '../../kernel/run/as-refusal.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import { findJobAnswer, keepJobAnswer } from '../../resolvers/agents/webhook-jobs.ts';
import { runAudit } from '../../resolvers/site-audits/run-audit.ts';
import { type AuditAnswer, auditMarkdown } from '../audit-markdown.ts';
import { findTarget } from '../find-target.ts';
import { isObject } from '../json-rpc.ts';
import { passes, refusalFacts } from '../refusals.ts';
import { capabilities } from './capabilities.ts';

export const nearPath = '/api/near-agents';

/** A webhook as the server hands it on. */
export interface WebhookCall {
  readonly body: Uint8Array;
  /** The header `X-Signature`. */
  readonly signature: string | undefined;
}

/** Jobs of one client network, in a minute and in a day: each leaves a row behind. */
const perMinute = { perSecond: 1, burst: 60 };
const perDay = { perSecond: 1_000 / 86_400, burst: 1_000 };

const idLengthMax = 256;
const urlLengthMax = 2_048;

const acceptedFields = [
  'event',
  'type',
  'job_id',
  'task_id',
  'id',
  'title',
  'description',
  'prompt',
  'url',
  'target_url',
  'input.url',
  'callback_url',
] as const;

/** What `GET /api/near-agents` says. Contract 00, section 4.5. */
export const nearStatus = () => ({
  ok: true,
  status: 'ready',
  service: 'svc-gateway',
  accepted_fields: acceptedFields,
  sample: { format: 'markdown', content: capabilities },
});

/**
 * Answers a job of a marketplace of agents with its deliverable, at once. The same job again is given the same answer
 * for a day. Nothing is ever sent to where the sender would like to be told.
 *
 * @throws BAD_SIGNATURE, MALFORMED_JSON, VALIDATION_FAILED, RATE_LIMITED and what is of this moment alone
 */
export async function answerJob(ctx: Context, { body, signature }: WebhookCall): Promise<object> {
  const { services, request } = ctx;
  const { nearAgentsSecret } = services.settings;
  if (nearAgentsSecret !== undefined) requireSignature(body, signature, nearAgentsSecret);
  const job = readJob(body);
  const network = networkOf(request.address);
  assertWithinRate(services.rateLimiter.take(`webhook-jobs:${network}`, perMinute));
  // Ids are the senders' own: without a secret only its network tells a sender from another one.
  const sender = nearAgentsSecret === undefined ? network : 'signed';
  const key = sha256Hex(JSON.stringify([sender, job.id]));
  const known = await findJobAnswer(ctx, key);
  if (known !== undefined) return known;
  assertWithinRate(services.rateLimiter.take(`webhook-jobs-of-day:${network}`, perDay));
  const answer = await deliver(ctx, job);
  return keepJobAnswer(ctx, { key, jobId: job.id, callbackUrl: job.callbackUrl, answer });
}

/** @throws BAD_SIGNATURE */
function requireSignature(body: Uint8Array, signature = '', secret: string): void {
  const given = /^sha256=([0-9a-f]{64})$/i.exec(signature.trim())?.[1]?.toLowerCase();
  const expected = createHmac('sha256', secret).update(body).digest('hex');
  if (given === undefined || !sameSecret(given, expected)) throw new ServiceError('BAD_SIGNATURE');
}

interface Job {
  readonly id: string;
  readonly target: string | undefined;
  readonly callbackUrl: string | null;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readJob(body: Uint8Array): Job {
  const given = parse(body);
  const { input } = given;
  const id = [given.job_id, given.task_id, given.id].find((one) => one !== undefined && one !== null);
  const explicit =
    textOf(given, 'url', urlLengthMax) ??
    textOf(given, 'target_url', urlLengthMax) ??
    (isObject(input) ? textOf(input, 'url', urlLengthMax, 'input.url') : undefined);
  return {
    id: id === undefined ? `job_${sha256Hex(body).slice(0, 26)}` : idOf(id),
    target: explicit ?? findTarget([textOf(given, 'description'), textOf(given, 'prompt')].join('\n')),
    callbackUrl: textOf(given, 'callback_url', urlLengthMax) ?? null,
  };
}

function parse(body: Uint8Array): Readonly<Record<string, unknown>> {
  // All fields are optional, so nothing at all is a job without any.
  if (body.length === 0) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(utf8.decode(body));
  } catch {
    throw new ServiceError('MALFORMED_JSON');
  }
  if (!isObject(parsed)) throw new ServiceError('MALFORMED_JSON', { message: 'The body must be a JSON object.' });
  return parsed;
}

function idOf(id: unknown): string {
  const text = typeof id === 'number' ? String(id) : id;
  if (typeof text !== 'string' || text === '' || text.length > idLengthMax || textFault(text) !== undefined)
    throw invalidField('job_id', `must be a number or a text of 1 to ${idLengthMax} characters`);
  return text;
}

/** A field that may be absent. @throws VALIDATION_FAILED for one that is no text, or too long a one */
function textOf(
  given: Readonly<Record<string, unknown>>,
  name: string,
  lengthMax = Number.POSITIVE_INFINITY,
  field = name,
): string | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalidField(field, 'must be a text');
  if (value.length > lengthMax) throw invalidField(field, `at most ${lengthMax} characters`);
  const fault = textFault(value);
  if (fault !== undefined) throw invalidField(field, fault);
  return value;
}

async function deliver(ctx: Context, { id, target }: Job): Promise<object> {
  const startedAt = performance.now();
  const { status, content, audit } = await contentFor(ctx, target);
  return {
    ok: true,
    job_id: id,
    status: 'completed',
    fulfilment: {
      status,
      completed_at: ctx.services.now().toISOString(),
      duration_ms: Math.round(performance.now() - startedAt),
    },
    deliverable: { format: 'markdown', content, sha256: sha256Hex(content) },
    audit,
  };
}

interface Content {
  readonly status: 'completed' | 'partial';
  readonly content: string;
  readonly audit: AuditAnswer | null;
}

async function contentFor(ctx: Context, target: string | undefined): Promise<Content> {
  if (target === undefined) return { status: 'completed', content: capabilities, audit: null };
  try {
    const audit = await runAudit.toWire(await execute(runAudit, ctx, { url: target }), ctx);
    return { status: 'completed', content: auditMarkdown(audit), audit };
  } catch (failure) {
    const error = asRefusal(failure);
    if (!(error instanceof ServiceError) || passes(error)) throw error;
    const { code } = refusalFacts(error, ctx.request.traceId, nearPath);
    const content = `# The site could not be audited\n\n\`${code}\`: ${error.message}\n\n${capabilities}`;
    return { status: 'partial', content, audit: null };
  }
}
