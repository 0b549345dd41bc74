import { lowestRoles, openedBy } from './rights.ts';
import { session } from './session.ts';

export type Role = 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER';
export type Action = keyof typeof lowestRoles;

/** Highest first. */
export const roles: readonly Role[] = ['OWNER', 'ADMIN', 'DEVELOPER', 'BILLING', 'VIEWER'];

/** Whether who is in may change anything at all: an operator only looks on. */
export function mayChange(): boolean {
  const current = session.get();
  return current.state === 'in' && !(current.member.kind === 'person' && current.member.readsOnly);
}

/** Keys are read, but who has them acts with them. */
const onlyReads = (action: Action) => /:(list|read)$/.test(action) && action !== 'project:keys:read';

/**
 * Whether a member of this role is offered an action. What they may really do the gateway decides, with what it knows
 * besides.
 */
export const may = (role: Role | null | undefined, action: Action): boolean =>
  role != null && roles.indexOf(role) <= roles.indexOf(lowestRoles[action]) && (onlyReads(action) || mayChange());

/** Whether one of some capabilities opens an action. */
const opens = (capabilities: readonly string[], action: Action): boolean => {
  const wanted: readonly string[] | 'any' | undefined = (
    openedBy as Partial<Record<Action, 'any' | readonly string[]>>
  )[action];
  if (wanted === undefined || capabilities.length === 0) return false;
  return wanted === 'any' || wanted.some((one) => capabilities.includes(one));
};

/** A project as far as it says what the caller may do there. */
interface Held {
  /** Null for who is no member, and sees no organization. */
  readonly organization: { readonly role: Role | null } | null;
  /** What the caller's grants open. */
  readonly grantedCapabilities: readonly string[];
}

/** As {@link may}, on a project: by the role, or by a grant. */
export const mayOn = ({ organization, grantedCapabilities }: Held, action: Action): boolean =>
  may(organization?.role, action) || (opens(grantedCapabilities, action) && (onlyReads(action) || mayChange()));

/**
 * As {@link may}, for what any grant on a project opens in its organization as well.
 *
 * @param role null for who is no member; undefined until it is known
 */
export const mayAround = (role: Role | null | undefined, action: Action): boolean =>
  role === null ? opens(['any grant'], action) && (onlyReads(action) || mayChange()) : may(role, action);
