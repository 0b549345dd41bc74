import { grantable, lowestRoles } from './rights.ts';
import { session } from './session.ts';

export type Role = 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER';
type Action = keyof typeof lowestRoles;

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

/** As {@link may}, on a project. @param owner null for who has it by a grant, and sees no organization */
export const mayOn = (owner: { readonly role: Role | null } | null, action: Action): boolean =>
  owner === null ? grantable.includes(action) && (onlyReads(action) || mayChange()) : may(owner.role, action);
