/** By what right something long-lived, such as a socket's subscription, goes on. */
export interface AuthorityEntry {
  /** Null for a project key and for the platform admin. */
  readonly principalId: string | null;
  readonly orgId: string;
  /** The room that is followed; without one only membership counts, as for the organization itself. */
  readonly roomKey?: string | undefined;
  readonly sessionId: string | null;
  /** Set: the delegate's own grant decides, not the principal's. */
  readonly delegateId: string | null;
  /** The project whose key was used. */
  readonly projectKeyProjectId: string | null;
  readonly expiresAt: Date | null;
}

export type AuthorityLoss = 'revoked' | 'expired';

/** Ends what no longer has a right to go on. */
export interface AuthorityWatch {
  /**
   * Calls back once, never before this returns, when the right has ended.
   * @returns stops watching
   */
  watch(entry: AuthorityEntry, onLost: (reason: AuthorityLoss) => void): () => void;
}
