import { ServiceError } from '../../core/errors.ts';
import type { AuditReport } from './analyse.ts';
import type { VisitStep } from './fetch/visit.ts';
import type { FetchFacts } from './site-snapshot.ts';

/** A report, and how and when the site was read for it. */
export interface Audited {
  readonly report: AuditReport;
  readonly facts: FetchFacts;
  readonly auditedAt: Date;
}

/** What is to be had of an audit while it is made, and in the end. */
export type AuditStep =
  /** It waits for its turn behind so many others. */
  | { readonly stage: 'queued'; readonly ahead: number }
  | VisitStep
  /** All is read; what is there is judged now. */
  | { readonly stage: 'analysing' }
  /** @property cached the site was read before, or for another caller as well */
  | { readonly stage: 'finished'; readonly audited: Audited; readonly cached: boolean };

/** A step, and when it was taken. */
export type AuditProgress = AuditStep & { readonly at: Date };

/** No caller waits for it any more. */
export const cancelledAudit = () => new ServiceError('REQUEST_TIMEOUT', { message: 'The audit was cancelled.' });

type RunningProgress = Exclude<AuditProgress, { stage: 'finished' }>;

/** One reading of a site, for everybody who asks for it meanwhile. */
export class AuditRun {
  /** Runs are numbered in the order in which they began. */
  readonly number: number;
  readonly #now: () => number;
  readonly #told: RunningProgress[] = [];
  readonly #wakes = new Set<() => void>();
  readonly #left = new AbortController();
  #outcome: Promise<Audited> | undefined;
  #settled = false;
  #waiting = 0;

  constructor(number: number, now: () => number) {
    this.number = number;
    this.#now = now;
  }

  /** Begins it. @param read makes the report, and tells of its steps */
  begin(read: () => Promise<Audited>): void {
    this.#outcome = read();
    const settled = () => {
      this.#settled = true;
      this.#wake();
    };
    // Callers that wait for it are told what went wrong; there may be none any more.
    this.#outcome.then(settled, settled);
  }

  get outcome(): Promise<Audited> {
    return this.#outcome!;
  }

  /** Aborted when all who waited for it have said that they do not any more. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  /**
   * Waits for the outcome.
   *
   * @param cancelled says that this one waits no more; without it, the reading is made to its end
   * @throws what the audit ended with, and REQUEST_TIMEOUT when it is cancelled
   */
  wait(cancelled: AbortSignal | undefined): Promise<Audited> {
    this.#waiting += 1;
    if (cancelled === undefined) return this.outcome;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#left.abort();
        reject(cancelledAudit());
      };
      if (cancelled.aborted) leave();
      else cancelled.addEventListener('abort', leave, { once: true });
      this.outcome.then(resolve, reject);
    });
  }

  tell(step: Exclude<AuditStep, { stage: 'finished' }>): void {
    this.#told.push({ ...step, at: new Date(this.#now()) });
    this.#wake();
  }

  /**
   * All steps from the first on, as they are taken; the last one is `finished`.
   *
   * @param cached what the last one says of the reader
   * @throws what the audit ended with
   */
  async *follow(cached: boolean, signal: AbortSignal): AsyncGenerator<AuditProgress, void, undefined> {
    for (let at = 0; !signal.aborted; ) {
      const step = this.#told[at];
      if (step !== undefined) {
        at += 1;
        yield step;
      } else if (this.#settled) {
        yield { stage: 'finished', audited: await this.outcome, cached, at: new Date(this.#now()) };
        return;
      } else await this.#moved(signal);
    }
  }

  #moved(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#wakes.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wakes.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  #wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }
}
