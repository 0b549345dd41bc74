import { lowestRoles, openedBy } from './rights.ts';
import { shownMember } from './session.ts';

export type Role = 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER';
export type Action = keyof typeof lowestRoles;

/** Highest first. */
export const roles: readonly Role[] = ['OWNER', 'ADMIN', 'DEVELOPER', 'BILLING', 'VIEWER'];

/**
 * Whether the member may change anything at all: an operator has read access only. A session that ended changes nothing
 * here: its page waits with its dialogs, and what was typed in them.
 */
export function mayChange(): boolean {
  const member = shownMember();
  return member !== undefined && !(member.kind === 'person' && member.readsOnly);
}

/** Reading keys counts as a change: a caller can act with them. */
const onlyReads = (action: Action) => /:(list|read)$/.test(action) && action !== 'project:keys:read';

/**
 * Whether the console offers an action to a member with this role. The gateway decides whether it is allowed, from
 * more than the role.
 */
export const may = (role: Role | null | undefined, action: Action): boolean =>
  role != null && roles.indexOf(role) <= roles.indexOf(lowestRoles[action]) && (onlyReads(action) || mayChange());

/** Whether one of the capabilities opens an action. */
const opens = (capabilities: readonly string[], action: Action): boolean => {
  const wanted: readonly string[] | 'any' | undefined = (
    openedBy as Partial<Record<Action, 'any' | readonly string[]>>
  )[action];
  if (wanted === undefined || capabilities.length === 0) return false;
  return wanted === 'any' || wanted.some((one) => capabilities.includes(one));
};

/** The fields of a project that determine the caller's rights. */
interface Held {
  /** Null for a caller who is not a member and cannot see the organization. */
  readonly organization: { readonly role: Role | null } | null;
  /** Capabilities of the caller's grants. */
  readonly grantedCapabilities: readonly string[];
}

/** Like {@link may} for a project: by the role or by a grant. */
export const mayOn = ({ organization, grantedCapabilities }: Held, action: Action): boolean =>
  may(organization?.role, action) || (opens(grantedCapabilities, action) && (onlyReads(action) || mayChange()));

/**
 * Like {@link may}, for actions that any grant on a project also opens in its organization.
 *
 * @param role null for a caller who is not a member; undefined until loaded
 */
export const mayAround = (role: Role | null | undefined, action: Action): boolean =>
  role === null ? opens(['any grant'], action) && (onlyReads(action) || mayChange()) : may(role, action);
