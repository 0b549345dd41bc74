import type { ServiceError } from '../core/errors.ts';
import { notAuthorized } from './access.ts';
import { type Caller, principalIdOf } from './caller.ts';
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
   * Tells this node and the others that members, grants, delegates or sessions have changed, of an organization or of a
   * principal, by its id. Called after the commit; never throws.
   */
  changed(id: string): void;
}

/** By what right a caller does something in a project, so that it can be looked at again while it lasts. */
export function projectAuthority(caller: Caller, orgId: string, id: string, action: Action): AuthorityEntry {
  const { roomKey: _none, ...entry } = roomAuthority(caller, orgId, '');
  return { ...entry, inProject: { id, action } };
}

/** By what right a member does something in its organization as a whole. */
export function orgAuthority(caller: Caller, orgId: string): AuthorityEntry {
  const { roomKey: _none, ...entry } = roomAuthority(caller, orgId, '');
  return entry;
}

/** By what right a caller reads a room, so that it can be looked at again while the reading lasts. */
export const roomAuthority = (caller: Caller, orgId: string, roomKey: string): AuthorityEntry => ({
  orgId,
  roomKey,
  principalId: principalIdOf(caller),
  sessionId: 'sessionId' in caller ? caller.sessionId : null,
  delegateId: caller.kind === 'delegate' ? caller.delegateId : null,
  delegateTokenHash: caller.kind === 'delegate' ? caller.tokenHash : undefined,
  projectKeyProjectId: caller.kind === 'project_key' ? caller.projectId : null,
  expiresAt: 'expiresAt' in caller ? caller.expiresAt : null,
});

/**
 * By what right a caller follows an organization's escalations. Who sees everybody's has to stay a member; a grant or a
 * delegate, which opens the organization's named rooms as well, shows one's own.
 */
export function escalationAuthority(caller: Caller, orgId: string, own: boolean): AuthorityEntry {
  const { roomKey, ...entry } = roomAuthority(caller, orgId, 'escalations');
  return own ? { ...entry, roomKey } : entry;
}

export const escalationAuthorityLost = (): ServiceError => notAuthorized('escalation:read', 'member');

/** The same refusal as at the door, for whoever was let in and has lost the right since. */
export const roomAuthorityLost = (): ServiceError => notAuthorized('room:read', 'member');
