import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { headersForFunction } from '../../../engines/functions/call-headers.ts';
import { findProjectTarget } from '../../../kernel/access/project-target.ts';
import { originOfGateway } from '../../projects/shared/project-hosts.ts';
import { JobFailure, type JobType, type MadeFile, plainFilename, type RunningJob, readBy } from './job-type.ts';
import { factsOfRegistered, type RegisteredType, schemaOf } from './registered-type.ts';

/** A type whose work a function does. */
export type FunctionType = RegisteredType & { readonly projectId: string; readonly function: string };

/** Failures that are the function’s own. */
const ofFunction: readonly string[] = [
  'FUNCTION_FAILED',
  'FUNCTION_CRASHED',
  'FUNCTION_TIMEOUT',
  'ROUTED_RESPONSE_TOO_LARGE',
  'BODY_TOO_LARGE',
];

/** A type whose work a function of a project of the operator's does. */
export const functionType = (row: FunctionType): JobType => ({
  ...factsOfRegistered(row),
  kind: 'function',
  read: readBy(schemaOf(row.inputSchema)),
  async run(job, input) {
    for (const file of await callFunction(row, job, input)) await job.keep(file);
  },
});

async function callFunction(
  { projectId, function: name, maxSeconds, memoryMb, name: type }: FunctionType,
  job: RunningJob,
  input: Readonly<Record<string, unknown>>,
): Promise<readonly MadeFile[]> {
  const { services } = job.ctx;
  const operators = await findProjectTarget(services, projectId);
  const site = await services.sites.live(projectId);
  if (site?.functions.get(name) === undefined) throw new Error(`The function of jobs of the type ${type} is gone.`);
  const called = {
    orgId: operators.orgId,
    projectId,
    createdAt: operators.createdAt,
    transferredAt: operators.transferredAt,
    releaseId: site.releaseId,
    name,
    timeoutSeconds: maxSeconds,
    memoryMb,
    // Long calls keep no short ones waiting.
    lane: `jobs ${projectId}`,
  };
  const body = {
    trigger: 'job',
    job_id: job.id,
    job_type: type,
    project_id: job.target.projectId,
    attempt: job.attempt,
    max_seconds: Math.ceil(job.mostMs / 1_000),
    input,
  };
  try {
    const reply = await services.functions.call(called, {
      requestId: job.id,
      method: 'POST',
      url: `${originOfGateway(services)}/functions/v1/${name}`,
      headers: headersForFunction(['content-type', 'application/json'], {
        'x-svc-trigger': 'job',
        'x-svc-request-id': job.id,
        'x-svc-idempotency-key': job.id,
        'x-svc-project-id': projectId,
        'x-svc-release-id': site.releaseId,
        'x-svc-function-name': name,
        'x-svc-route-pattern': `job:${type}`,
      }),
      body: Buffer.from(JSON.stringify(body)),
      signal: job.signal,
      printed: ({ text, stream }) => job.log(text, stream),
    });
    const text = reply.body.toString('utf8');
    if (reply.status < 200 || reply.status > 299)
      throw new JobFailure('JOB_FUNCTION_FAILED', text === '' ? `The function answered with ${reply.status}.` : text);
    return filesOf(reply.body, reply.headers.find(([header]) => header.toLowerCase() === 'content-type')?.[1]);
  } catch (error) {
    if (error instanceof ServiceError && ofFunction.includes(error.code))
      throw new JobFailure(error.code, error.message);
    if (error instanceof ServiceError && error.code !== 'FUNCTION_BUSY')
      // What is wrong with the operator's project is no fault of whoever submits a job.
      throw new Error(`The function of jobs of the type ${type} cannot be called: ${error.code}.`, { cause: error });
    throw error;
  }
}

/** Files by their names, each with its text or its bytes. */
const named = z.strictObject({
  artifacts: z.record(
    z.string().regex(plainFilename),
    z.union([
      z.strictObject({ content_type: z.string().max(255).optional(), text: z.string() }),
      z.strictObject({ content_type: z.string().max(255).optional(), base64: z.base64() }),
    ]),
  ),
});

/** What a function has answered, as files: those that it names, or else the answer itself. */
function filesOf(body: Buffer, contentType = 'application/octet-stream'): readonly MadeFile[] {
  if (body.length === 0) return [];
  if (!/^application\/json\b/i.test(contentType))
    return [{ filename: 'result', contentType: plain(contentType), bytes: body }];
  const given = named.safeParse(jsonOf(body));
  if (!given.success) return [{ filename: 'result.json', contentType: 'application/json', bytes: body }];
  return Object.entries(given.data.artifacts).map(([filename, file]) => ({
    filename,
    contentType: plain(
      file.content_type ?? ('text' in file ? 'text/plain; charset=utf-8' : 'application/octet-stream'),
    ),
    bytes: 'text' in file ? Buffer.from(file.text) : Buffer.from(file.base64, 'base64'),
  }));
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A media type as a header can say it. */
const plain = (contentType: string): string =>
  /^[\x20-\x7e]{1,255}$/.test(contentType) ? contentType : 'application/octet-stream';
