import type { ProjectDatabase } from '../../db/project-databases.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { EndingKey } from '../auth/shared/authenticate-project.ts';

/** Who follows, as far as hints are concerned. Contract 01, section 4.5. */
export type LiveIdentity =
  | ({ readonly kind: 'service' } & Partial<EndingKey>)
  | ({ readonly kind: 'anon' } & Partial<EndingKey>)
  | {
      readonly kind: 'user';
      readonly userId: string;
      readonly sessionId: string;
      /** When the credential ends. @default with the session */
      readonly expiresAt?: Date | undefined;
    };

/** What a statement changed in a table; never row data. Contract 01, section 4.4. */
export interface LiveHint {
  readonly table: string;
  readonly op: 'insert' | 'update' | 'delete';
  /** Keys of the rows as a JSON list; null where only the table can be told. */
  readonly pk: string | null;
  readonly n: number;
  /** Resumes after this hint. */
  readonly cursor: string;
}

export type ResyncReason = 'cursor_expired' | 'listener_reconnect' | 'slot_reset' | 'foreign_epoch' | 'before_listen';

/** Changes may have been missed: the tables have to be fetched again. */
export interface LiveResync {
  readonly tables: readonly string[];
  readonly reason: ResyncReason;
  readonly cursor: string;
}

/**
 * Why nothing more will come; `token_expired`: the session may stand, and a new token follows on; `credential_ended`: the
 * credential of the project was revoked, or has expired; `too_slow`: more waited than is kept for one, who resumes by its cursor. */
export type LiveEnd =
  | 'session_ended'
  | 'credential_ended'
  | 'token_expired'
  | 'manifest_changed'
  | 'project_gone'
  | 'too_slow'
  | 'closed';

/** Hints that are due together. All who follow alike are given the very same object. */
export interface LiveBatch {
  readonly hints: readonly LiveHint[];
  /** The hints as frames of an event stream. */
  readonly frames: Buffer;
}

/** Whoever is at the other end. Called in order, never before `start` was. */
export interface LiveSink {
  /** Of what lies behind, no more is handed over before the promise is kept. */
  readonly hints: (batch: LiveBatch) => Promise<void> | void;
  readonly resync: (resync: LiveResync) => void;
  /** Everything that lay behind was handed over. */
  readonly caughtUp?: () => void;
  /** Called at most once, and not after `close`. */
  readonly end: (reason: LiveEnd) => void;
}

export interface LiveRequest {
  readonly target: ProjectTarget;
  readonly identity: LiveIdentity;
  readonly tables: readonly string[];
  /** Where to resume; what comes from now on when absent. */
  readonly cursor?: string | undefined;
  /** Whether it counts as one of the connections that the project may have. */
  readonly counted: boolean;
  /** Whether it waits for what comes, so that it need not be told at once of what was committed elsewhere. @default false */
  readonly waits?: boolean;
}

/** Somebody who was let in and placed; what happens from then on is not lost. */
export interface LiveSubscription {
  /** Where it stands: after everything that was handed over. */
  readonly cursor: string;
  /** The cursor could not be used, or not for these tables. */
  readonly resync: LiveResync | undefined;
  start(sink: LiveSink): void;
  /** Idempotent. */
  close(): void;
}

/** The live hints of this node. */
export interface LiveHub {
  /**
   * Tells this node and the others that something was committed in a project's database. Called after the commit; never
   * throws and never waits.
   */
  changed(database: Pick<ProjectDatabase, 'databaseName'>): void;
  /** @throws TABLE_NOT_LIVE, AUTH_REQUIRED, LIVE_CONNECTION_LIMIT, UPSTREAM_UNAVAILABLE */
  open(request: LiveRequest): Promise<LiveSubscription>;
  /** Removes hints that nobody need be told of any more. */
  prune(database: ProjectDatabase): Promise<void>;
}

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Hints of what changes in live tables. */
    readonly live: LiveHub;
  }
}
