import type { lookup as systemLookup } from 'node:dns';
import { ServiceError } from '../../core/errors.ts';
import { Lru } from '../../core/lru.ts';
import { createThreads, ThreadEndedError, ThreadsBusyError } from '../../core/threads.ts';
import type { AuditReport } from './analyse.ts';
import type { TrialNetwork } from './fetch/document.ts';
import { visitSite } from './fetch/visit.ts';
import type { FetchFacts, SiteSnapshot } from './site-snapshot.ts';
import { parseTarget } from './target.ts';

/** A report, and how and when the site was read for it. */
export interface Audited {
  readonly report: AuditReport;
  readonly facts: FetchFacts;
  readonly auditedAt: Date;
}

export interface AuditorOptions {
  /** How the gateway introduces itself to sites. */
  readonly userAgent: string;
  readonly now?: () => number;
  /** Resolves host names. @default the system's resolver */
  readonly resolve?: typeof systemLookup | undefined;
  /** Sites of a trial of the gateway itself; no setting of an installation leads here. */
  readonly trial?: TrialNetwork | undefined;
}

/** Audits sites: few at once, each once for all who ask at the same time, and remembered for a few minutes. */
export interface Auditor {
  /** The normal form of a target. @throws ServiceError 400 */
  readonly target: (input: string) => URL;
  /**
   * @param beforeFetch told when the site is really about to be fetched; what it throws is what the caller gets
   * @throws ServiceError
   */
  readonly audit: (
    target: URL,
    beforeFetch: () => void,
  ) => Promise<{ readonly audited: Audited; readonly cached: boolean }>;
  readonly close: () => Promise<void>;
}

const visitsMax = 8;
const waitingMax = 64;
const keptMs = 5 * 60_000;
const kept = { entries: 500, bytes: 32 * 1024 * 1024 };

/** Longest that a page may take to be judged, in milliseconds: a megabyte takes half a second. */
const analyseMs = 8_000;

export function createAuditor({ userAgent, resolve, trial, now = Date.now }: AuditorOptions): Auditor {
  const threads = createThreads<SiteSnapshot, AuditReport>({
    program: new URL('./analyse-worker.ts', import.meta.url),
    most: 2,
    waitingMax: waitingMax + visitsMax,
    waitMs: 20_000,
    workMs: analyseMs,
    memoryMb: 512,
  });
  const closing = new AbortController();
  const done = new Lru<{ readonly audited: Audited; readonly until: number }>(kept);
  const running = new Map<string, Promise<Audited>>();
  const waiting: (() => void)[] = [];
  let visits = 0;

  async function turn(): Promise<void> {
    if (visits < visitsMax) {
      visits += 1;
      return;
    }
    if (waiting.length >= waitingMax) throw busy();
    // Whoever leaves hands its place over.
    await new Promise<void>((admitted) => waiting.push(admitted));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) visits -= 1;
    else next();
  }

  async function audit(target: URL): Promise<Audited> {
    await turn();
    try {
      const { snapshot, facts } = await visitSite(target, { userAgent, resolve, trial, signal: closing.signal });
      const report = await threads.ask(snapshot, target.hostname);
      const audited = { report, facts, auditedAt: new Date(now()) };
      const bytes = 2 * JSON.stringify(report).length + 4 * 1024;
      done.set(target.href, { audited, until: now() + keptMs }, bytes);
      return audited;
    } catch (error) {
      if (error instanceof ThreadsBusyError) throw busy();
      if (error instanceof ThreadEndedError)
        throw new ServiceError('TARGET_TIMEOUT', { message: 'The target’s page takes too long to read.' });
      throw error;
    } finally {
      leave();
    }
  }

  return {
    target: (input) => parseTarget(input, (host) => trial?.hosts.has(host) === true),
    async audit(target, beforeFetch) {
      const known = done.get(target.href);
      if (known !== undefined && known.until > now()) return { audited: known.audited, cached: true };
      const shared = running.get(target.href);
      if (shared !== undefined) return { audited: await shared, cached: true };
      beforeFetch();
      const fresh = audit(target);
      running.set(target.href, fresh);
      try {
        return { audited: await fresh, cached: false };
      } finally {
        running.delete(target.href);
      }
    },
    async close() {
      closing.abort();
      await threads.close();
    },
  };
}

const busy = () => new ServiceError('SERVICE_UNAVAILABLE', { message: 'Too many audits wait.', retryAfter: 10 });
