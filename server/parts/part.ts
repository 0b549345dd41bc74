import type { Logger } from 'pino';
import type { NoticeHook, StatementHook } from '../../db/pool.ts';
import type { ArgonCost } from '../../engines/passwords/argon-cost.ts';
import type { TrialNetwork } from '../../engines/site-audit/fetch/document.ts';
import type { Config } from '../config.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { Metrics } from '../metrics.ts';

export interface AppOptions {
  readonly config: Config;
  /** The control database. */
  readonly databaseUrl: string;
  /** Root secrets, current first. */
  readonly roots: readonly Buffer[];
  readonly version: string;
  readonly log: Logger;
  /** Told of every statement to the control database; for tests that count them. */
  readonly onStatement?: StatementHook;
  /** Told what the control database says beside its answers; for tests that look at plans. */
  readonly onNotice?: NoticeHook;
  /** How long a request waits for a connection to the control database, in milliseconds. @default 5_000 */
  readonly waitMs?: number | undefined;
  /** Sites that audits find on this machine; for tests alone, and no setting leads here. */
  readonly auditTrial?: TrialNetwork | undefined;
  /** What a password costs to hash; less in tests, which make thousands, and no setting leads here. @default what OWASP asks for */
  readonly passwordCost?: ArgonCost | undefined;
  /** Whether background jobs run here; not in tests that count what requests send. @default true */
  readonly jobs?: boolean;
}

/** What every part of the gateway is started with. A part tells `lifecycle` how it ends as soon as it has begun. */
export interface Start {
  readonly options: AppOptions;
  readonly lifecycle: Lifecycle;
  readonly metrics: Metrics;
}
