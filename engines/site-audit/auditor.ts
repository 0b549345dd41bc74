import type { lookup as systemLookup } from 'node:dns';
import { ServiceError } from '../../core/errors.ts';
import { Lru } from '../../core/lru.ts';
import { createThreads, ThreadEndedError, ThreadsBusyError } from '../../core/threads.ts';
import type { AuditReport } from './analyse.ts';
import { type Audited, type AuditProgress, AuditRun, type AuditStep, cancelledAudit } from './audit-run.ts';
import type { TrialNetwork } from './fetch/document.ts';
import { visitSite } from './fetch/visit.ts';
import type { SiteSnapshot } from './site-snapshot.ts';
import { parseTarget } from './target.ts';
import { tooBusy, VisitTurns } from './visit-turns.ts';

export interface AuditorOptions {
  /** How the gateway introduces itself to sites. */
  readonly userAgent: string;
  readonly now?: () => number;
  /** Resolves host names. @default the name servers of the system */
  readonly resolve?: typeof systemLookup | undefined;
  /** Sites of a trial of the gateway itself; no setting of an installation leads here. */
  readonly trial?: TrialNetwork | undefined;
  /** Longest that an audit waits for its turn, in milliseconds. @default 20_000 */
  readonly waitMs?: number | undefined;
}

export interface AuditRequest {
  /**
   * Asked once for each host that is about to be fetched from, those that redirects lead to as well. What it throws is
   * what everybody gets who waits for this audit, so it has to depend on the host alone.
   */
  readonly admit: (host: string) => void | Promise<void>;
  /** Whether it is read for this request alone, after this call: others may share it, but it shares nothing of theirs. */
  readonly fresh?: boolean;
  /** Told of each step from the first on but the last, also of an audit that others began. */
  readonly told?: ((step: AuditStep) => void) | undefined;
  /** Says that this request waits no more: when none does, the reading ends. A caller that is merely gone may come back for it. */
  readonly cancelled?: AbortSignal | undefined;
  /** Told, before anybody else is, what came of an audit that was begun for this request, as each fresh one is. */
  readonly finished?: (audited: Audited) => Promise<void>;
}

/** Audits sites: few at once, each once for all who ask at the same time, and remembered for a few minutes. */
export interface Auditor {
  /** The normal form of a target. @throws ServiceError 400 */
  readonly target: (input: string) => URL;
  /** @throws ServiceError */
  readonly audit: (
    target: URL,
    request: AuditRequest,
  ) => Promise<{ readonly audited: Audited; readonly cached: boolean }>;
  /**
   * The same step by step: begins at once, with or without a reader. What is remembered is finished with the first step.
   *
   * @param signal ends the generator, quietly; the audit goes on
   */
  readonly watch: (
    target: URL,
    request: AuditRequest,
    signal: AbortSignal,
  ) => AsyncGenerator<AuditProgress, void, undefined>;
  readonly close: () => Promise<void>;
}

const visitsMax = 8;
const waitingMax = 64;
const keptMs = 5 * 60_000;
const kept = { entries: 500, bytes: 32 * 1024 * 1024 };

/**
 * Longest that a page may take to be judged, in milliseconds, the start of a thread included. What is looked at of a page
 * is bounded in steps, which take less than a second; this is for a machine that has no time.
 */
const analyseMs = 8_000;

