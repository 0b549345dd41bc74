import type { AuthorityEntry } from './authority-watch.ts';
import { type Caller, principalIdOf } from './caller.ts';
import type { Action } from './permissions.ts';

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
  credentialId: caller.kind === 'project_key' ? caller.credentialId : undefined,
  expiresAt: 'expiresAt' in caller ? caller.expiresAt : null,
});
