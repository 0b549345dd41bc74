import type { Logger } from 'pino';
import { storable } from '../../../core/text.ts';
import type { FunctionFailure, FunctionLogLine } from '../../../engines/sandbox/runner.ts';
import { unitOfWork, type Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { bucketOf, emptyHistogram } from '../../../kernel/traffic/latency.ts';
import { type Invocations, type Occurrence, reportInvoked } from '../../errors/shared/report-invoked.ts';
import { keepLinesStatement, logFeedName } from './log-rows.ts';

/** What ran: the project and release it belongs to, and its name. */
interface Invoked {
  readonly projectId: string;
  readonly functionId: string;
  readonly releaseId: string;
}

interface ProjectRecord {
  readonly orgId: string;
  lines: FunctionLogLine[];
  occurrences: Occurrence[];
  /** How often each function of a release ran, by both. */
  counts: Map<string, Counted>;
}

interface Counted extends Invocations {
  count: number;
  failed: number;
  readonly latency: number[];
}

/** How long something may go unwritten, in milliseconds. */
const everyMs = 250;
/** Lines, and failures, of one project that wait; more are not kept. */
const linesMax = 5_000;
const occurrencesMax = 500;

/**
 * Keeps what functions print, how often they run and what they fail with: in memory first, and a few times a second in
 * the database, so that no call waits for it. A process that is killed loses the last of it.
 */
export class InvocationRecord {
  readonly #log: Logger;
  readonly #context: () => Context;
  #waiting = new Map<string, ProjectRecord>();
  /** Which organization a project belongs to, as its calls said. */
  readonly #orgs = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** @param context of the platform itself, for what is written */
  constructor({ log, context }: { readonly log: Logger; readonly context: () => Context }) {
    this.#log = log;
    this.#context = context;
  }

  /** Tells whose a project is, before anything of it is recorded. */
  belongs(projectId: string, orgId: string): void {
    this.#orgs.set(projectId, orgId);
  }

  /** A call begins: it counts even when its process is killed. */
  began(invoked: Invoked): void {
    const counted = this.#countsOf(invoked);
    if (counted !== undefined) counted.count += 1;
  }

  /** A call has ended. @param ms how long it took */
  ended(invoked: Invoked, ms: number): void {
    const counted = this.#countsOf(invoked);
    if (counted !== undefined) counted.latency[bucketOf(ms)]! += 1;
  }

  printed(line: FunctionLogLine): void {
    const record = this.#of(line.projectId);
    const text = storable(line.text);
    if (record !== undefined && record.lines.length < linesMax) record.lines.push({ ...line, text });
  }

  /** A call came to nothing. What the platform or the caller is to blame for is no failure of the function. */
  failed(invoked: Invoked, requestId: string | undefined, failure: FunctionFailure): void {
    const report = reportOf(failure);
    if (report === undefined) return;
    if (requestId !== undefined) {
      this.#countFailed(invoked);
      const { projectId, functionId, releaseId } = invoked;
      const line = { projectId, functionId, releaseId, requestId, stream: 'stderr', at: new Date() } as const;
      this.printed({ ...line, text: lineOf(report) });
    }
    this.#occurred(invoked, { ...report, sampleId: requestId ?? 'req_unknown' });
  }

  /** A call was answered with a status that says that the function failed. */
  failedAnswer(
    invoked: Invoked,
    requestId: string,
    { status, body }: { readonly status: number; readonly body: Buffer },
  ): void {
    const text = body.subarray(0, 4_096).toString('utf8');
    this.#countFailed(invoked);
    this.#occurred(invoked, { kind: 'handled_5xx', sampleId: requestId, status, body: text });
  }

  /** Resolves when what was recorded before is written, or cannot be written now. */
  async flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.flush();
  }

  #countFailed(invoked: Invoked): void {
    const counted = this.#countsOf(invoked);
    if (counted !== undefined) counted.failed += 1;
  }

  #occurred(
    { projectId, functionId, releaseId }: Invoked,
    occurrence: Omit<Occurrence, 'function' | 'releaseId'>,
  ): void {
    const record = this.#of(projectId);
    if (record === undefined || record.occurrences.length >= occurrencesMax) return;
    record.occurrences.push({ ...occurrence, function: functionId, releaseId });
  }

  #countsOf({ projectId, functionId, releaseId }: Invoked): Counted | undefined {
    const record = this.#of(projectId);
    if (record === undefined) return undefined;
    const key = `${releaseId} ${functionId}`;
    let counted = record.counts.get(key);
    if (counted === undefined) {
      counted = { function: functionId, releaseId, count: 0, failed: 0, latency: emptyHistogram() };
      record.counts.set(key, counted);
    }
    return counted;
  }

  #of(projectId: string): ProjectRecord | undefined {
    const orgId = this.#orgs.get(projectId);
    if (orgId === undefined) return undefined;
    let record = this.#waiting.get(projectId);
    if (record === undefined) {
      record = { orgId, lines: [], occurrences: [], counts: new Map() };
      this.#waiting.set(projectId, record);
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, everyMs);
    return record;
  }

  async #write(): Promise<void> {
    const taken = this.#waiting;
    this.#waiting = new Map();
    for (const [projectId, record] of taken) {
      try {
        await writeRecord(this.#context(), projectId, record);
      } catch (error) {
        this.#log.warn({ err: error, project_id: projectId }, 'what functions printed and failed with was not kept');
      }
    }
  }
}

async function writeRecord(ctx: Context, projectId: string, { orgId, lines, occurrences, counts }: ProjectRecord) {
  const owner = { orgId, projectId };
  if (lines.length > 0) {
    const given = { ...owner, lines: JSON.stringify(lines), count: lines.length };
    const [kept] = await ctx.services.db.rows(keepLinesStatement.with(given));
    ctx.services.feeds.publish(logFeedName(orgId, projectId), kept!.head);
  }
  if (occurrences.length === 0 && counts.size === 0) return;
  const record = await reportInvoked({ ...owner, occurrences, invocations: [...counts.values()] });
  await unitOfWork(ctx, async (work: Work) => record(work));
}

/** A failure as Node.js prints one that nobody caught. */
const lineOf = ({ name, message, stack = '' }: NonNullable<ReturnType<typeof reportOf>>): string => {
  const said = [name, message].filter(Boolean).join(': ');
  return stack.includes(said) ? stack : [said, stack].filter(Boolean).join('\n');
};

function reportOf(failure: FunctionFailure): Pick<Occurrence, 'kind' | 'name' | 'message' | 'stack'> | undefined {
  switch (failure.kind) {
    case 'threw':
      return { kind: 'uncaught', ...failure.error };
    case 'crashed':
      return { kind: 'uncaught', ...(failure.error ?? { name: 'Crash', message: failure.reason }) };
    case 'load_failed':
      return { kind: 'boot_crash', ...(failure.error ?? { name: 'LoadFailed', message: failure.reason }) };
    case 'timeout':
      return { kind: 'invoke_failed', name: 'Timeout', message: `It took longer than ${failure.timeoutMs} ms.` };
    case 'out_of_memory':
      return { kind: 'invoke_failed', name: 'OutOfMemory', message: `It used more than ${failure.memoryMb} MiB.` };
    case 'too_large':
      return failure.part === 'request'
        ? undefined
        : {
            kind: 'invoke_failed',
            name: 'ResponseTooLarge',
            message: `It answered with more than ${failure.bytesMax} bytes.`,
          };
    default:
      return undefined;
  }
}