export function createAuditor(options: AuditorOptions): Auditor {
  const { userAgent, resolve, trial, now = Date.now, waitMs = 20_000 } = options;
  const threads = createThreads<SiteSnapshot, AuditReport>({
    program: new URL('./analyse-worker.ts', import.meta.url),
    most: 2,
    waitingMax: waitingMax + visitsMax,
    waitMs: 10_000,
    workMs: analyseMs,
    memoryMb: 512,
  });
  const turns = new VisitTurns({ most: visitsMax, waitingMax, waitMs });
  const closing = new AbortController();
  const done = new Lru<{ readonly audited: Audited; readonly number: number; readonly until: number }>(kept);
  /** The latest of each target. */
  const running = new Map<string, AuditRun>();
  let runs = 0;

  async function read(target: URL, admit: AuditRequest['admit'], run: AuditRun): Promise<Audited> {
    // A caller that may not fetch from it need not wait to be told.
    await admit(target.hostname);
    run.tell({ stage: 'queued', ahead: turns.waiting });
    const signal = AbortSignal.any([closing.signal, run.left]);
    await turns.take(signal);
    try {
      const { snapshot, facts } = await visitSite(target, {
        userAgent,
        resolve,
        trial,
        admit,
        onStep: (step) => run.tell(step),
        signal,
      });
      run.left.throwIfAborted();
      run.tell({ stage: 'analysing' });
      const report = await threads.ask(snapshot, target.hostname);
      return { report, facts, auditedAt: new Date(now()) };
    } catch (error) {
      if (error instanceof ThreadsBusyError) throw tooBusy();
      if (error instanceof ThreadEndedError)
        throw new ServiceError('TARGET_TIMEOUT', { message: 'The target’s page takes too long to read.' });
      throw error;
    } finally {
      turns.leave();
    }
  }

  /** Keeps it, unless something newer is kept. */
  function keep({ href }: URL, { number }: AuditRun, audited: Audited): void {
    if ((done.get(href)?.number ?? 0) > number) return;
    const bytes = 2 * JSON.stringify(audited.report).length + 4 * 1024;
    done.set(href, { audited, number, until: now() + keptMs }, bytes);
  }

  function begin(target: URL, { admit, finished }: AuditRequest): AuditRun {
    runs += 1;
    const run = new AuditRun(runs, now);
    running.set(target.href, run);
    run.begin(async () => {
      try {
        const audited = await read(target, admit, run).catch((error: unknown) => {
          throw run.left.aborted ? cancelledAudit() : error;
        });
        keep(target, run, audited);
        await finished?.(audited);
        return audited;
      } finally {
        if (running.get(target.href) === run) running.delete(target.href);
      }
    });
    return run;
  }

  function find(target: URL, request: AuditRequest) {
    // Each reading is counted once, for the caller that began it: what is sold has one of its own.
    if (request.fresh === true) return { run: begin(target, request), cached: false };
    const known = done.get(target.href);
    if (known !== undefined && known.until > now()) return { known: known.audited };
    const shared = running.get(target.href);
    return shared === undefined || shared.left.aborted
      ? { run: begin(target, request), cached: false }
      : { run: shared, cached: true };
  }

  return {
    target: (input) => parseTarget(input, (host) => trial?.hosts.has(host) === true),
    async audit(target, request) {
      const found = find(target, request);
      if (found.run === undefined) return { audited: found.known, cached: true };
      if (request.told !== undefined) void tell(found.run, request.told, closing.signal);
      return { audited: await found.run.wait(request.cancelled), cached: found.cached };
    },
    watch(target, request, signal) {
      const found = find(target, request);
      if (found.run === undefined) return finished(found.known, new Date(now()));
      // Who watched may come back for the rest of it.
      void found.run.wait(undefined).catch(() => undefined);
      return found.run.follow(found.cached, signal);
    },
    async close() {
      closing.abort();
      turns.close();
      await threads.close();
    },
  };
}

/** How it ends is told by its outcome. */
async function tell(run: AuditRun, told: (step: AuditStep) => void, signal: AbortSignal): Promise<void> {
  try {
    for await (const step of run.follow(false, signal)) if (step.stage !== 'finished') told(step);
  } catch {
    // Callers that wait for the outcome are told.
  }
}

async function* finished(audited: Audited, at: Date): AsyncGenerator<AuditProgress, void, undefined> {
  yield { stage: 'finished', audited, cached: true, at };
}
