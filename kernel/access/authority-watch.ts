import type { Action } from './permissions.ts';

/** By what right something long-lived, such as a socket's subscription, goes on. */
export interface AuthorityEntry {
  /** Null for a project key and for the platform admin. */
  readonly principalId: string | null;
  readonly orgId: string;
  /** The room that is followed; without one only membership counts, as for the organization itself. */
  readonly roomKey?: string | undefined;
  /** What is done in a project of the organization: the project has to stay there, and a role or a grant for it. */
  readonly inProject?: { readonly id: string; readonly action: Action } | undefined;
  readonly sessionId: string | null;
  /** Set: the delegate's own grant decides, not the principal's. */
  readonly delegateId: string | null;
  /** The hash of the delegate's token: the right ends with the token that opened it. */
  readonly delegateTokenHash?: string | undefined;
  /** The project whose key was used. */
  readonly projectKeyProjectId: string | null;
  /** The credential of the project that was used in place of its key: the right ends with it, too. */
  readonly credentialId?: string | undefined;
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
  /** Whether the right holds at this moment: for what was held up since it was admitted. */
  holds(entry: AuthorityEntry): Promise<boolean>;
  /**
   * Tells this node and the others that members, grants, delegates, credentials or sessions have changed, of an organization or of a
   * principal, by its id. Called after the commit; never throws.
   */
  changed(id: string): void;
}
