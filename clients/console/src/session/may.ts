import { lowestRoles } from './rights.ts';

export type Role = 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER';

/** Highest first. */
export const roles: readonly Role[] = ['OWNER', 'ADMIN', 'DEVELOPER', 'BILLING', 'VIEWER'];

/**
 * Whether a member of this role is offered an action. What they may really do the gateway decides, with what it knows
 * besides.
 */
export const may = (role: Role | null | undefined, action: keyof typeof lowestRoles): boolean =>
  role != null && roles.indexOf(role) <= roles.indexOf(lowestRoles[action]);
