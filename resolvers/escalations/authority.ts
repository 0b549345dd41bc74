import type { ServiceError } from '../../core/errors.ts';
import { notAuthorized } from '../../kernel/access/access.ts';
import { roomAuthority } from '../../kernel/access/authority.ts';
import type { AuthorityEntry } from '../../kernel/access/authority-watch.ts';
import type { Caller } from '../../kernel/access/caller.ts';
import { escalationActions } from './shared/actions.ts';

/**
 * By what right a caller follows an organization's escalations. Who sees everybody's has to stay a member; a grant or a
 * delegate, which opens the organization's named rooms as well, shows one's own.
 */
export function escalationAuthority(caller: Caller, orgId: string, own: boolean): AuthorityEntry {
  const { roomKey, ...entry } = roomAuthority(caller, orgId, 'escalations');
  return own ? { ...entry, roomKey } : entry;
}

export const escalationAuthorityLost = (): ServiceError =>
  notAuthorized(escalationActions['escalation:read'], 'member');
