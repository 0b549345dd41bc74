import { safeMessage } from '../../core/safe-message.ts';
import { storable } from '../../core/text.ts';
import type { Context } from '../../kernel/run/context.ts';
import { keepLines, type LoggedJob, type LogLine } from './shared/log-rows.ts';

/** How long a line may go unwritten, in milliseconds. */
const everyMs = 250;
/** Longest line, in characters; what is longer is cut. */
const lineMax = 8_192;
/** Lines of one attempt; of more, one tells. */
const linesMax = 10_000;

/**
 * What an attempt of a job says: in memory first, and a few times a second in the database. A process that is killed loses
 * the last of it.
 */
export class JobLog {
  readonly #ctx: Context;
  readonly #job: LoggedJob;
  #waiting: LogLine[] = [];
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(ctx: Context, job: LoggedJob) {
    this.#ctx = ctx;
    this.#job = job;
  }

  /** Adds lines: a text with breaks is several. */
  add(message: string, stream: LogLine['stream'] = 'stdout'): void {
    // Work that was not waited for may say something yet.
    if (this.#isClosed) return;
    for (const text of message.split('\n')) this.#addLine(text, stream);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, everyMs);
  }

  /** Resolves when what was said before is written, or cannot be written now. */
  async flush(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const lines = this.#waiting;
      this.#waiting = [];
      if (lines.length === 0) return;
      try {
        await keepLines(this.#ctx, this.#job, lines);
      } catch (error) {
        const { log } = this.#ctx.services;
        log.warn({ job_id: this.#job.id, error: safeMessage(error) }, 'What a job said was not kept.');
      }
    });
    await this.#writing;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.flush();
  }

  #addLine(text: string, stream: LogLine['stream']): void {
    this.#count += 1;
    if (this.#count > linesMax + 1) return;
    const at = this.#ctx.services.now();
    if (this.#count > linesMax) {
      this.#waiting.push({ stream: 'system', message: `More than ${linesMax} lines are not kept.`, at });
      return;
    }
    const whole = storable(text);
    const message = whole.length > lineMax ? `${whole.slice(0, lineMax).toWellFormed()}…` : whole;
    this.#waiting.push({ stream, message, at });
  }
}
